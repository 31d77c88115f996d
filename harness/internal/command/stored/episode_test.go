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

// show prints an episode of a report.
func show(t *testing.T, out string, r *report.Report, name string) string {
	t.Helper()
	var b bytes.Buffer
	need.OK(t, showEpisode(option.Values{Out: out, Episode: name, Stdout: &b}, r))
	return b.String()
}

// Nothing that a page, a server or a log says reaches the terminal as more than text.
func TestEpisodeIsSafe(t *testing.T) {
	const evil = "\x1b]0;x\x07\u202e\n\r\u009b31m"
	tree := judge.Explain(nil, judge.Input{}, judge.Judgement{InconclusiveReason: evil})
	call := report.Call{Step: 1, Tool: evil, Args: evil, Answer: evil, HintText: evil, Hint: evil, Failure: evil, Digest: "1"}
	answered, erred := call, call
	answered.Step, answered.Failure, erred.Step, erred.Failure, erred.Error = 2, "", 3, "", true
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
			report.Episode{Name: evil, TaskID: evil, Status: record.Passed, Success: true, Calls: []report.Call{call}},
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

// Of many steps the screen shows a line each, beside the one to look at.
func TestManySteps(t *testing.T) {
	var calls []report.Call
	for i := range 40 {
		calls = append(calls, report.Call{Step: i, Tool: fmt.Sprintf("tool%d", i), Args: "{}", Answer: "ok"})
	}
	calls[20].Error, calls[20].Answer = true, "no such button"
	e := report.Episode{Name: "a#1", TaskID: "a", Status: record.Failed, Reason: "want: x", Calls: calls}
	got := show(t, t.TempDir(), &report.Report{RunID: "r", Adapter: "mock", Episodes: report.ListOf(e)}, "a#1")
	need.Has(t, got, "    0 tool0 ", ">  20 tool20 {}  0s  it is the first error", "error: no such button", "   39 tool39 ")
	if strings.Contains(got, "\n      ok") {
		t.Errorf("an answer of another step in\n%s", got)
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

// A task that ran under one policy is found by its own name, and one that ran under several is not.
func TestFindPolicy(t *testing.T) {
	under := func(of, policy string) report.Episode {
		return report.Episode{Name: of + "@" + policy + "#1", TaskID: of + "@" + policy, Under: record.Under{Of: of, Policy: policy}}
	}
	r := &report.Report{RunID: "r", Episodes: report.ListOf(under("a", "form"), under("a", "ref"), under("b", "ref"))}
	e, err := find(r, "b")
	need.OK(t, err)
	need.Is(t, "b is", "b@ref#1", e.Name)
	need.Fails(t, need.Err(find(r, "a")), `no episode "a" (these begin so: a@form#1, a@ref#1)`)
}
