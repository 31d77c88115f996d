package compare_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/compare"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/tell/why"
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

// change is how two equal runs are made different.
type change = func(base, head *report.Report)

// inHead changes only the head, and inBase only the base.
func inHead(edits ...func(*report.Report)) change {
	return func(_, head *report.Report) {
		for _, edit := range edits {
			edit(head)
		}
	}
}

func inBase(edit func(*report.Report)) change { return func(base, _ *report.Report) { edit(base) } }

// ends lets episodes of a task end like this: those of some repetitions, or all.
func ends(task string, s record.Status, reason string, repetitions ...int) func(*report.Report) {
	return of(task, func(e *report.Episode) {
		if repetitions == nil || slices.Contains(repetitions, e.Repetition) {
			e.Status, e.Reason = s, reason
			e.Cause = map[record.Status]record.Cause{
				record.Inconclusive: record.CauseMissing, record.AdapterError: record.CauseChangedAnswer,
				record.Timeout: record.CauseTimeCap,
			}[s]
		}
	})
}

// of changes each episode of a task.
func of(task string, edit func(*report.Episode)) func(*report.Report) {
	return func(r *report.Report) { each(r, task, edit) }
}

const rare = "; a loss of one episode in ten would show in under 1 % of such comparisons"

// The sentence has the finding and what it follows from. Of stored runs, only regressions, fixes and lost tools are
// named; other changes are counted.
func TestSentence(t *testing.T) {
	const b = "task-001"
	lose, known := ends(b, record.Failed, ""), of(b, knownDefect)
	inVain := of(b, func(e *report.Episode) { e.Status, e.Calls[1].Error = record.Failed, true })
	renamed := func(r *report.Report) { r.Listed = []string{"form_fill", "navigate"} }
	built := func(commit, digest string, dirty bool) change {
		return func(base, head *report.Report) {
			base.Server, head.Server = &record.Server{Name: "openchrome", Package: "1"}, &record.Server{Name: "openchrome", Package: digest}
			base.Package, head.Package = &record.Package{Commit: "abc"}, &record.Package{Commit: commit, Dirty: dirty}
		}
	}
	const same = "no difference shown: no outcome changed in 2 tasks × 10" + rare
	const plain = "no difference shown: no outcome changed in 2 tasks × 3" + rare
	const fell = "1 task fell, 0 rose; no longer passes: task-001"
	for _, test := range []struct {
		name   string
		n      int // repetitions
		change change
		want   string
		gate   string // what becomes of regressions==0, success.drop<=0.05
	}{
		// in turns
		{"nothing", 10, inHead(), same, "kept kept"},
		{"a regression", 10, inHead(lose),
			"worse: 20 of 20 to 10 of 20 passed: " + fell, "breached breached"},
		{"a known defect that was mended", 10, inBase(known),
			"better: 10 of 20 to 20 of 20 passed: 0 tasks fell, 1 rose; passes now: task-001", "kept kept"},
		{"a known defect on both sides", 10, func(base, head *report.Report) { known(base); known(head) }, same, "kept kept"},
		{"failed on both sides", 10, func(base, head *report.Report) { lose(base); ends(b, record.Timeout, "")(head) }, same, "kept kept"},
		{"void", 10, inHead(ends(b, record.Inconclusive, "the web is gone")),
			"too few episodes to say: void episodes could change the answer; no outcome changed " +
				"in 10 pairs of 2 tasks" + rare, "unknown unknown"},
		{"one void", 10, inHead(ends(b, record.Inconclusive, "", 1)),
			"no difference shown: no outcome changed in 19 pairs of 2 tasks" + rare, "kept kept"},
		{"a regression, and one void", 10, inHead(lose, ends("task-000", record.Inconclusive, "", 1)),
			"worse: 20 of 20 to 9 of 19 passed: " + fell, "breached breached"},
		{"one of ten", 10, inHead(ends(b, record.Failed, "", 1)),
			"too few episodes to say: 20 of 20 to 19 of 20 passed (-5.0 points, 95 % interval -24.4 points " +
				"to +14.4 points): 1 task fell, 0 rose; bench:parity finds a drop of ten points in every task " +
				"with 70 repetitions of each", "kept kept"},
		{"nine of ten", 10, inHead(ends(b, record.Failed, "", 2, 3, 4, 5, 6, 7, 8, 9, 10)),
			"worse: 20 of 20 to 11 of 20 passed (-45.0 points, 95 % interval -64.4 points to -25.6 " +
				"points): 1 task fell, 0 rose; less often: task-001", "kept breached"},
		{"reworded", 10, inHead(of(b, func(e *report.Episode) { e.Calls[1].Digest = "c" })), same, "kept kept"},
		{"slower", 10, inHead(of(b, func(e *report.Episode) { e.DurationMs += 1500 })),
			"slower: no outcome changed in 2 tasks × 10" + rare + "; duration: 1 task up, 0 down", "kept kept"},
		{"faster", 10, inHead(of(b, func(e *report.Episode) { e.DurationMs /= 2 })),
			"faster: no outcome changed in 2 tasks × 10" + rare + "; duration: 0 tasks up, 1 down", "kept kept"},
		{"all void", 10, func(base, head *report.Report) {
			ends("task-000", record.Inconclusive, "")(base)
			ends(b, record.Inconclusive, "")(head)
		},
			"too few episodes to say: void episodes could change the answer; no pair of episodes counts", "unknown unknown"},
		{"two servers, of which none became better", 10, func(base, head *report.Report) {
			base.Server, head.Server = &record.Server{Name: "openchrome"}, &record.Server{Name: "Playwright"}
			lose(base)
		},
			"OpenChrome passed 10 of 20, Playwright MCP 20 of 20 (10 runs each, in turns); only OpenChrome: 0; only Playwright " +
				"MCP: 1; wrong side effects: 0 and 0; sign test p = 1, so it may be chance", "kept kept"},
		// stored
		{"stored: one repetition", 1, inHead(ends(b, record.Failed, "", 1)),
			"too few episodes to say: 2 of 2 to 1 of 2 passed: 1 task fell, 0 rose; a regression or a fix " +
				"needs 3 repetitions a side", "unknown unknown"},
		{"stored: two of three", 3, inHead(ends(b, record.Failed, "", 1, 2)),
			"may be chance: 6 of 6 to 4 of 6 passed: 1 task fell, 0 rose; bench:parity finds a drop of ten " +
				"points in every task with 108 repetitions of each", "kept unknown"},
		{"stored: a regression", 3, inHead(lose),
			"worse: 6 of 6 to 3 of 6 passed: " + fell, "breached breached"},
		{"stored: a renamed tool", 1, inHead(renamed, inVain),
			"worse: the head has no fill_form; new: form_fill; 2 of 2 to 1 of 2 passed: 1 task fell, 0 " +
				"rose; for lack of a tool: task-001", "unknown unknown"},
		{"stored: renamed back", 1, inBase(func(r *report.Report) { renamed(r); inVain(r) }),
			"better: the head has no form_fill; new: fill_form; 1 of 2 to 2 of 2 passed: 0 tasks fell, 1 " +
				"rose; for lack of a tool: task-001", "kept kept"},
		{"stored: renamed, and lost for another reason", 1, inHead(renamed, lose),
			"too few episodes to say: the head has no fill_form; new: form_fill; 2 of 2 to 1 of 2 passed: " +
				"1 task fell, 0 rose; a regression or a fix needs 3 repetitions a side", "unknown unknown"},
		{"stored: a tool that is missing in a report", 1, func(base, head *report.Report) {
			base.Listed, head.NoTools = nil, []string{"fill_form"}
			inVain(head)
		},
			"worse: the head has no fill_form; 2 of 2 to 1 of 2 passed: 1 task fell, 0 rose; for lack of a " +
				"tool: task-001", "unknown unknown"},
		{"stored: a tool that is missing on both sides", 1, func(base, head *report.Report) {
			base.Listed, base.NoTools, head.NoTools = nil, []string{"fill_form"}, []string{"fill_form"}
			inVain(head)
		},
			"too few episodes to say: 2 of 2 to 1 of 2 passed: 1 task fell, 0 rose; a regression or a fix " +
				"needs 3 repetitions a side; error of fill_form new in task-001 (0 to 1 of 1)", "unknown unknown"},
		{"stored: another server", 1, inHead(renamed, func(r *report.Report) { r.Server = &record.Server{Name: "other"} }),
			"s passed 2 of 2, other 2 of 2 (one run each); only s: 0; only other: 0; wrong side effects: 0 and 0", "kept kept"},
		{"stored: one commit, two packages", 3, built("abc", "2", false),
			"no difference shown: both name commit abc, but their dist differs, so it is not the same version; " +
				"no outcome changed in 2 tasks × 3" + rare, "kept kept"},
		{"stored: the same, and git knows of changes", 3, built("abc", "2", true), plain, "kept kept"},
		{"stored: one commit, one package", 3, built("abc", "1", false), plain, "kept kept"},
		{"stored: two commits", 3, built("def", "2", false), plain, "kept kept"},
		{"stored: an unknown package", 3, built("abc", "", false), plain, "kept kept"},
	} {
		t.Run(test.name, func(t *testing.T) {
			base, head := steady(test.n), steady(test.n)
			base.Listed, head.Listed = []string{"fill_form", "navigate"}, []string{"fill_form", "navigate"}
			test.change(base, head)
			c, err := compare.Compare(base, head, compare.Options{Interleaved: !strings.HasPrefix(test.name, "stored")})
			need.OK(t, err)
			need.Is(t, "sentence", test.want, c.Sentence)
			var became []string
			for _, rule := range []string{"regressions==0", "success.drop<=0.05"} {
				r := judged(t, rule, c)
				became = append(became, []string{"kept", "breached", "unknown"}[len(r.Breached)+2*len(r.Unknown)])
			}
			need.Is(t, "the gate", test.gate, strings.Join(became, " "))
		})
	}
}

// The tasks that both runs have are compared, and a note names the others.
func TestCommonTasks(t *testing.T) {
	base, head := steady(3), steady(3)
	for _, id := range []string{"task-002", "task-003"} {
		base.Tasks = append(base.Tasks, report.Task{Task: record.Task{ID: id}})
		base.Episodes.Add(report.Episode{TaskID: id, Repetition: 1, Status: record.Failed})
	}
	base.Totals.Planned, base.Totals.Finished = 8, 8
	c := stored(t, base, head)
	need.Is(t, "", "no difference shown: no outcome changed in 2 tasks × 3"+rare, c.Sentence)
	need.Equal(t, "notes", []string{"left out 2 tasks that only the base has: task-002, task-003"}, c.Notes)
	need.Is(t, "episodes of the base", 6, c.Base.Episodes)
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

// Two servers are no builds: the line says what only one of them passes, and how chance would do the same.
func TestServers(t *testing.T) {
	ten := func() *report.Report {
		return simulated(rand.New(rand.NewPCG(1, 1)), 1, 1, slices.Repeat([]float64{1}, 10)...)
	}
	base, head := ten(), ten()
	base.Server, head.Server = &record.Server{Name: "Playwright"}, &record.Server{Name: "openchrome"}
	for i := range 9 {
		edit(head, i, func(e *report.Episode) { e.Status = record.Failed })
	}
	edit(head, 0, func(e *report.Episode) { e.Cause, e.WrongSideEffects = record.CauseTimeCap, []string{"paid twice"} })
	base.Began, base.Host.Load = time.Date(2026, 11, 27, 9, 0, 0, 0, time.UTC), 0.5
	head.Began = base.Began.AddDate(0, 0, 1)
	const first = "Playwright MCP passed 10 of 10, OpenChrome 1 of 10 (one run each, "
	const rest = "); only Playwright MCP: 9; only OpenChrome: 0; wrong side effects: 0 and 1; sign test p = 0.0039"
	c, err := compare.Compare(base, head, compare.Options{})
	need.OK(t, err)
	need.Is(t, "stored", first+"2026-11-27 at load 0.5, 2026-11-28"+rest+"; 1 episode ended at a time limit: bench:parity decides, because its servers take turns", c.Sentence)
	need.Is(t, "in turns", first+"in turns"+rest, inTurns(t, base, head).Sentence)
	header, _, _ := c.Table()
	need.Equal(t, "header", []string{"task", "Playwright MCP passed", "OpenChrome passed"}, header[:3])
}

// Only runs that took turns have times of calls.
func TestTools(t *testing.T) {
	base, head := steady(10), steady(10)
	for i := range base.Episodes.Len() {
		edit(base, i, func(e *report.Episode) { e.Calls[1].DurationMs = 515 })
		edit(head, i, func(e *report.Episode) { e.Calls[1].DurationMs, e.Calls[0].Error = 2000, true })
	}
	for interleaved, want := range map[bool]string{
		true:  "[[fill_form 20 0 80 515 ms → 2.00 s *] [navigate 20 0 → 20 20 0 ms]]",
		false: "[[fill_form 20 0 80] [navigate 20 0 → 20 20]]",
	} {
		c, err := compare.Compare(base, head, compare.Options{Interleaved: interleaved})
		need.OK(t, err)
		_, rows := c.ToolTable()
		need.Is(t, fmt.Sprint("in turns: ", interleaved), want, fmt.Sprint(rows))
	}
}

// The most frequent causes of void episodes stand once, in the remarks.
func TestVoid(t *testing.T) {
	base, head := steady(3), steady(3)
	inHead(ends("task-000", record.Inconclusive, "the web is gone"), ends("task-001", record.Inconclusive, "the disk is full", 1))(nil, head)
	want := "r: left out void episodes, which say nothing about the server: 4 of 6 (3 × the web is gone, 1 × the disk is full)"
	need.Equal(t, "remarks", []string{want}, inTurns(t, base, head).Remarks())
}

// Wrong side effects stand beside the rate of a side and of a task.
func TestWrongSideEffectsAreShown(t *testing.T) {
	base, head := steady(10), steady(10)
	each(head, "task-001", func(e *report.Episode) { e.Status, e.WrongSideEffects = record.Failed, []string{"paid twice (a.test)"} })
	c := inTurns(t, base, head)
	need.Is(t, "head", "10 of 20 (50.0 %) passed; 10 had a wrong side effect", c.Head.Summary())
	need.Is(t, "base", "20 of 20 (100.0 %) passed", c.Base.Summary())
	_, rows, note := c.Table()
	need.Is(t, "note", "1 task without a change", note)
	need.Is(t, "rows", 1, len(rows))
	need.Has(t, rows[0].Cells[2], ", 10 had a wrong side effect")
}

// The false successes of both sides, by tool and word.
func TestUntrue(t *testing.T) {
	run := func(first, others record.Word) *report.Report {
		r := steady(2) // of two tasks
		for i := range r.Episodes.Len() {
			word := []record.Word{first, others, others, others}[i]
			edit(r, i, func(e *report.Episode) {
				e.Calls[1].Parts = []record.Part{{Word: word, Untrue: word != record.AsAsked}}[:min(len(word), 1)]
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
			"fill_form|false success: other value|0 of 4|3 of 4", "fill_form|false success: nothing|1 of 4|0 of 4",
		}, ""},
		{"the same", run(record.Nothing, record.Nothing), run(record.Nothing, record.Nothing), []string{"fill_form|false success: nothing|4 of 4|4 of 4"}, ""},
		{"none", run(record.AsAsked, record.AsAsked), run(record.AsAsked, ""), nil, "neither side has a false success or an unreported side effect, as far as the traces show"},
		{"no traces", run("", ""), run(record.Nothing, ""), nil, "false successes are not compared: one side has no traces"},
		{"no traces at all", run("", ""), run("", ""), nil, ""},
	} {
		c := stored(t, tt.base, tt.head)
		all, _ := why.CompareUntrue(tt.base, tt.head)
		var rows []string
		for _, u := range all {
			b, h := u.Sides[0], u.Sides[1]
			rows = append(rows, fmt.Sprintf("%s|%s|%d of %d|%d of %d", u.Tool, u.Word, b.N, b.Of, h.N, h.Of))
		}
		need.Equal(t, tt.name, tt.rows, rows)
		note := slices.DeleteFunc(c.Remarks(), func(s string) bool { return !strings.Contains(s, "false success") })
		need.Is(t, tt.name+": note", tt.note, strings.Join(note, "; "))
	}
}
