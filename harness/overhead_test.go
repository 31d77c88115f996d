package harness_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/openchrome/bench/fixtures"
	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/drive/episode"
	"github.com/openchrome/bench/harness/internal/drive/launch"
	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/read/task"
	"github.com/openchrome/bench/harness/internal/read/transcript"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/record/eventlog"
	"github.com/openchrome/bench/harness/internal/web"
	"github.com/openchrome/bench/harness/internal/web/serve"
)

// BenchmarkOverhead runs local-form-submit in pairs: once as an episode, once as
// a bare client that makes the same calls, each on a warm session of its own.
// overhead-ms is the median of the differences. It runs on the stand-in, and on
// the real OpenChrome whose dist/index.js OPENCHROME_DIST names:
//
//	go test ./harness -run '^$' -bench Overhead -benchtime 30x
func BenchmarkOverhead(b *testing.B) {
	set, err := web.Open()
	if err != nil {
		b.Fatal(err)
	}
	ca, err := serve.NewCA(set.Hosts()...)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("standin", func(b *testing.B) {
		l, err := launch.NewStandin(launch.StandinOptions{Sites: set, CA: ca})
		overhead(b, l, err)
	})
	b.Run("local", func(b *testing.B) {
		dist := os.Getenv("OPENCHROME_DIST")
		if dist == "" {
			b.Skip("OPENCHROME_DIST names no OpenChrome")
		}
		l, err := launch.NewLocal(b.Context(), launch.LocalOptions{Package: dist, Sites: set, CA: ca})
		overhead(b, l, err)
	})
}

func overhead(b *testing.B, l session.Launcher, err error) {
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	kind, err := transcript.Find("mock")
	if err != nil {
		b.Fatal(err)
	}
	spec, err := transcript.Reader{Kind: kind, Peers: peerNames}.Read(task.Source{Name: "fixtures", FS: fixtures.FS}.Folder("local-form-submit"))
	if err != nil {
		b.Fatal(err)
	}
	launch := func() session.Session {
		s, err := l.Launch(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		if err := s.Draw(b.Context(), web.Draw{Hosts: spec.Sites, Values: spec.Values}); err != nil {
			b.Fatal(err)
		}
		return s
	}
	transcript := callsOf(b, spec.Spec)
	asEpisode := func() time.Duration {
		s := launch()
		defer s.Close()
		log, err := eventlog.Create(filepath.Join(b.TempDir(), "r.jsonl"))
		if err != nil {
			b.Fatal(err)
		}
		defer log.Close()
		began := time.Now()
		stop, err := episode.Run(b.Context(), episode.Options{Task: spec.Spec, Repetition: 1, Adapter: spec.Adapter, Session: s, Emit: log.Append})
		if err != nil || stop.Status != record.Passed {
			b.Fatal(stop, err)
		}
		return time.Since(began)
	}
	asCalls := func() time.Duration {
		s := launch()
		defer s.Close()
		began := time.Now()
		tab := callOrFail(b, s, "navigate", `{"url":"`+spec.StartURL+`"}`)
		for _, c := range transcript {
			callOrFail(b, s, c.Tool, strings.ReplaceAll(string(c.Args), "{{tabId}}", tab))
		}
		return time.Since(began)
	}
	var extra []time.Duration
	for b.Loop() {
		if len(extra)%2 == 0 {
			whole := asEpisode()
			extra = append(extra, whole-asCalls())
		} else {
			bare := asCalls()
			extra = append(extra, asEpisode()-bare)
		}
	}
	slices.Sort(extra)
	b.ReportMetric(float64(extra[len(extra)/2].Microseconds())/1000, "overhead-ms")
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
		var line struct {
			Tool string
			Args json.RawMessage
		}
		if err := lines.Decode(&line); err != nil {
			b.Fatal(err)
		}
		calls = append(calls, adapter.Call{Tool: line.Tool, Args: line.Args})
	}
	return calls
}

// callOrFail calls a tool and returns the tab that its answer names, if any.
func callOrFail(b *testing.B, s session.Session, tool, args string) string {
	b.Helper()
	r, err := s.Call(context.Background(), adapter.Call{Tool: tool, Args: json.RawMessage(args)})
	if err != nil || r.IsError() {
		b.Fatal(tool, err, r.Text())
	}
	var tab struct{ TabID string }
	r.JSON(&tab)
	return tab.TabID
}
