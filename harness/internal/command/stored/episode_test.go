package stored

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/option"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/tell/why"
)

// show prints an episode of a report without other runs beside it.
func show(t *testing.T, out string, r *report.Report, name string) string {
	t.Helper()
	var b bytes.Buffer
	need.OK(t, showEpisode(t.Context(), option.Values{Out: out, Episode: name, Stdout: &b}, r))
	return b.String()
}

// Nothing that a page, a server or a log says reaches the terminal as more than text.
func TestEpisodeIsSafe(t *testing.T) {
	const evil = "\x1b]0;x\x07\u202e\n\r\u009b31m"
	tree := judge.Explain(nil, judge.Input{}, judge.Judgement{InconclusiveReason: evil})
	call := report.Call{Step: 1, Tool: evil, Args: evil, Answer: evil, HintText: evil, Hint: evil, Failure: evil, Digest: "1"}
	answered, erred := call, call
	answered.Step, answered.Failure, erred.Step, erred.Failure, erred.Error = 2, "", 3, "", true
	passed := call
	passed.Answer, passed.Digest = evil+"x", "2"
	out := t.TempDir()
	dir := filepath.Join(out, "events", "r", "p")
	need.OK(t, os.MkdirAll(dir, 0o755))
	page := `{"title":"\u001b[31m\u202e","text":"\u001b[31m\u202e","console":["\u001b[31m\u202e\n"],"requests":["\u001b[31m"],"missing":"\u001b[31m"}`
	need.Write(t, filepath.Join(dir, "page.json"), page)
	r := &report.Report{
		RunID: evil, Adapter: evil, Drift: evil, Server: &record.Server{Name: evil, Launcher: evil}, Web: record.Web{Mode: evil},
		Package: &record.Package{Path: evil}, Options: record.Options{Tasks: evil, Sites: evil},
		Episodes: report.ListOf(
			report.Episode{Name: "x", TaskID: evil, Title: evil, Status: record.Status(evil), Reason: evil, FinalURL: evil, ServerEnded: evil,
				Tree: &tree, Calls: []report.Call{call, answered, erred}, ChangedAnswers: []report.ChangedAnswer{{Step: 1, Drift: adapter.Drift{Expected: evil, At: evil}}}, Page: "events/r/p"},
			report.Episode{Name: evil, TaskID: evil, Status: record.Passed, Success: true, Calls: []report.Call{passed}},
			report.Episode{Name: "y", TaskID: evil, Status: record.Failed, PageMissing: evil},
			report.Episode{Name: "z", TaskID: evil, Status: record.Failed, Page: "../../etc"},
		),
	}
	for _, name := range []string{"x", "y", "z", evil} {
		got := show(t, out, r, name)
		for i, c := range got {
			if c != '\n' && (c < ' ' || c == 0x7f || c >= 0x80 && c < 0xa0 || c == '\u202e') {
				t.Fatalf("%q: the screen holds %U in %q", name, c, got[max(0, i-60):i+1])
			}
		}
	}
	if got := show(t, out, r, "z"); !strings.Contains(got, "page.json cannot be read: ") {
		t.Errorf("a page outside of the run's folder:\n%s", got)
	}
	_, err := find(r, "nothing like it")
	if err == nil || strings.ContainsAny(err.Error(), "\x1b\x07\n") {
		t.Errorf("error %q", err)
	}
}

// calls makes calls from "tool answer" words.
func calls(words ...string) (all []report.Call) {
	for i, w := range words {
		tool, answer, _ := strings.Cut(w, " ")
		all = append(all, report.Call{Step: i, Tool: tool, Args: "{}", Answer: answer, Digest: answer, Error: answer == "no"})
	}
	return all
}

func TestEpisodeParts(t *testing.T) {
	long := calls()
	for i := range 40 {
		long = append(long, report.Call{Step: i, Tool: fmt.Sprintf("tool%d", i), Answer: "ok", Digest: "ok"})
	}
	wrong := append([]report.Call(nil), long...)
	wrong[20].Error, wrong[20].Answer = true, "no such button"
	tests := []struct {
		name         string
		failed, good []report.Call
		want         []string
		not          string
	}{
		{"same", calls("open a", "click b"), calls("open a", "click b"), []string{"every call and answer was the same; the page differed at the end"}, ""},
		{"answer", calls("open a", "click "+strings.Repeat("x", 300)+"bad"), calls("open a", "click "+strings.Repeat("x", 300)+"good"),
			[]string{"step 1, click, got a different answer\n", "    passed: …" + strings.Repeat("x", maxShown/4) + "good\n", "    here:   …" + strings.Repeat("x", maxShown/4) + "bad\n"}, ""},
		{"error", calls("open a", "click no"), calls("open a", "click yes"), []string{"    passed: yes\n    here:   error: no\n", ">   1 click {}  0s  the first error"}, ""},
		{"call", calls("open a", "type b"), calls("open a", "click b"), []string{"step 1 was a different call\n    passed: click {}\n    here:   type {}\n"}, ""},
		{"stopped", calls("open a"), calls("open a", "click b"), []string{"this one stopped here; the other went on with step 1: click {}"}, ""},
		{"went on", calls("open a", "click b"), calls("open a"), []string{"the other was done after step 0; this one went on with click {}"}, ""},
		{"nothing to compare", calls("open a"), nil, []string{">   0 open {}"}, "compared"},
		{"many steps", wrong, nil, []string{"    0 tool0 ", ">  20 tool20 ", "error: no such button", "   39 tool39 "}, "\n      ok"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := &report.Report{RunID: "r", Adapter: "mock", Episodes: report.ListOf(report.Episode{Name: "a#1", TaskID: "a", Status: record.Failed, Reason: "want: x", Calls: tt.failed})}
			if tt.good != nil {
				r.Episodes.Add(report.Episode{Name: "a#2", TaskID: "a", Status: record.Passed, Success: true, Calls: tt.good})
			}
			got := show(t, t.TempDir(), r, "a#1")
			for _, want := range tt.want {
				need.Has(t, got, want)
			}
			if tt.not != "" && strings.Contains(got, tt.not) {
				t.Errorf("%q in\n%s", tt.not, got)
			}
		})
	}
}

func TestAgain(t *testing.T) {
	r := &report.Report{
		Adapter: "reader", Drift: record.DriftStrict, Web: record.Web{Mode: "live"}, Server: &record.Server{Launcher: "container"},
		Package: &record.Package{Path: "../my branch"}, Options: record.Options{Tasks: "t", Sites: "s", MaxSteps: 3, MaxDurationMs: 1500},
	}
	e := &report.Episode{TaskID: "a"}
	want := "mage bench:episode -task=a '-server=container:../my branch' -adapter=reader -tasks=t -sites=s -drift=strict -web=live -maxSteps=3 -maxDuration=1.5s"
	need.Is(t, "", want, why.Again(r, e, ".")[0])
	for name, want := range map[string]string{"standin": "-server=standin", "command": "-server=COMMAND", "url": "-server=ADDRESS"} {
		if got := why.Again(&report.Report{Adapter: "mock", Drift: record.DriftCount, Server: &record.Server{Launcher: name}}, e, "."); !slices.Equal(got, []string{"mage bench:mock -task=a " + want, "mage task:try -task=a " + want}) {
			t.Errorf("%s: %q", name, got)
		}
	}
	r = &report.Report{Adapter: "policy:all", Drift: record.DriftCount, Server: &record.Server{Launcher: "standin"}}
	e = &report.Episode{TaskID: "a@ref+check", Under: record.Under{Of: "a", Policy: "ref+check"}}
	if got, want := why.Again(r, e, "."), []string{"mage bench:episode -task=a -server=standin -adapter=policy:ref+check", "mage task:try -task=a -server=standin -policy=ref+check"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
