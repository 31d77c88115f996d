package report_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/text/tokens"
)

// repeated is a run of one task, whose repetitions 1, 2 and 4 are equal.
func repeated(t *testing.T) *script {
	s := newScript("r", 4)
	for n := range 4 {
		name := s.begin("a", n+1)
		text := "Example Domain"
		if n == 2 {
			text = "another answer"
		}
		s.call(name, 0, "navigate", `{"url":"https://example.com/"}`, text, false)
		s.judge(t, name, "Example Domain")
		s.stop(name, record.Passed, 1)
	}
	s.end()
	return s
}

// A canonical report holds equal repetitions once, a field a line.
func TestCanonicalRepetitions(t *testing.T) {
	r := repeated(t).report(t)
	var b bytes.Buffer
	need.OK(t, report.Canonical(&b, r))
	for text, want := range map[string]int{
		`"repetitions": "1-2,4",` + "\n": 1, `"repetitions": "3",` + "\n": 1, "\n      \"status\": \"passed\",\n": 2,
		`"durationMs"`: 0, "Tokens": 0,
	} {
		need.Is(t, fmt.Sprintf("%q is there", text), want, strings.Count(b.String(), text))
	}
}

func TestCanonicalIsTheSameForTheSame(t *testing.T) {
	canonical := func(r *report.Report) string {
		var b bytes.Buffer
		need.OK(t, report.Canonical(&b, r))
		if !json.Valid(b.Bytes()) {
			t.Fatalf("not JSON: %s", b.String())
		}
		return b.String()
	}
	of := func(runID, tab, pkg string) *report.Report {
		s := run(t, runID, tab)
		s.events[0].TS = s.events[0].TS.Add(-time.Duration(len(runID)) * time.Hour)
		s.events[0].Body.(*record.RunStart).Host.Load = float64(len(runID))
		for _, e := range s.events {
			if b, ok := e.Body.(*record.Reset); ok { // a new comment in the package changes no episode
				b.Server.Package, b.Server.Image = pkg, pkg
				b.ToolSize = &tokens.Size{Bytes: len(runID)}
			}
		}
		return s.report(t)
	}
	a, b := of("one", tabA, "sha256:1"), of("second", tabB, "sha256:2")
	need.Is(t, "the later run began", true, b.Began.Before(a.Began))
	need.Is(t, "the package in the report", "sha256:2", b.Server.Package)
	need.Equal(t, "calls", a.Episodes.At(0).Calls, b.Episodes.At(0).Calls)
	need.Is(t, "the answer", "[page_stats]\n  [node]<h1/>Nope", a.Episodes.At(0).Calls[1].Answer)
	edit := func(r *report.Report, i int, change func(*report.Episode)) {
		e := r.Episodes.At(i)
		change(e)
		r.Episodes.Set(i, e)
	}
	b.Host.CPUs = 64
	edit(b, 0, func(e *report.Episode) {
		e.DurationMs, e.Hints = 99, []report.HintCount{{Rule: "slow-page-warning", Count: 1}}
	})
	if diff := cmp.Diff(canonical(a), canonical(b)); diff != "" {
		t.Errorf("mismatch (-a +b):\n%s", diff)
	}
	if a.Digest != b.Digest || !strings.HasPrefix(a.Digest, "sha256:") {
		t.Errorf("digests %s and %s", a.Digest, b.Digest)
	}
	// And different for what differs.
	for name, change := range map[string]func(*report.Report){
		"status":   func(r *report.Report) { edit(r, 0, func(e *report.Episode) { e.Status = record.Timeout }) },
		"events":   func(r *report.Report) { edit(r, 0, func(e *report.Episode) { e.Digest = "sha256:0" }) },
		"seed":     func(r *report.Report) { r.Seed = 3 },
		"revision": func(r *report.Report) { r.Tasks[0].Revision = 2 },
		"server":   func(r *report.Report) { r.Server.Version = "2" },
		"url":      func(r *report.Report) { edit(r, 1, func(e *report.Episode) { e.FinalURL = "https://example.com/2" }) },
	} {
		c := of("three", tabA, "sha256:1")
		change(c)
		if canonical(c) == canonical(a) {
			t.Errorf("%s: a difference is not in the canonical report", name)
		}
	}
}
