package compare_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/compare"
	"github.com/openchrome/bench/harness/internal/tell/report"
)

// simulated returns a run of n repetitions of a task for each rate. An episode passes with
// this probability; what it needs varies at random around a value that slower multiplies.
func simulated(random *rand.Rand, n int, slower float64, rates ...float64) *report.Report {
	r := &report.Report{RunID: "r", Adapter: "llm", Server: &record.Server{Name: "s"}, Normaliser: 1}
	for i, rate := range rates {
		id := fmt.Sprintf("task-%03d", i)
		r.Tasks = append(r.Tasks, report.Task{Task: record.Task{ID: id}, Contract: json.RawMessage(`{}`)})
		for k := range n {
			e := report.Episode{Name: fmt.Sprintf("%s#%d", id, k+1), TaskID: id, Repetition: k + 1, Status: record.Failed}
			if random.Float64() < rate {
				e.Status = record.Passed
			}
			e.Steps = 3 + random.IntN(3)
			e.ToolCalls = e.Steps + 1
			e.DurationMs = slower * (1000 + 200*random.Float64())
			r.Episodes.Add(e)
		}
	}
	r.Totals = report.Totals{Planned: r.Episodes.Len(), Finished: r.Episodes.Len()}
	return r
}

func inTurns(t testing.TB, base, head *report.Report) *compare.Comparison {
	t.Helper()
	c, err := compare.Compare(base, head, compare.Options{Interleaved: true})
	need.OK(t, err)
	return c
}

func stored(t testing.TB, base, head *report.Report) *compare.Comparison {
	t.Helper()
	c, err := compare.Compare(base, head, compare.Options{})
	need.OK(t, err)
	return c
}

func judged(t testing.TB, gate string, c *compare.Comparison) compare.Result {
	t.Helper()
	g, err := compare.ParseGate(gate)
	need.OK(t, err)
	return g.Judge(c)
}

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
			each(r, task, func(e *report.Episode) { e.Status, e.Reason = s, reason; e.Cause, _ = record.CauseOf(s, reason) })
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
		finding    compare.Finding
		sentence   string
	}{
		{"nothing", nothing, nothing, compare.NoDifference, "no difference shown: no outcome changed in 20 pairs of 2 tasks"},
		{
			"a regression", nothing, status("task-001", record.Failed, ""), compare.Worse,
			"worse: 20 of 20 to 10 of 20 passed: 1 task fell; no longer passes: task-001, 10 of 10 to 0 of 10; all counted failures end in fill_form",
		},
		{
			"a fix", status("task-001", record.Timeout, ""), nothing, compare.Better,
			"better: 10 of 20 to 20 of 20 passed: 1 task rose; passes now: task-001, 0 of 10 to 10 of 10",
		},
		{
			"a known defect that was mended", known, nothing, compare.Better,
			"better: 10 of 20 to 20 of 20 passed: 1 task rose; passes now: task-001, 0 of 10 (10 known defects) to 10 of 10",
		},
		{
			"a new known defect", nothing, known, compare.Worse,
			"worse: 20 of 20 to 10 of 20 passed: 1 task fell; no longer passes: task-001, 10 of 10 to 0 of 10 (10 known defects)",
		},
		{"a known defect on both sides", known, known, compare.NoDifference, "no difference shown: no outcome changed in 20 pairs of 2 tasks"},
		{
			"another fault of the adapter", nothing, status("task-001", record.AdapterError, "no such tab"), compare.TooFew,
			"too few episodes to say: void episodes could change the answer: in the head 10 of 20 (10 × no such tab); no outcome changed in 10 pairs of 2 tasks",
		},
		{
			"void for infrastructure", nothing, status("task-001", record.Inconclusive, "the web is gone"), compare.TooFew,
			"too few episodes to say: void episodes could change the answer: in the head 10 of 20 (10 × the web is gone); no outcome changed in 10 pairs of 2 tasks",
		},
		{"one void", nothing, first(record.Inconclusive), compare.NoDifference, "no difference shown: no outcome changed in 19 pairs of 2 tasks"},
		{
			"a regression, and one void", nothing, func(r *report.Report) { status("task-001", record.Failed, "")(r); first(record.Inconclusive)(r) }, compare.Worse,
			"worse: 20 of 20 to 9 of 19 passed: 1 task fell; no longer passes: task-001, 10 of 10 to 0 of 10; all counted failures end in fill_form",
		},
		{
			"failed on both sides", status("task-001", record.Failed, ""), status("task-001", record.Timeout, ""), compare.NoDifference,
			"no difference shown: no outcome changed in 20 pairs of 2 tasks",
		},
		{
			"one of ten", nothing, first(record.Failed), compare.TooFew,
			"too few episodes to say: 20 of 20 to 19 of 20 passed (-5.0 points, 95 % interval -27.3 points to +15.5 points): 1 task fell; less often, which may be chance: task-000, 10 of 10 to 9 of 10; all counted failures end in fill_form; bench:parity finds a drop of ten points in every task with 90 repetitions of each",
		},
		{
			"nine of ten", nothing, func(r *report.Report) {
				status("task-001", record.Failed, "")(r)
				edit(r, 10, func(e *report.Episode) { e.Status = record.Passed })
			}, compare.Worse,
			"worse: 20 of 20 to 11 of 20 passed (-45.0 points, 95 % interval -68.3 points to -15.7 points): 1 task fell; less often: task-001, 10 of 10 to 1 of 10 (-90.0 points, 95 % interval ",
		},
		{
			"a reworded answer", nothing, func(r *report.Report) {
				each(r, "task-001", func(e *report.Episode) {
					e.Calls[1].Digest, e.Calls[1].Answer = "c", "Completed 5 fields"
				})
			}, compare.NoDifference, "no difference shown: no outcome changed in 20 pairs of 2 tasks; 10 answers reworded (10 of fill_form)",
		},
		{
			"slower", nothing, func(r *report.Report) { each(r, "task-001", func(e *report.Episode) { e.DurationMs += 1500 }) },
			compare.NoDifference,
			"slower: no outcome changed in 20 pairs of 2 tasks; duration up in 1 task: task-001, +1.50 s (+150.0 %, 95 % interval +1.50 s to +1.50 s, 10 pairs)",
		},
		{
			"faster", nothing, func(r *report.Report) { each(r, "task-001", func(e *report.Episode) { e.DurationMs /= 2 }) },
			compare.NoDifference,
			"faster: no outcome changed in 20 pairs of 2 tasks; duration down in 1 task: task-001, -500 ms (-50.0 %, 95 % interval -500 ms to -500 ms, 10 pairs)",
		},
		{
			"all void", status("task-000", record.Inconclusive, ""), status("task-001", record.Inconclusive, ""), compare.TooFew,
			"too few episodes to say: void episodes could change the answer: in the base 10 of 20 (10 × inconclusive); in the head 10 of 20 (10 × inconclusive); no pair of episodes counts; the base has 20 episodes, the head 20",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			base, head := steady(10), steady(10)
			test.base(base)
			test.head(head)
			c := inTurns(t, base, head)
			if c.Finding != test.finding || !strings.HasPrefix(c.Sentence, test.sentence) || c.Finding != compare.TooFew && c.Needed != 0 {
				t.Errorf("%s, needed %d: %s\nwant %s: %s", c.Finding, c.Needed, c.Sentence, test.finding, test.sentence)
			}
		})
	}
}

// Of stored runs, only regressions and fixes are shown. Other changes are counted and named, whatever they are.
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
		gate   string // what becomes of regressions==0, success.drop<=0.05
	}{
		{"nothing", 1, func(*report.Report) {}, "no difference shown: no outcome changed in 2 pairs of 2 tasks", "kept kept"},
		{
			"one repetition", 1, fail("interact", 1),
			"too few episodes to say: 2 of 2 to 1 of 2 passed: 1 task fell; less often, which may be chance: task-001, 1 of 1 to 0 of 1; all counted failures end in interact; a regression or a fix needs 3 repetitions a side",
			"unknown unknown",
		},
		{
			"a regression", 3, fail("interact", 1, 2, 3),
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
			c := stored(t, base, head)
			need.Begins(t, c.Sentence, test.want)
			var became []string
			for _, rule := range []string{"regressions==0", "success.drop<=0.05"} {
				r := judged(t, rule, c)
				became = append(became, []string{"kept", "breached", "unknown"}[len(r.Breached)+2*len(r.Unknown)])
			}
			need.Is(t, "the gate", test.gate, strings.Join(became, " "))
		})
	}
}

// A drop that no task shows alone is found over all tasks.
func TestSpreadDrop(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 9))
	c := inTurns(t, simulated(random, 20, 1, slices.Repeat([]float64{1}, 12)...), simulated(random, 20, 1, slices.Repeat([]float64{0.88}, 12)...))
	want := "worse: 240 of 240 to 2"
	if c.Finding != compare.Worse || !strings.HasPrefix(c.Sentence, want) || !strings.Contains(c.Sentence, " tasks fell; ") {
		t.Errorf("%s", c.Sentence)
	}
}

// The tasks that both runs have are compared, and the line says how many they are.
func TestCommonTasks(t *testing.T) {
	base, head := simulated(rand.New(rand.NewPCG(1, 1)), 3, 1, 1, 1, 1, 1), steady(3)
	for i, e := range base.Episodes.All() {
		e.Steps, e.ToolCalls = 2, 3
		base.Episodes.Set(i, e)
	}
	c := stored(t, base, head)
	need.Begins(t, c.Sentence, "no difference shown: no outcome changed in 6 pairs of 2 tasks; compared 2 of 4 tasks")
	if want := "left out 2 tasks that only the base has: task-002, task-003"; !slices.Contains(c.Remarks(), want) || c.Base.Episodes != 6 {
		t.Errorf("%d episodes, notes %q", c.Base.Episodes, c.Remarks())
	}
	head.Tasks[0].ID, head.Tasks[1].ID = "x", "y"
	if _, err := compare.Compare(base, head, compare.Options{}); err == nil || !strings.Contains(err.Error(), "the base has no episode") {
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
	c := stored(t, base, head)
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
	need.Equal(t, "changes", want, got)
	tools := []*compare.Tool{
		{Name: "fill_form", Compared: 2, Reworded: 1, Examples: []compare.Rewording{{Answer: compare.Answer{Base: &base.Episodes.At(2).Calls[1], Head: &head.Episodes.At(3).Calls[1]}, Episode: "task-001#1", Count: 1}}},
		{Name: "interact"},
		{Name: "navigate", Compared: 3},
	}
	need.Equal(t, "tools", tools, c.Tools, cmpopts.IgnoreUnexported(compare.Tool{}), cmpopts.IgnoreFields(compare.Tool{}, "Base", "Head", "Shift"))
	if !strings.Contains(strings.Join(c.Remarks(), "\n"), "2 episodes without a partner: 0 in the base, 2 in the head") {
		t.Errorf("remarks %q", c.Remarks())
	}
}

// ofAgent is a run of an agent whose repetitions ended like this.
func ofAgent(name, server string, ended ...record.Status) *report.Report {
	r := steady(len(ended))
	r.Adapter, r.Agent, r.Server.Name = "agent:"+name, &record.PlannedAgent{Name: name, Confinement: "none"}, server
	for i := range r.Episodes.Len() {
		edit(r, i, func(e *report.Episode) { e.Status, e.AgentSaid = ended[e.Repetition-1], &report.AgentSaid{} })
	}
	return r
}

// For agents no regression is a fact, an agent's own failure is no pass, and an outage is left out.
func TestAgents(t *testing.T) {
	const pass, fail = record.Passed, record.Failed
	base := ofAgent("x", "s", pass, pass, pass, pass)
	c := stored(t, base, ofAgent("y", "s", fail, fail, record.AdapterError, record.Inconclusive))
	need.Begins(t, c.Sentence, "may be chance: ")
	if c.Head.Lost != 6 || c.Head.Void != 2 || c.Tasks[0].Reversal != compare.NoReversal || c.Notes[0] != "the agent's name: x and y" {
		t.Errorf("%+v, reversal %q: %s, notes %q", c.Head.Counts, c.Tasks[0].Reversal, c.Sentence, c.Notes)
	}
	if r := judged(t, "regressions==0", c); len(r.Breached) > 0 || len(r.Unknown) != 1 || !strings.Contains(r.Unknown[0].Figures, "a regression is no fact") {
		t.Errorf("the gate says %+v", r)
	}
	// In turns the tests say so, without a regression.
	eight := func(s record.Status) []record.Status { return slices.Repeat([]record.Status{s}, 8) }
	c = inTurns(t, ofAgent("x", "s", eight(pass)...), ofAgent("y", "s", eight(fail)...))
	if c.Finding != compare.Worse || c.Tasks[0].Reversal != compare.NoReversal {
		t.Errorf("in turns: %+v", c)
	}
}

// Of two servers, none became better.
func TestPeers(t *testing.T) {
	base, head := steady(3), steady(3)
	base.Server, head.Server = &record.Server{Name: "openchrome"}, &record.Server{Name: "Playwright"}
	each(base, "task-000", func(e *report.Episode) { e.Status = record.Failed })
	c, err := compare.Compare(base, head, compare.Options{Base: "local", Head: "playwright-mcp", Interleaved: true})
	need.OK(t, err)
	want := "the servers differ: 3 of 6 to 6 of 6 passed: 1 task rose; Playwright MCP passes 1 task that OpenChrome does not: task-000, 0 of 3 to 3 of 3"
	if c.Finding != compare.Better || !strings.HasPrefix(c.Sentence, want) {
		t.Errorf("%s: %s\nwant %s", c.Finding, c.Sentence, want)
	}
}

// The line says what went wrong in the failures by the trace, else by changed answers or errors, else it names the
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
		c := stored(t, base, head)
		if !strings.Contains(c.Sentence, test.want) {
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
		c, err := compare.Compare(base, head, compare.Options{Interleaved: interleaved})
		need.OK(t, err)
		_, rows := c.ToolTable()
		if got := fmt.Sprint(c.Sentence, " ", rows); !strings.HasSuffix(got, want) {
			t.Errorf("interleaved %t: %s\nwant the end %s", interleaved, got, want)
		}
	}
}

// Tools that only one side lists come first, and what they lost is not put down to chance. No rule of a gate
// sees that.
func TestMissingTools(t *testing.T) {
	lose := func(r *report.Report, inVain bool) {
		each(r, "task-001", func(e *report.Episode) { e.Status, e.Calls[1].Error = record.Failed, inVain })
	}
	for _, test := range []struct {
		name       string
		change     func(base, head *report.Report)
		want       string
		unexpected string
	}{
		{
			"renamed", func(_, head *report.Report) { head.Listed = []string{"form_fill", "navigate"}; lose(head, true) },
			"worse: the head has no fill_form; new: form_fill; 2 of 2 to 1 of 2 passed: 1 task fell; less often, for lack of a tool: task-001, 1 of 1 to 0 of 1;",
			"repetitions",
		},
		{
			"renamed back", func(base, _ *report.Report) { base.Listed = []string{"form_fill", "navigate"}; lose(base, true) },
			"better: the head has no form_fill; new: fill_form; 1 of 2 to 2 of 2 passed: 1 task rose; more often, for lack of a tool in the base: task-001", "chance",
		},
		{
			"lost for another reason", func(_, head *report.Report) { head.Listed = []string{"form_fill", "navigate"}; lose(head, false) },
			"too few episodes to say: the head has no fill_form; new: form_fill; 2 of 2 to 1 of 2 passed: 1 task fell; less often, which may be chance: task-001", "lack",
		},
		{
			"stored as a report", func(base, head *report.Report) {
				base.Listed, head.NoTools = nil, []string{"fill_form"}
				lose(head, true)
			},
			"worse: the head has no fill_form; 2 of 2 to 1 of 2 passed: ", "chance",
		},
		{
			"missing on both sides", func(base, head *report.Report) {
				base.NoTools, head.NoTools = []string{"x"}, []string{"x"}
				lose(head, true)
			},
			"too few episodes to say: the head has no x; the base has no x; ", "lack",
		},
		{
			"another server", func(_, head *report.Report) {
				head.Server = &record.Server{Name: "other"}
				head.Listed = []string{"y"}
			}, "no difference shown: no outcome changed", "no fill_form",
		},
	} {
		base, head := steady(1), steady(1)
		base.Listed, head.Listed = []string{"fill_form", "navigate"}, []string{"fill_form", "navigate"}
		test.change(base, head)
		c := stored(t, base, head)
		if !strings.HasPrefix(c.Sentence, test.want) || strings.Contains(c.Sentence, test.unexpected) {
			t.Errorf("%s: %s\nwant %s and no %q", test.name, c.Sentence, test.want, test.unexpected)
		}
		if r := judged(t, "regressions==0", c); r.Breached != nil {
			t.Errorf("%s: the gate says %+v", test.name, r)
		}
	}
}

// Wrong side effects stand beside the rate of a side and of a task.
func TestWrongSideEffectsAreShown(t *testing.T) {
	base, head := steady(10), steady(10)
	each(head, "task-001", func(e *report.Episode) { e.Status, e.WrongSideEffects = record.Failed, []string{"paid twice (a.test)"} })
	c := inTurns(t, base, head)
	if got, want := c.Head.Summary(), "10 of 20 (50.0 %) passed; 10 had a wrong side effect"; got != want {
		t.Errorf("head: %s, want %s", got, want)
	}
	if got := c.Base.Summary(); strings.Contains(got, "side effect") {
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
	need.Has(t, table.String(), "0 of 10, 10 had a wrong side effect")
}

// What got better or worse of the false successes, by tool and word.
func TestUntrue(t *testing.T) {
	run := func(first, others record.Word) *report.Report {
		r := steady(2) // of two tasks
		for i := range r.Episodes.Len() {
			edit(r, i, func(e *report.Episode) {
				word := others
				if i == 0 {
					word = first
				}
				if word != "" {
					e.Calls[1].Parts = []record.Part{{Word: word, Untrue: word != record.AsAsked}}
				}
			})
		}
		return r
	}
	for _, tt := range []struct {
		name       string
		base, head *report.Report
		rows       []string
		note       string
	}{
		{"worse, and one gone", run(record.Nothing, record.AsAsked), run(record.AsAsked, record.OtherValue), []string{
			"fill_form|false success: other value|0 of 4 answers|3 of 4 answers|worse|task-000#2, step 1", "fill_form|false success: nothing|1 of 4 answers|0 of 4 answers|better|task-000#1, step 1",
		}, ""},
		{"the same", run(record.Nothing, record.Nothing), run(record.Nothing, record.Nothing), []string{"fill_form|false success: nothing|4 of 4 answers|4 of 4 answers|same|task-000#1, step 1"}, ""},
		{"none", run(record.AsAsked, record.AsAsked), run(record.AsAsked, ""), nil, "neither side has a false success or an unreported side effect, as far as the traces show"},
		{"no traces", run("", ""), run(record.Nothing, ""), nil, "false successes are not compared: the base has no traces"},
		{"no traces at all", run("", ""), run("", ""), nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := stored(t, tt.base, tt.head)
			_, cells := c.UntrueTable()
			var rows []string
			for _, row := range cells {
				rows = append(rows, strings.Join(row, "|"))
			}
			need.Equal(t, "", tt.rows, rows)
			remarks := c.Remarks()
			if i := slices.IndexFunc(remarks, func(s string) bool { return strings.Contains(s, "false success") }); i < 0 != (tt.note == "") || i >= 0 && remarks[i] != tt.note {
				t.Errorf("remarks %q, want %q", remarks, tt.note)
			}
		})
	}
}

// An excerpt shows where two answers differ.
func TestExcerpts(t *testing.T) {
	long := strings.Repeat("x", 500)
	for _, test := range []struct{ name, base, head, wantBase, wantHead string }{
		{"short", "Filled", "Completed", "Filled", "Completed"},
		{"far behind", long + "one" + long, long + "two", "…xxxxxone" + strings.Repeat("x", 11) + "…", "…xxxxxtwo"},
		{"longer", long, long + "more", "…xxxxx", "…xxxxxmore"},
		{"none", "", "", "", ""},
		{"none in the base", "", "Filled", "(no text)", "Filled"},
		{"none in the head", "Filled", "", "Filled", "(no text)"},
	} {
		base, head := compare.Excerpts(test.base, test.head, 20)
		if base != test.wantBase || head != test.wantHead {
			t.Errorf("%s: %q and %q", test.name, base, head)
		}
	}
}
