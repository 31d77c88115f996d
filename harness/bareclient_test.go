//go:build unix

package harness_test

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/openchrome/bench/fixtures"
	"github.com/openchrome/bench/harness"
	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/drive/launch"
	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/read/server"
	"github.com/openchrome/bench/harness/internal/read/task"
	"github.com/openchrome/bench/harness/internal/read/transcript"
	"github.com/openchrome/bench/harness/internal/web"
	"github.com/openchrome/bench/harness/internal/web/serve"
)

// bareTasks need no value of an earlier answer.
var bareTasks = []string{"local-form-submit", "form-colour", "wid-menu"}

// BenchmarkBareClient makes the calls of three tasks in turns: by a run, and by a client that only calls,
// each on a fresh server and browser. wall-ratio and cpu-ratio are the run's time over the client's. It
// needs the real OpenChrome whose dist/index.js OPENCHROME_DIST names:
//
//	go test ./harness -run '^$' -bench BareClient -benchtime 5x
func BenchmarkBareClient(b *testing.B) {
	dist := os.Getenv("OPENCHROME_DIST")
	if dist == "" {
		b.Skip("OPENCHROME_DIST names no OpenChrome")
	}
	byRun := func() {
		o := harness.Options{Server: "local:" + dist, Task: strings.Join(bareTasks, ","), Out: b.TempDir()}
		if err := harness.Run(b.Context(), o); err != nil {
			b.Fatal(err)
		}
	}
	var wall, cpu [2]time.Duration // of the run, and of the client
	for turn := 0; b.Loop(); turn++ {
		for i := range 2 {
			side := (i + turn) % 2
			began, used := time.Now(), processorTime(b)
			if side == 0 {
				byRun()
			} else {
				bareClient(b, dist)
			}
			wall[side] += time.Since(began)
			cpu[side] += processorTime(b) - used
		}
	}
	b.ReportMetric(wall[0].Seconds()/wall[1].Seconds(), "wall-ratio")
	b.ReportMetric(cpu[0].Seconds()/cpu[1].Seconds(), "cpu-ratio")
}

// processorTime is that of this process and of its children that have ended.
func processorTime(b *testing.B) (sum time.Duration) {
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if err := syscall.Getrusage(who, &u); err != nil {
			b.Fatal(err)
		}
		sum += time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	return sum
}

func bareClient(b *testing.B, dist string) {
	set, err := web.Open()
	if err != nil {
		b.Fatal(err)
	}
	ca, err := serve.NewCA(set.Hosts()...)
	if err != nil {
		b.Fatal(err)
	}
	l, err := launch.NewLocal(b.Context(), launch.LocalOptions{Server: server.OpenChrome(), Package: dist, Sites: set, CA: ca})
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	kind, err := transcript.Find("mock")
	if err != nil {
		b.Fatal(err)
	}
	for _, id := range bareTasks {
		spec, err := transcript.Reader{Kind: kind}.Read(task.Source{Name: "fixtures", FS: fixtures.FS}.Folder(id))
		if err != nil {
			b.Fatal(err)
		}
		s, err := l.Launch(b.Context())
		if err == nil {
			err = s.Draw(b.Context(), web.Draw{Hosts: spec.Sites, Values: spec.Values})
		}
		if err != nil {
			b.Fatal(err)
		}
		tab := bareCall(b, s, s.Server().Opening(spec.StartURL))
		for _, c := range callsOf(b, spec.Spec) {
			c.Args = json.RawMessage(strings.ReplaceAll(string(c.Args), "{{tabId}}", tab))
			bareCall(b, s, c)
		}
		s.Close()
	}
}

var placeholder = regexp.MustCompile(`{{param\.([\w.]+)}}`)

// callsOf returns the calls of the task's transcript with the drawn values.
func callsOf(b *testing.B, spec task.Spec) (calls []adapter.Call) {
	raw, err := fixtures.FS.ReadFile(spec.ID + "/transcript.jsonl")
	if err != nil {
		b.Fatal(err)
	}
	filled := placeholder.ReplaceAllStringFunc(string(raw), func(s string) string {
		text, ok := spec.Values.Text(placeholder.FindStringSubmatch(s)[1])
		if !ok {
			b.Fatal(s, "is not drawn")
		}
		return text
	})
	for lines := json.NewDecoder(strings.NewReader(filled)); lines.More(); {
		var c adapter.Call
		if err := lines.Decode(&c); err != nil {
			b.Fatal(err)
		}
		calls = append(calls, c)
	}
	return calls
}

// bareCall calls a tool and returns the tab that its answer names, if any.
func bareCall(b *testing.B, s session.Session, c adapter.Call) string {
	b.Helper()
	r, err := s.Call(b.Context(), c)
	if err != nil {
		b.Fatal(c.Tool, err)
	}
	return r.TabID()
}
