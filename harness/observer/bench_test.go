package observer

import (
	"bufio"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/openchrome/bench/harness/contract"
)

// BenchmarkAttach attaches to a Chromium and reads its one page, which is empty. Both have
// started before.
func BenchmarkAttach(b *testing.B) {
	var all []time.Duration
	for b.Loop() {
		pipe, kill := startBrowser(b)
		waitStarted(b, pipe)
		start := time.Now()
		o, err := Attach(b.Context(), pipe)
		if err != nil {
			b.Fatal(err)
		}
		o.mu.Lock()
		tab := string(o.tabs[0].id)
		o.mu.Unlock()
		if _, err := o.Read(b.Context(), Request{TabID: tab}); !strings.Contains(err.Error(), "a blank page") {
			b.Fatal(err)
		}
		all = append(all, time.Since(start))
		kill()
		<-o.Done()
	}
	reportMedian(b, all)
}

// waitStarted waits until a browser has a page that answers.
func waitStarted(b *testing.B, p pipe) {
	b.Helper()
	r, id := bufio.NewReader(p), 0
	ask := func(session, method, params string) string {
		id++
		if _, err := fmt.Fprintf(p, `{"id":%d,"sessionId":%q,"method":%q,"params":%s}`+"\x00", id, session, method, params); err != nil {
			b.Fatal(err)
		}
		for {
			answer, err := r.ReadString(0)
			if err != nil {
				b.Fatal(err)
			}
			if strings.HasPrefix(answer, fmt.Sprintf(`{"id":%d,`, id)) {
				return answer
			}
		}
	}
	value := func(answer, name string) string {
		_, rest, _ := strings.Cut(answer, `"`+name+`":"`)
		v, _, _ := strings.Cut(rest, `"`)
		return v
	}
	tab := ""
	for tab == "" {
		tab = value(ask("", "Target.getTargets", `{"filter":[{"type":"page"}]}`), "targetId")
	}
	session := value(ask("", "Target.attachToTarget", `{"flatten":true,"targetId":"`+tab+`"}`), "sessionId")
	ask(session, "Runtime.evaluate", `{"expression":"1"}`)
	ask("", "Target.detachFromTarget", `{"sessionId":"`+session+`"}`)
}

// BenchmarkRead reads a page of the usual size.
func BenchmarkRead(b *testing.B) {
	o, tab := observe(b)
	rows := strings.Repeat("<tr><td>cell</td><td>another cell</td></tr>", 200)
	web := serve(b, map[string]string{"/": "<h1>Rows</h1><table>" + rows + "</table>"})
	needs := contract.Needs{Text: []string{"body", "h1"}, Count: []string{"tr"}, Console: true}
	open(b, o, tab, web.URL, needs)
	var all []time.Duration
	for b.Loop() {
		start := time.Now()
		if _, err := o.Read(b.Context(), Request{TabID: tab, Needs: needs, SessionID: "s"}); err != nil {
			b.Fatal(err)
		}
		all = append(all, time.Since(start))
	}
	reportMedian(b, all)
}

func reportMedian(b *testing.B, all []time.Duration) {
	slices.Sort(all)
	b.ReportMetric(float64(all[len(all)/2].Microseconds())/1000, "median-ms")
}
