package comparison_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/comparison"
	"github.com/openchrome/bench/harness/internal/tell/matching"
	"github.com/openchrome/bench/harness/internal/tell/report"
)

// steady is a run of two tasks without chance.
func steady(repetitions int) *report.Report {
	r := simulated(rand.New(rand.NewPCG(1, 1)), repetitions, 1, 1, 1)
	for i, e := range r.Episodes.All() {
		e.Steps, e.ToolCalls, e.DurationMs = 2, 3, 1000
		e.Calls = []report.Call{
			{Step: 0, Tool: "navigate", Digest: "a", Answer: "ok", AnswerTokens: 1},
			{Step: 1, Tool: "fill_form", Digest: "b", Answer: "Filled 5 fields", AnswerTokens: 4},
		}
		r.Episodes.Set(i, e)
	}
	return r
}

func TestFindings(t *testing.T) {
	status := func(task string, s record.Status, reason string) func(*report.Report) {
		return func(r *report.Report) {
			each(r, task, func(e *report.Episode) { e.Status, e.Reason = s, reason; e.Cause, _ = record.OldCause(s, reason) })
		}
	}
	first := func(s record.Status) func(*report.Report) {
		return func(r *report.Report) { edit(r, 0, func(e *report.Episode) { e.Status = s }) }
	}
	nothing := func(*report.Report) {}
	known := func(r *report.Report) { each(r, "task-001", knownDefect) }
	for _, test := range []struct {
		name       string
		base, head func(*report.Report)
		finding    comparison.Finding
		sentence   string
	}{
		{"nothing", nothing, nothing, comparison.NoDifference, "no difference shown: no outcome changed in 20 pairs of 2 tasks"},
		{
			"a flip", nothing, status("task-001", record.Failed, ""), comparison.Worse,
			"worse: 20 of 20 to 10 of 20 passed: 1 task fell; no longer passes: task-001, 10 of 10 to 0 of 10; all counted failures end in fill_form",
		},
		{
			"a flip the other way", status("task-001", record.Timeout, ""), nothing, comparison.Better,
			"better: 10 of 20 to 20 of 20 passed: 1 task rose; passes now: task-001, 0 of 10 to 10 of 10",
		},
		{
			"a known defect that was mended", known, nothing, comparison.Better,
			"better: 10 of 20 to 20 of 20 passed: 1 task rose; passes now: task-001, 0 of 10 (10 known defects) to 10 of 10",
		},
		{
			"a new known defect", nothing, known, comparison.Worse,
			"worse: 20 of 20 to 10 of 20 passed: 1 task fell; no longer passes: task-001, 10 of 10 to 0 of 10 (10 known defects)",
		},
		{"a known defect on both sides", known, known, comparison.NoDifference, "no difference shown: no outcome changed in 20 pairs of 2 tasks"},
		{
			"drift that was void, in an old report", nothing, status("task-001", record.AdapterError, record.MisfitReason(2)), comparison.Worse,
			"worse: 20 of 20 to 10 of 20 passed: 1 task fell; no longer passes: task-001, 10 of 10 to 0 of 10",
		},
		{
			"another fault of the adapter", nothing, status("task-001", record.AdapterError, "no such tab"), comparison.TooFew,
			"too few episodes to say: void episodes could change the answer: in the head 10 of 20 (10 × no such tab); no outcome changed in 10 pairs of 2 tasks",
		},
		{
			"void for infrastructure", nothing, status("task-001", record.Inconclusive, "the web is gone"), comparison.TooFew,
			"too few episodes to say: void episodes could change the answer: in the head 10 of 20 (10 × the web is gone); no outcome changed in 10 pairs of 2 tasks",
		},
		{"one void", nothing, first(record.Inconclusive), comparison.NoDifference, "no difference shown: no outcome changed in 19 pairs of 2 tasks"},
		{
			"a flip, and one void", nothing, func(r *report.Report) { status("task-001", record.Failed, "")(r); first(record.Inconclusive)(r) }, comparison.Worse,
			"worse: 20 of 20 to 9 of 19 passed: 1 task fell; no longer passes: task-001, 10 of 10 to 0 of 10; all counted failures end in fill_form",
		},
		{
			"failed on both sides", status("task-001", record.Failed, ""), status("task-001", record.Timeout, ""), comparison.NoDifference,
			"no difference shown: no outcome changed in 20 pairs of 2 tasks",
		},
		{
			"one of ten", nothing, first(record.Failed), comparison.TooFew,
			"too few episodes to say: 20 of 20 to 19 of 20 passed (-5.0 points, 95 % interval -27.3 points to +15.5 points): 1 task fell; less often, which may be chance: task-000, 10 of 10 to 9 of 10; all counted failures end in fill_form; bench:parity finds a drop of ten points in every task with 90 repetitions of each",
		},
		{
			"nine of ten", nothing, func(r *report.Report) {
				status("task-001", record.Failed, "")(r)
				edit(r, 10, func(e *report.Episode) { e.Status = record.Passed })
			}, comparison.Worse,
			"worse: 20 of 20 to 11 of 20 passed (-45.0 points, 95 % interval -68.3 points to -15.7 points): 1 task fell; less often: task-001, 10 of 10 to 1 of 10 (-90.0 points, 95 % interval ",
		},
		{
			"a reworded answer", nothing, func(r *report.Report) {
				each(r, "task-001", func(e *report.Episode) {
					e.Calls[1].Digest, e.Calls[1].Answer = "c", "Completed 5 fields"
				})
			}, comparison.NoDifference, "no difference shown: no outcome changed in 20 pairs of 2 tasks; 10 answers reworded (10 of fill_form)",
		},
		{
			"slower", nothing, func(r *report.Report) { each(r, "task-001", func(e *report.Episode) { e.DurationMs += 1500 }) },
			comparison.NoDifference,
			"slower: no outcome changed in 20 pairs of 2 tasks; duration up in 1 task: task-001, +1.50 s (+150.0 %, 95 % interval +1.50 s to +1.50 s, 10 pairs)",
		},
		{
			"faster", nothing, func(r *report.Report) { each(r, "task-001", func(e *report.Episode) { e.DurationMs /= 2 }) },
			comparison.NoDifference,
			"faster: no outcome changed in 20 pairs of 2 tasks; duration down in 1 task: task-001, -500 ms (-50.0 %, 95 % interval -500 ms to -500 ms, 10 pairs)",
		},
		{
			"all void", status("task-000", record.Inconclusive, ""), status("task-001", record.Inconclusive, ""), comparison.TooFew,
			"too few episodes to say: void episodes could change the answer: in the base 10 of 20 (10 × inconclusive); in the head 10 of 20 (10 × inconclusive); no pair of episodes counts; the base has 20 episodes, the head 20",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			base, head := steady(10), steady(10)
			test.base(base)
			test.head(head)
			c := compare(t, base, head)
			if c.Finding != test.finding || !strings.HasPrefix(c.Sentence, test.sentence) || c.Finding != comparison.TooFew && c.Needed != 0 {
				t.Errorf("%s, needed %d: %s\nwant %s: %s", c.Finding, c.Needed, c.Sentence, test.finding, test.sentence)
			}
		})
	}
}

// Of stored runs, only flips are shown. Other changes are counted and named, whatever they are.
func TestStoredFindings(t *testing.T) {
	fail := func(tool string, repetitions ...int) func(*report.Report) {
		return func(r *report.Report) {
			each(r, "task-001", func(e *report.Episode) {
				if slices.Contains(repetitions, e.Repetition) {
					e.Status, e.Calls = record.Failed, append(slices.Clone(e.Calls), report.Call{Step: 2, Tool: tool})
				}
			})
		}
	}
	for _, test := range []struct {
		name   string
		n      int
		change func(*report.Report)
		want   string
		gate   string // what becomes of flips==0, success.drop<=0.05
	}{
		{"nothing", 1, func(*report.Report) {}, "no difference shown: no outcome changed in 2 pairs of 2 tasks", "kept kept"},
		{
			"one repetition", 1, fail("interact", 1),
			"too few episodes to say: 2 of 2 to 1 of 2 passed: 1 task fell; less often, which may be chance: task-001, 1 of 1 to 0 of 1; all counted failures end in interact; a flip needs 3 repetitions a side",
			"unknown unknown",
		},
		{
			"a flip", 3, fail("interact", 1, 2, 3),
			"worse: 6 of 6 to 3 of 6 passed: 1 task fell; no longer passes: task-001, 3 of 3 to 0 of 3; all counted failures end in interact", "breached breached",
		},
		{
			"nine of ten", 10, fail("interact", 1, 2, 3, 4, 5, 6, 7, 8, 9),
			"may be chance: 20 of 20 to 11 of 20 passed: 1 task fell; less often, which may be chance: task-001, 10 of 10 to 1 of 10; all counted failures end in interact; bench:parity finds a drop of ten points in every task with 90 repetitions of each",
			"kept unknown",
		},
		{
			"two tools", 3, func(r *report.Report) { fail("interact", 1, 2)(r); fail("tabs", 3)(r) },
			"worse: 6 of 6 to 3 of 6 passed: 1 task fell; no longer passes: task-001, 3 of 3 to 0 of 3; of 3 counted failures, 2 end in interact, 1 ends in tabs", "breached breached",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			base, head := steady(test.n), steady(test.n)
			test.change(head)
			c, err := comparison.Compare(base, head, comparison.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(c.Sentence, test.want) {
				t.Errorf("%s\nwant %s", c.Sentence, test.want)
			}
			var became []string
			for _, rule := range []string{"flips==0", "success.drop<=0.05"} {
				gate, err := comparison.ParseGate(rule)
				if err != nil {
					t.Fatal(err)
				}
				r := gate.Judge(c)
				became = append(became, []string{"kept", "breached", "unknown"}[len(r.Breached)+2*len(r.Unknown)])
			}
			if got := strings.Join(became, " "); got != test.gate {
				t.Errorf("the gate: %s, want %s", got, test.gate)
			}
		})
	}
}

// A drop that no task shows alone is found over all tasks.
func TestSpreadDrop(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 9))
	c := compare(t, simulated(random, 20, 1, evenly(12, 1)...), simulated(random, 20, 1, evenly(12, 0.88)...))
	want := "worse: 240 of 240 to 2"
	if c.Finding != comparison.Worse || !strings.HasPrefix(c.Sentence, want) || !strings.Contains(c.Sentence, " tasks fell; ") {
		t.Errorf("%s", c.Sentence)
	}
}

// Two runs without an episode are not alike: nothing is known of either.
func TestRefusesNothing(t *testing.T) {
	nothing := steady(1)
	nothing.Tasks, nothing.Episodes, nothing.Totals = nil, report.Episodes{}, report.Totals{}
	_, err := comparison.Compare(nothing, nothing, comparison.Options{})
	if err == nil || !strings.Contains(err.Error(), "the base has no episode\n- the head has no episode") {
		t.Errorf("got %v", err)
	}
}

func TestRefusal(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*report.Report)
		want   []string
	}{
		{"titles and tags", func(r *report.Report) { r.Tasks[0].Title, r.Tasks[0].Tags = "x", []string{"y"} }, nil},
		{"adapter", func(r *report.Report) { r.Adapter = "mock" }, []string{"-adapter: llm in the base, mock in the head"}},
		{"path", func(r *report.Report) { r.Path = "shortest" }, []string{"path of the transcripts: oracle in the base, shortest in the head"}},
		{
			"draw", func(r *report.Report) { r.Seed, r.Tasks[0].Goal = 1, "g" },
			[]string{"-seed: 0 in the base, 1 in the head"},
		},
		{
			"private draw", func(r *report.Report) { r.SeedKey, r.Tasks[0].Goal = "9f9f5111f7b27a78", "g" },
			[]string{"-seedKey: none in the base, 9f9f5111f7b27a78 in the head"},
		},
		{"a log from before there were revisions", func(r *report.Report) { r.Tasks[0].Revision = 1 }, nil},
		{
			"revisions of all tasks", func(r *report.Report) { r.Tasks[0].Revision, r.Tasks[1].Revision = 2, 3 },
			[]string{
				"the base has no episode", "the head has no episode",
				"task task-000 is left out: revision 1 in the base, 2 in the head", "task task-001 is left out: revision 1 in the base, 3 in the head",
			},
		},
		{"drift", func(r *report.Report) { r.Drift = record.DriftCount }, []string{"-drift: strict in the base, count in the head"}},
		{"an old log was strict", func(r *report.Report) { r.Drift = record.DriftStrict }, nil},
		{
			"web", func(r *report.Report) { r.Web = record.Web{Mode: "live", Digest: "d"} },
			[]string{"-web: none in the base, live in the head", "content of the fixture web: none in the base, d in the head; run the older one again on these pages"},
		},
		{"normaliser", func(r *report.Report) { r.Normaliser = 2 }, []string{"version of the normaliser: 1 in the base, 2 in the head"}},
		{"a task more", func(r *report.Report) { r.Tasks = append(r.Tasks, report.Task{Task: record.Task{ID: "x"}}) }, nil},
		{"a task less", func(r *report.Report) { r.Tasks = r.Tasks[:1] }, nil},
		{"goal", func(r *report.Report) { r.Tasks[0].Goal = "g" }, []string{"task task-000: goal: none in the base, g in the head"}},
		{"start URL", func(r *report.Report) { r.Tasks[0].StartURL = "u" }, []string{"task task-000: start URL: none in the base, u in the head"}},
		{"caps", func(r *report.Report) { r.Tasks[0].MaxSteps, r.Tasks[0].MaxDurationMs = 1, 2 }, []string{"task task-000: step cap: 0 in the base, 1 in the head", "task task-000: time cap in ms: 0 in the base, 2 in the head"}},
		{"transcript", func(r *report.Report) { r.Tasks[0].Transcript = "t" }, []string{"task task-000: transcript: none in the base, t in the head"}},
		{"transcript of a known defect", func(r *report.Report) {
			r.Tasks[0].Transcript = "t"
			each(r, "task-000", knownDefect)
		}, nil},
		{
			"transcript of a known defect among others", func(r *report.Report) {
				r.Tasks[0].Transcript = "t"
				edit(r, 0, knownDefect)
			},
			[]string{"task task-000: transcript: none in the base, t in the head"},
		},
		{
			"transcript of another server", func(r *report.Report) {
				r.Tasks[0].Transcript, r.Subject = "t", &record.Subject{Name: "other"}
			}, nil,
		},
		{
			"contract", func(r *report.Report) { r.Tasks[1].Contract = json.RawMessage(`{"kind": "url"}`) },
			[]string{`task task-001: contract: /kind is (absent) in the base, "url" in the head`},
		},
		{"contract, written in another way", func(r *report.Report) { r.Tasks[1].Contract = json.RawMessage(`{ }`) }, nil},
		{"content", func(r *report.Report) { r.Tasks[0].Content = "c" }, []string{"task task-000: its content differs, although both have revision 1; raise the revision of the later one"}},
		{"content and what shows in the report", func(r *report.Report) { r.Tasks[0].Content, r.Tasks[0].Goal = "c", "g" }, []string{"task task-000: goal: none in the base, g in the head"}},
		{"content of an old report", func(r *report.Report) { r.Tasks[0].Content = "" }, nil},
		{"not whole", func(r *report.Report) { r.Totals.Planned++ }, []string{"the head is not whole: NOT FINISHED: 0 passed, 0 failed, 0 void of 5, 0 interrupted, 1 not run"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			head := steady(2)
			base := steady(2)
			base.Tasks[0].Content, head.Tasks[0].Content = "b", "b"
			test.change(head)
			_, err := comparison.Compare(base, head, comparison.Options{})
			refusal, _ := errors.AsType[*matching.Refusal](err)
			var got []string
			if refusal != nil {
				got = refusal.Reasons
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("reasons (-want +got):\n%s", diff)
			}
		})
	}
}

// Another confinement is a note and no refusal: it does not change what a server does.
func TestConfinementDiffers(t *testing.T) {
	base, head := steady(2), steady(2)
	base.Subject = &record.Subject{Name: "s", Confinement: "namespaces and Landlock 7"}
	head.Subject = &record.Subject{Name: "s", Confinement: "Landlock 7 and seccomp"}
	want := "the confinement differs: namespaces and Landlock 7 in the base, Landlock 7 and seccomp in the head"
	if c := compare(t, base, head); !slices.Contains(c.Notes, want) {
		t.Errorf("notes %q, want %s", c.Notes, want)
	}
}

// A report of a private draw does not show goals and contracts, so only the digests of the
// tasks say that they are equal.
func TestPrivateTasks(t *testing.T) {
	private := func(content string) *report.Report {
		r := steady(2)
		r.SeedKey = "9f9f5111f7b27a78"
		for i := range r.Tasks {
			r.Tasks[i].Content = content
		}
		return r
	}
	if c := compare(t, private("a"), private("a")); c.NoTokens != "the draw is private" {
		t.Errorf("tokens are not compared: %q", c.NoTokens)
	}
	for _, head := range []string{"", "b"} {
		_, err := comparison.Compare(private("a"), private(head), comparison.Options{})
		if _, ok := errors.AsType[*matching.Refusal](err); !ok {
			t.Errorf("digests a and %q: got %v, want a refusal", head, err)
		}
	}
	if _, err := comparison.Compare(private(""), private(""), comparison.Options{}); err == nil {
		t.Error("tasks without digests were compared")
	}
}

// Results of different revisions are never paired, and count nowhere.
func TestRevisions(t *testing.T) {
	base, head := steady(10), steady(10)
	head.Tasks[1].Revision, head.Tasks[1].Goal = 2, "another"
	each(head, "task-001", func(e *report.Episode) { e.Status = record.Failed })
	c := compare(t, base, head)
	if c.Finding != comparison.NoDifference || len(c.Tasks) != 1 || c.Pairs != 10 || c.Head.Passed != 10 || c.Head.Lost != 0 {
		t.Errorf("%s: %d tasks, %d pairs, %+v", c.Sentence, len(c.Tasks), c.Pairs, c.Head.Counts)
	}
	if want := "task task-001 is left out: revision 1 in the base, 2 in the head"; c.Notes[0] != want {
		t.Errorf("notes %q, want %s", c.Notes, want)
	}
}

// The tasks that both runs have are compared, and the line says how many they are.
func TestCommonTasks(t *testing.T) {
	base, head := simulated(rand.New(rand.NewPCG(1, 1)), 3, 1, 1, 1, 1, 1), steady(3)
	for i, e := range base.Episodes.All() {
		e.Steps, e.ToolCalls = 2, 3
		base.Episodes.Set(i, e)
	}
	c, err := comparison.Compare(base, head, comparison.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if want := "no difference shown: no outcome changed in 6 pairs of 2 tasks; compared 2 of 4 tasks"; !strings.HasPrefix(c.Sentence, want) {
		t.Errorf("%s\nwant %s", c.Sentence, want)
	}
	if want := "left out 2 tasks that only the base has: task-002, task-003"; !slices.Contains(c.Notes, want) || c.Base.Episodes != 6 {
		t.Errorf("%d episodes, notes %q", c.Base.Episodes, c.Notes)
	}
	head.Tasks[0].ID, head.Tasks[1].ID = "x", "y"
	if _, err = comparison.Compare(base, head, comparison.Options{}); err == nil || !strings.Contains(err.Error(), "the base has no episode") {
		t.Errorf("no common task: %v", err)
	}
}

func TestPairs(t *testing.T) {
	base, head := steady(2), steady(3)
	edit(head, 1, func(e *report.Episode) {
		e.Status, e.Reason, e.Steps, e.OpenchromeErrors = record.Failed, "no luck", 3, 1
		e.Hints = []report.HintCount{{Rule: "wait", Count: 2}}
		e.Calls[0].Error = true
		e.Calls[1].Digest, e.Calls[1].AnswerTokens = "c", 6
	})
	edit(head, 3, func(e *report.Episode) { e.Calls[1].Digest = "d" })
	edit(head, 4, func(e *report.Episode) { e.Calls[1].Tool = "interact" })
	c, err := comparison.Compare(base, head, comparison.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range c.Episodes {
		for _, ch := range p.Changes {
			got = append(got, fmt.Sprintf("%s: %s: %s -> %s", p.Name, ch.What, ch.Base, ch.Head))
		}
		for _, a := range p.Answers {
			got = append(got, fmt.Sprintf("%s: %s: %s -> %s", p.Name, a.Base.Tool, a.Base.Digest, a.Head.Digest))
		}
	}
	want := []string{
		"task-000#2: status: passed -> failed",
		"task-000#2: why it did not pass:  -> no luck",
		"task-000#2: steps: 2 -> 3",
		"task-000#2: errors: 0 -> 1",
		"task-000#2: hints:  -> wait (2)",
		"task-000#2: tokens: 5 -> 7",
		"task-000#2: answer of navigate at step 0: no error -> an error",
		"task-000#2: fill_form: b -> c",
		"task-001#1: fill_form: b -> d",
		"task-001#2: call at step 1: fill_form -> interact",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
	tools := []comparison.Tool{
		{Name: "fill_form", Compared: 2, Reworded: 1, Examples: []comparison.Rewording{{Answer: comparison.Answer{Base: &base.Episodes.At(2).Calls[1], Head: &head.Episodes.At(3).Calls[1]}, Episode: "task-001#1", Count: 1}}},
		{Name: "interact"},
		{Name: "navigate", Compared: 3},
	}
	if diff := cmp.Diff(tools, c.Tools, cmpopts.IgnoreUnexported(comparison.Tool{}), cmpopts.IgnoreFields(comparison.Tool{}, "Base", "Head", "Shift")); diff != "" {
		t.Errorf("tools (-want +got):\n%s", diff)
	}
	if !strings.Contains(strings.Join(c.Remarks(), "\n"), "2 episodes without a partner: 0 in the base, 2 in the head") {
		t.Errorf("remarks %q", c.Remarks())
	}
}

// Of two servers, none became better.
func TestPeers(t *testing.T) {
	base, head := steady(3), steady(3)
	base.Subject, head.Subject = &record.Subject{Name: "openchrome"}, &record.Subject{Name: "Playwright"}
	each(base, "task-000", func(e *report.Episode) { e.Status = record.Failed })
	c, err := comparison.Compare(base, head, comparison.Options{Base: "local", Head: "playwright-mcp", Interleaved: true})
	if err != nil {
		t.Fatal(err)
	}
	want := "the servers differ: 3 of 6 to 6 of 6 passed: 1 task rose; Playwright MCP passes 1 task that OpenChrome does not: task-000, 0 of 3 to 3 of 3"
	if c.Finding != comparison.Better || !strings.HasPrefix(c.Sentence, want) {
		t.Errorf("%s: %s\nwant %s", c.Finding, c.Sentence, want)
	}
}

// The line says what went wrong in the failures by the trace, else by drift or errors, else it names the
// last call.
func TestWentWrong(t *testing.T) {
	asked := record.Part{Word: record.Nothing, Untrue: true}
	unsent := []record.Missed{{Kind: record.MissedUnsent}}
	for _, test := range []struct {
		name   string
		change func(*report.Episode)
		want   string
	}{
		{"nothing known", func(e *report.Episode) {}, "all counted failures end in read_page"},
		{"an error", func(e *report.Episode) { e.Calls[0].Error = true }, "all counted failures come from fill_form"},
		{"a trace", func(e *report.Episode) {
			e.Missed, e.Calls[0].Parts = unsent, []record.Part{asked}
			e.Tree = &judge.Node{Kind: "network", Verdict: judge.Fail}
		}, `all counted failures come from fill_form: the page got "nothing"`},
	} {
		base, head := steady(3), steady(3)
		each(head, "task-000", func(e *report.Episode) {
			e.Status, e.Calls = record.Failed, []report.Call{{Tool: "fill_form"}, {Tool: "read_page"}}
			test.change(e)
		})
		c, err := comparison.Compare(base, head, comparison.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(c.Sentence, test.want) {
			t.Errorf("%s: %s", test.name, c.Sentence)
		}
	}
}

// Two builds that name one commit are not the same version if their packages differ.
func TestOtherBuild(t *testing.T) {
	const says = "both name commit abc, but their dist differs, so it is not the same version; "
	for _, test := range []struct {
		name, commit, digest string
		dirty, want          bool
	}{
		{"same commit, other dist", "abc", "sha256:2", false, true},
		{"same commit, other dist, and git knows of changes", "abc", "sha256:2", true, false},
		{"same commit, same dist", "abc", "sha256:1", false, false},
		{"other commit", "def", "sha256:2", false, false},
		{"unknown digest", "abc", "", false, false},
	} {
		base, head := steady(3), steady(3)
		base.Subject = &record.Subject{Name: "openchrome", Package: "sha256:1"}
		head.Subject = &record.Subject{Name: "openchrome", Package: test.digest}
		base.Package, head.Package = &record.Package{Commit: "abc"}, &record.Package{Commit: test.commit, Dirty: test.dirty}
		c, err := comparison.Compare(base, head, comparison.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.HasPrefix(c.Figures, says); got != test.want {
			t.Errorf("%s: %s", test.name, c.Sentence)
		}
	}
}

// The line and the table say what changed in the calls of a tool. Only runs that took turns have
// times.
func TestTools(t *testing.T) {
	base, head := steady(10), steady(10)
	for i, e := range base.Episodes.All() {
		e.Calls[1].DurationMs = 515
		base.Episodes.Set(i, e)
	}
	for i, e := range head.Episodes.All() {
		e.Calls[1].DurationMs, e.Calls[0].Error = 2000, true
		head.Episodes.Set(i, e)
	}
	for interleaved, want := range map[bool]string{
		true:  "fill_form 515 ms to 2.00 s, 20 calls; navigate 0 to 20 errors, 20 calls [[fill_form 20 0 80 515 ms → 2.00 s *] [navigate 20 0 → 20 20 0 ms]]",
		false: "20 pairs of 2 tasks; navigate 0 to 20 errors, 20 calls [[fill_form 20 0 80] [navigate 20 0 → 20 20]]",
	} {
		c, err := comparison.Compare(base, head, comparison.Options{Interleaved: interleaved})
		if err != nil {
			t.Fatal(err)
		}
		_, rows := c.ToolTable()
		if got := fmt.Sprint(c.Sentence, " ", rows); !strings.HasSuffix(got, want) {
			t.Errorf("interleaved %t: %s\nwant the end %s", interleaved, got, want)
		}
	}
}

// A canonical report lists equal repetitions once, in any order. It has no tokens, no
// times and no texts.
func TestCanonicalBase(t *testing.T) {
	head := steady(4)
	for i, e := range head.Episodes.All() {
		e.Digest = "even"
		if e.Repetition%2 == 1 {
			e.Digest, e.Status = "odd", record.Failed
		}
		head.Episodes.Set(i, e)
	}
	head.SchemaVersion = report.SchemaVersion
	var b bytes.Buffer
	if err := report.Canonical(&b, head); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "base.canonical.json")
	if err := os.WriteFile(name, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	base, err := report.Read(name)
	if err != nil {
		t.Fatal(err)
	}
	c := compare(t, base, head)
	if want := "no difference shown: no outcome changed in 8 pairs of 2 tasks"; c.Sentence != want || len(c.Episodes) > 0 {
		t.Errorf("%s; changed %v\nwant %s", c.Sentence, c.Episodes, want)
	}
	if c.NoTokens == "" || c.NoDurations == "" {
		t.Error("tokens or durations are compared")
	}
}

// Harm stands beside the rate of a side and of a task.
func TestHarmIsShown(t *testing.T) {
	base, head := steady(10), steady(10)
	each(head, "task-001", func(e *report.Episode) { e.Status, e.Harm = record.Failed, []string{"paid twice (a.test)"} })
	c := compare(t, base, head)
	if got, want := c.Head.Summary(), "10 of 20 (50.0 %) passed; 10 did harm"; got != want {
		t.Errorf("head: %s, want %s", got, want)
	}
	if got := c.Base.Summary(); strings.Contains(got, "harm") {
		t.Errorf("base: %s", got)
	}
	var table strings.Builder
	_, rows, note := c.Table()
	for _, row := range rows {
		fmt.Fprintln(&table, row.Cells)
	}
	if len(rows) != 1 || note != "1 task without a change" {
		t.Errorf("%d rows, %q", len(rows), note)
	}
	if !strings.Contains(table.String(), "0 of 10, 10 did harm") {
		t.Errorf("table:\n%s", table.String())
	}
}
