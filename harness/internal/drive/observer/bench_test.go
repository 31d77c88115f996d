package observer

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/openchrome/bench/harness/internal/judge"
)

// BenchmarkAttach measures what an observer costs: attaching to a Chromium that is up, and
// the first reading of a page's facts. Chromium has loaded the page before and does nothing
// more, so the time is the observer's own. Its window already has the size that Attach gives
// it, as in a run. A single browser says little, because the time varies a lot between
// browsers.
func BenchmarkAttach(b *testing.B) {
	web := serve(b, map[string]string{"/": benchPage})
	var all []time.Duration
	for b.Loop() {
		for range 10 {
			all = append(all, attachAndRead(b, web.URL+"/"))
		}
	}
	reportMedian(b, all)
}

// attachAndRead returns how long both take with a new browser.
func attachAndRead(b *testing.B, url string) time.Duration {
	b.Helper()
	pipe, kill := startBrowser(b)
	tab := loadIdle(b, pipe, url)
	start := time.Now()
	o, err := Attach(b.Context(), pipe)
	if err != nil {
		b.Fatal(err)
	}
	r, err := o.Read(b.Context(), Request{TabID: tab, Needs: benchNeeds, SessionID: "s"})
	took := time.Since(start)
	if err != nil || r.Facts.DOMCount["tr"] != 200 {
		b.Fatalf("%+v, error %v", r.Facts, err)
	}
	kill()
	<-o.Done()
	return took
}

// loadIdle loads a URL in a browser's first page and returns the page's id, once no process
// of the browser uses the processor any more. It leaves the browser as it found it, without
// a client.
func loadIdle(b *testing.B, p pipe, url string) (targetID string) {
	b.Helper()
	type answer struct {
		TargetInfos []struct{ TargetID string }
		SessionID   string
		Result      struct{ Value any }
		ProcessInfo []struct{ CPUTime float64 } // in seconds
	}
	r, id := bufio.NewReader(p), 0
	ask := func(session, method, params string) answer {
		id++
		if _, err := fmt.Fprintf(p, `{"id":%d,"sessionId":%q,"method":%q,"params":%s}`+"\x00", id, session, method, params); err != nil {
			b.Fatal(err)
		}
		for {
			raw, err := r.ReadBytes(0)
			var m struct {
				ID     int
				Result answer
			}
			if err == nil {
				err = json.Unmarshal(bytes.TrimSuffix(raw, []byte{0}), &m)
			}
			if err != nil {
				b.Fatal(err)
			}
			if m.ID == id {
				return m.Result
			}
		}
	}
	waitFor(b, func() bool {
		for _, t := range ask("", "Target.getTargets", `{"filter":[{"type":"page"}]}`).TargetInfos {
			targetID = t.TargetID
		}
		return targetID != ""
	})
	session := ask("", "Target.attachToTarget", `{"flatten":true,"targetId":"`+targetID+`"}`).SessionID
	ask(session, "Page.navigate", `{"url":"`+url+`"}`)
	waitFor(b, func() bool {
		is := ask(session, "Runtime.evaluate", `{"expression":"location.href + document.readyState"}`).Result.Value
		return is == url+"complete"
	})
	ask("", "Target.detachFromTarget", `{"sessionId":"`+session+`"}`)
	tick := time.Tick(100 * time.Millisecond)
	for idle, before := false, 0.0; !idle; {
		<-tick
		now := 0.0
		for _, process := range ask("", "SystemInfo.getProcessInfo", "{}").ProcessInfo {
			now += process.CPUTime
		}
		idle, before = now-before < 0.005, now
	}
	return targetID
}

// A page of the usual size, and what contracts need of it.
var (
	benchPage  = "<h1>Rows</h1><table>" + strings.Repeat("<tr><td>cell</td><td>another cell</td></tr>", 200) + "</table>"
	benchNeeds = judge.Needs{Text: []string{"body", "h1"}, Count: []string{"tr"}, Console: true}
)

// BenchmarkRead reads a page of the usual size.
func BenchmarkRead(b *testing.B) {
	o, tab := observe(b)
	web := serve(b, map[string]string{"/": benchPage})
	open(b, o, tab, web.URL, benchNeeds)
	var all []time.Duration
	for b.Loop() {
		start := time.Now()
		if _, err := o.Read(b.Context(), Request{TabID: tab, Needs: benchNeeds, SessionID: "s"}); err != nil {
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
