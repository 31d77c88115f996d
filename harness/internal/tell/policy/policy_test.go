package policy

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/stats"
	"github.com/openchrome/bench/harness/internal/text/tokens"
)

func TestOutcome(t *testing.T) {
	for _, tt := range []struct {
		name   string
		status record.Status
		end    record.End
		wrong  bool
		want   Outcome
	}{
		{"passed", record.Passed, record.EndDone, false, Passed},
		{"passed, although it gave up", record.Passed, record.EndGaveUp, false, Passed},
		{"a wrong side effect comes before done", record.Failed, record.EndDone, true, WrongSideEffect},
		{"a wrong side effect comes before giving up", record.Failed, record.EndGaveUp, true, WrongSideEffect},
		{"the intents are done", record.Failed, record.EndDone, false, Wrong},
		{"gave up", record.Failed, record.EndGaveUp, false, GaveUp},
		{"a cap", record.Failed, record.EndStepCap, false, GaveUp},
		{"no tool", record.Failed, record.EndNoTool, false, NoTool},
		{"void", record.Interrupted, record.EndNoSession, false, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			need.Is(t, "", tt.want, OutcomeOf(&record.Stop{Status: tt.status, End: tt.end}, tt.wrong))
		})
	}
}

// plan makes episodes of lines such as "forms/a@ref+check#2 side 5 100".
func plan(t *testing.T, lines string) (all []Episode) {
	t.Helper()
	short := map[string]Outcome{"pass": Passed, "side": WrongSideEffect, "wrong": Wrong, "gave": GaveUp, "no": NoTool, "void": ""}
	for line := range strings.Lines(lines) {
		f := strings.Fields(line)
		if len(f) == 0 {
			continue
		}
		family, name, _ := strings.Cut(f[0], "/")
		id, _, _ := strings.Cut(name, "#")
		e := Episode{Name: name, Family: family, Core: true, Outcome: short[f[1]], Calls: 4, Tokens: 100, Looked: 3, Found: 2}
		e.Task, e.Policy, _ = strings.Cut(id, "@")
		if strings.HasSuffix(e.Policy, Check) {
			e.Calls, e.Tokens, e.Looked, e.Found = 6, 400, 0, 0
		}
		all = append(all, e)
	}
	return all
}

func TestFigures(t *testing.T) {
	for _, tt := range []struct {
		name, plan string
		core       int
		want       *Headline
		missing    string
		lines      string
	}{
		// a: (1 + 0)/2 = 0.5, b: (1 + 1)/2 = 1, family forms 0.75; c: (0 + 1)/2, family shop 0.5
		{"a mean of means", `
			forms/a@form#1 pass
			forms/a@ref#1 side
			forms/b@form#1 pass
			forms/b@ref#1 pass
			shop/c@form#1 wrong
			shop/c@ref#1 pass`, 3,
			&Headline{Tasks: 3, Policies: 2, Success: 0.625, WrongSideEffects: 0.125, Best: "ref", Worst: "form", Interval: &stats.Interval{Low: 0.5, High: 0.75}}, "",
			"3 tasks, 2 policies: mean success of families 62.5 % (95 % interval 50.0 % to 75.0 %), wrong side effects 12.5 %; best policy ref, worst form"},
		{"repetitions are one observation", `
			forms/a@form#1 pass
			forms/a@form#2 pass
			forms/a@form#3 pass
			forms/a@form#4 gave
			forms/b@form#1 no`, 2,
			&Headline{Tasks: 2, Policies: 1, Success: 0.375, Best: "form", Worst: "form", Interval: &stats.Interval{Low: 0, High: 0.75}}, "",
			"2 tasks, 1 policy: mean success of families 37.5 % (95 % interval 0.0 % to 75.0 %), wrong side effects 0.0 %"},
		{"check minus trust", `
			forms/a@form#1 side
			forms/a@form+check#1 pass
			forms/a@ref#1 pass`, 1,
			&Headline{Tasks: 1, Policies: 3, Success: 2. / 3, WrongSideEffects: 1. / 3, Best: "form+check", Worst: "form", Check: &Price{1, -1, 2, 300}}, "",
			"1 task, 3 policies: mean success of families 66.7 %, wrong side effects 33.3 %; best policy form+check, worst form" +
				"; check minus trust: success +100.0 points, wrong side effects -100.0 points; it costs +2.0 calls and +300 tokens an episode"},
		{"a core task did not run", "forms/a@form#1 pass", 2, nil, "1 of 2 core tasks ran", "no single figure: 1 of 2 core tasks ran"},
		{"the core suite is not known", "forms/a@form#1 pass", 0, nil, "the run does not say how many core tasks there are", "no single figure: the run does not say how many core tasks there are"},
		{"void", "forms/a@form#1 void\nforms/a@ref#1 pass\nforms/a@form#2 void", 1, nil, "no episode counts of a@form",
			"no single figure: no episode counts of a@form; left out void episodes: a@form#1, a@form#2"},
		{"void, but repeated", "forms/a@form#1 void\nforms/a@form#2 pass", 1,
			&Headline{Tasks: 1, Policies: 1, Success: 1, Best: "form", Worst: "form"}, "",
			"1 task, 1 policy: mean success of families 100.0 %, wrong side effects 0.0 %; left out void episodes: a@form#1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := FiguresOf(plan(t, tt.plan), tt.core)
			if diff := cmp.Diff(tt.want, f.Headline, cmpopts.EquateApprox(0, 1e-9)); diff != "" || f.Missing != tt.missing {
				t.Errorf("missing %q, headline (-want +got):\n%s", f.Missing, diff)
			}
			need.Equal(t, "lines", tt.lines, strings.Join(f.Lines(), "; "))
			if again := FiguresOf(plan(t, tt.plan), tt.core); !cmp.Equal(f, again) {
				t.Error("the same episodes gave other figures")
			}
		})
	}
}

func TestRows(t *testing.T) {
	f := FiguresOf(plan(t, `
		forms/a@ref#1 pass
		forms/b@ref#1 no
		shop/c@ref#1 wrong
		shop/d@ref#1 void
		shop/c@form+check#1 side`), 9)
	_, rows := f.Table()
	want := [][]string{
		{"form+check", "1", "0.0 %", "100.0 %", "0 passed, 1 wrong side effect", "6.0", "400", "–", "not known"},
		{"ref", "3", "25.0 %", "0.0 %", "1 passed, 1 wrong result, 1 no tool for a step, 1 void", "4.0", "100", "6 of 9", "not known"},
	}
	need.Equal(t, "rows", want, rows)
}

// The interval of many alike tasks is near that of a binomial share.
func TestInterval(t *testing.T) {
	var b strings.Builder
	for i := range 100 {
		b.WriteString("forms/t" + string(rune('a'+i/10)) + string(rune('a'+i%10)) + "@form#1 " + map[bool]string{true: "pass", false: "gave"}[i%2 == 0] + "\n")
	}
	i := FiguresOf(plan(t, b.String()), 100).Headline.Interval
	if again := FiguresOf(plan(t, b.String()), 100).Headline.Interval; *again != *i {
		t.Errorf("the same episodes have the intervals %v and %v", *i, *again)
	}
	if math.Abs(i.Low-0.4) > 0.02 || math.Abs(i.High-0.6) > 0.02 {
		t.Errorf("%v, want about 0.4 to 0.6", *i)
	}
}

// client is an adapter that sends its whole history to a model at each turn.
type client struct {
	sent          strings.Builder // all
	plain, cached float64
	before        int // length of the turn before
}

func (c *client) turn(t *testing.T, tools []adapter.Tool, history []adapter.Step) {
	list, err := json.Marshal(tools)
	need.OK(t, err)
	text := string(list)
	for _, s := range history {
		text += s.Call.Tool + string(s.Call.Args) + s.Result.Text()
	}
	c.sent.WriteString(text)
	c.plain += float64(len(text))
	c.cached += 1.25*float64(len(text)-c.before) + 0.1*float64(c.before)
	c.before = len(text)
}

// The input tokens are what a client sends that has its whole history in each turn.
func TestInputTokens(t *testing.T) {
	list := []adapter.Tool{{Name: "fill", Description: strings.Repeat("Fills a field of the page. ", 20), InputSchema: json.RawMessage(`{"type":"object"}`)}}
	answers := []string{"Start page: Name, Street, Send", "Filled Name", "Filled Street with Hauptstraße 5", strings.Repeat("row\n", 100), "Sent"}
	raw, err := json.Marshal(list)
	need.OK(t, err)
	var c client
	b := NewInputTokens(tokens.SizeOf(string(raw)))
	var history []adapter.Step
	for i, answer := range answers {
		text, _ := json.Marshal(answer)
		step := adapter.Step{Call: adapter.Call{Tool: "fill", Args: json.RawMessage(`{"ref":"e` + string(rune('1'+i)) + `","value":"x"}`)},
			Result: adapter.NewResult(json.RawMessage(`{"content":[{"type":"text","text":` + string(text) + `}]}`))}
		history = append(history, step)
		b.Call(i, tokens.SizeOf(step.Call.Tool).Plus(tokens.SizeOf(string(step.Call.Args))), tokens.SizeOf(answer), 0)
		c.turn(t, list, history) // it reads the answer and decides what comes next
	}
	near := func(name string, got int, want float64) {
		if math.Abs(float64(got)-want) > 0.01*want {
			t.Errorf("%s: %d, the client has %.0f", name, got, want)
		}
	}
	near("bytes", b.Read.Bytes, c.plain)
	near("bytes with a cache", b.Cached.Bytes, c.cached)
	near("o200k", b.Read.O200k, float64(tokens.O200k.Of(c.sent.String())))
	near("cl100k", b.Read.Cl100k, float64(tokens.Cl100k.Of(c.sent.String())))
	if b.Calls != 4 || b.Largest != tokens.SizeOf(answers[3]) || b.Listed.Bytes != 5*len(raw) {
		t.Errorf("calls %d, largest %v, listed %v", b.Calls, b.Largest, b.Listed)
	}
	want := "4 calls, read 1.5 k (tool list 58 %), cached 670, largest answer 200"
	need.Is(t, "", want, b.String())
}

func TestLess(t *testing.T) {
	for _, tt := range []struct {
		name string
		a, b tokens.Size
		want int
	}{
		{"all less", tokens.Size{Bytes: 1, O200k: 1, Cl100k: 1}, tokens.Size{Bytes: 2, O200k: 2, Cl100k: 2}, -1},
		{"all more", tokens.Size{Bytes: 3, O200k: 3, Cl100k: 3}, tokens.Size{Bytes: 2, O200k: 2, Cl100k: 2}, 1},
		{"one disagrees", tokens.Size{Bytes: 1, O200k: 1, Cl100k: 3}, tokens.Size{Bytes: 2, O200k: 2, Cl100k: 2}, 0},
		{"one is equal", tokens.Size{Bytes: 1, O200k: 1, Cl100k: 2}, tokens.Size{Bytes: 2, O200k: 2, Cl100k: 2}, 0},
	} {
		need.Is(t, tt.name, tt.want, Less(tt.a, tt.b))
	}
}
