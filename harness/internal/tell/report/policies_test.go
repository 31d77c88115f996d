package report_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/tell/stats"
	"github.com/openchrome/bench/harness/internal/text/tokens"
)

// policies is a log of one task under eight policies.
func policies(t *testing.T) *script {
	s := newScript("r", 8)
	start := s.events[0].Body.(*record.RunStart)
	start.Adapter, start.CoreTasks = "policy:all", 1
	start.Profile = &record.Profile{Server: "openchrome", Digest: "sha256:1", Reviewer: "not reviewed"}
	for _, p := range []struct {
		id     string
		end    record.End
		status record.Status
		wrong  string
	}{
		{"a@form#1", record.EndDone, record.Failed, "a wrong act: POST /delete"},
		{"a@form+check#1", record.EndDone, record.Passed, ""},
		{"a@ref#1", record.EndGaveUp, record.Failed, ""},
		{"a@ref+check#1", record.EndDone, record.Failed, ""},
		{"a@submit#1", record.EndNoTool, record.Failed, ""},
		{"a@submit+check#1", record.EndGaveUp, record.Failed, "a wrong act: POST /delete"},
		{"a@type#1", record.EndNoSession, record.Inconclusive, ""},
		{"a@type+check#1", record.EndStepCap, record.Failed, ""},
	} {
		id, _, _ := strings.Cut(p.id, "#")
		of, name, _ := strings.Cut(id, "@")
		s.add(p.id, "", &record.Reset{
			Task:       record.Task{ID: id, Under: record.Under{Of: of, Policy: name}, Tags: []string{"smoke", "forms"}},
			Repetition: 1, ToolSize: &tokens.Size{Bytes: 1000, O200k: 300},
		})
		s.call(p.id, 0, "navigate", `{}`, "Opened", false)
		s.call(p.id, 1, "fill_form", `{"a":1}`, "Filled 1 field", false)
		verdict := map[bool]judge.Verdict{true: judge.Pass, false: judge.Fail}[p.status == record.Passed]
		eval := &record.ContractEval{Judgement: judge.Judgement{Verdict: verdict}}
		if p.wrong != "" {
			eval.WrongSideEffects = []string{p.wrong}
		}
		s.add(p.id, "", eval)
		s.add(p.id, "", &record.Stop{Status: p.status, End: p.end, Steps: 1, Looked: 3, Found: 2, Success: json.RawMessage(success)})
	}
	s.end()
	return s
}

func TestPolicies(t *testing.T) {
	r := policies(t).report(t)
	got := map[string]report.Outcome{}
	for _, e := range r.Episodes.All() {
		got[e.Name] = e.Outcome
	}
	need.Is(t, "failed", "6 failed (2 had a wrong side effect)", r.Totals.FailedWords())
	want := map[string]report.Outcome{
		"a@form#1": report.WrongSideEffect, "a@form+check#1": report.Passed, "a@ref#1": report.GaveUp, "a@ref+check#1": report.Wrong,
		"a@submit#1": report.NoTool, "a@submit+check#1": report.WrongSideEffect, "a@type#1": "", "a@type+check#1": report.GaveUp,
	}
	need.Equal(t, "outcomes", want, got)
	f := r.Figures.Policies
	need.Equal(t, "figures", "no single figure: no episode counts of a@type; left out void episodes: a@type#1", strings.Join(f.Lines(), "; "))
	sent := tokens.SizeOf("navigate").Plus(tokens.SizeOf("{}")).Plus(tokens.SizeOf("Opened"))
	read := r.Episodes.At(0).InputTokens.Tools.Plus(sent)
	all := read.Plus(tokens.SizeOf("fill_form")).Plus(tokens.SizeOf(`{"a":1}`)).Plus(tokens.SizeOf("Filled 1 field")).Plus(read)
	if b := r.Episodes.At(0).InputTokens; b.Read != all || b.Calls != 1 || f.Rows[0].Looked != 3 || f.Rows[0].Found != 2 {
		t.Errorf("input tokens %+v, want %+v read", *b, all)
	}

	var b bytes.Buffer
	report.Canonical(&b, r)
	for text, want := range map[string]bool{`"outcome": "gave up"`: true, `"policy": "form+check"`: true, `"reviewer"`: true, `"bill"`: false} {
		if strings.Contains(b.String(), text) != want {
			t.Errorf("canonical report: %s is there: %t, want %t\n%s", text, !want, want, b.String())
		}
	}
}

// ended makes episodes of lines such as "forms/a@ref+check#2 wrong result".
func ended(lines string) (all report.Episodes) {
	for line := range strings.Lines(lines) {
		at, outcome, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok {
			continue
		}
		family, name, _ := strings.Cut(at, "/")
		id, _, _ := strings.Cut(name, "#")
		e := report.Episode{
			Name: name, Tags: []string{"core"}, Category: family, Outcome: report.Outcome(strings.TrimPrefix(outcome, "void")),
			Steps: 4, Calls: []report.Call{{AnswerTokens: 100}}, Looked: 3, Found: 2,
		}
		e.Of, e.Policy, _ = strings.Cut(id, "@")
		if strings.HasSuffix(e.Policy, "+check") {
			e.Steps, e.Calls, e.Looked, e.Found = 6, []report.Call{{AnswerTokens: 400}}, 0, 0
		}
		all.Add(e)
	}
	return all
}

func TestPolicyFigures(t *testing.T) {
	for _, tt := range []struct {
		name, plan string
		core       int
		want       *report.Headline
		missing    string
		lines      string
	}{
		// a: (1 + 0)/2 = 0.5, b: (1 + 1)/2 = 1, c: (0 + 1)/2 = 0.5
		{"a mean over tasks", `
			forms/a@form#1 passed
			forms/a@ref#1 wrong side effect
			forms/b@form#1 passed
			forms/b@ref#1 passed
			shop/c@form#1 wrong result
			shop/c@ref#1 passed`, 3,
			&report.Headline{Tasks: 3, List: "880553fc", Policies: 2, Success: 2. / 3, WrongSideEffects: 1. / 6, Best: "form", Worst: "form"}, "",
			"3 core tasks (list 880553fc), 2 policies: success 66.7 %, wrong side effects 16.7 %; best policy form, worst form"},
		{"repetitions are one observation", `
			forms/a@form#1 passed
			forms/a@form#2 passed
			forms/a@form#3 passed
			forms/a@form#4 gave up
			forms/b@form#1 no tool for a step`, 2,
			&report.Headline{Tasks: 2, List: "911169dd", Policies: 1, Success: 0.375, Best: "form", Worst: "form"}, "",
			"2 core tasks (list 911169dd), 1 policy: success 37.5 %, wrong side effects 0.0 %"},
		{"check minus trust", `
			forms/a@form#1 wrong side effect
			forms/a@form+check#1 passed
			forms/a@ref#1 passed`, 1,
			&report.Headline{Tasks: 1, List: "87428fc5", Policies: 3, Success: 2. / 3, WrongSideEffects: 1. / 3, Best: "form+check", Worst: "form", Check: &report.Price{1, -1, 2, 300}}, "",
			"1 core task (list 87428fc5), 3 policies: success 66.7 %, wrong side effects 33.3 %; best policy form+check, worst form" +
				"; check minus trust: success +100.0 points, wrong side effects -100.0 points; it costs +2.0 calls and +300 tokens an episode"},
		{"a core task did not run", "forms/a@form#1 passed", 2, nil, "1 of 2 core tasks ran", "no single figure: 1 of 2 core tasks ran"},
		{"the core suite is not known", "forms/a@form#1 passed", 0, nil, "the run does not say how many core tasks there are", "no single figure: the run does not say how many core tasks there are"},
		{"void", "forms/a@form#1 void\nforms/a@ref#1 passed\nforms/a@form#2 void", 1, nil, "no episode counts of a@form",
			"no single figure: no episode counts of a@form; left out void episodes: a@form#1, a@form#2"},
		{"void, but repeated", "forms/a@form#1 void\nforms/a@form#2 passed", 1,
			&report.Headline{Tasks: 1, List: "87428fc5", Policies: 1, Success: 1, Best: "form", Worst: "form"}, "",
			"1 core task (list 87428fc5), 1 policy: success 100.0 %, wrong side effects 0.0 %; left out void episodes: a@form#1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := report.PolicyFiguresOf(ended(tt.plan), tt.core)
			if diff := cmp.Diff(tt.want, f.Headline, cmpopts.EquateApprox(0, 1e-9)); diff != "" || f.Missing != tt.missing {
				t.Errorf("missing %q, headline (-want +got):\n%s", f.Missing, diff)
			}
			need.Equal(t, "lines", tt.lines, strings.Join(f.Lines(), "; "))
			if again := report.PolicyFiguresOf(ended(tt.plan), tt.core); !cmp.Equal(f, again) {
				t.Error("the same episodes gave other figures")
			}
		})
	}
}

func TestRows(t *testing.T) {
	f := report.PolicyFiguresOf(ended(`
		forms/a@ref#1 passed
		forms/b@ref#1 no tool for a step
		shop/c@ref#1 wrong result
		shop/d@ref#1 void
		shop/c@form+check#1 wrong side effect`), 9)
	_, rows := f.Table()
	want := [][]string{
		{"form+check", "1", "0.0 %", "100.0 %", "0 passed, 1 wrong side effect", "6.0", "400", "–", "not known"},
		{"ref", "3", "33.3 %", "0.0 %", "1 passed, 1 wrong result, 1 no tool for a step, 1 void", "4.0", "100", "6 of 9", "not known"},
	}
	need.Equal(t, "rows", want, rows)
}

// The interval of many alike tasks is near that of a binomial share.
func TestInterval(t *testing.T) {
	var b strings.Builder
	for i := range 100 {
		fmt.Fprintf(&b, "forms/t%d@form#1 %s\n", i, []string{"passed", "gave up"}[i%2])
	}
	i := report.PolicyFiguresOf(ended(b.String()), 100).Headline.Interval
	need.Equal(t, "", &stats.Interval{Low: 0.4, High: 0.6}, i, cmpopts.EquateApprox(0, 0.02))
}

// The input tokens are what a client sends that has its whole history in each turn.
func TestInputTokens(t *testing.T) {
	list := strings.Repeat("Fills a field of the page. ", 22)
	answers := []string{"Start page: Name, Street, Send", "Filled Name", "Filled Street with Hauptstraße 5", strings.Repeat("row\n", 100), "Sent"}
	b := report.NewInputTokens(tokens.SizeOf(list))
	history, sent, cost := list, "", 0.0
	for i, answer := range answers {
		call := fmt.Sprintf(`fill{"ref":"e%d","value":"x"}`, i)
		b.Call(i, tokens.SizeOf(call), tokens.SizeOf(answer), 0)
		before := len(history)
		if i == 0 { // no turn has read the list
			before = 0
		}
		history += call + answer // it reads the answer and decides what comes next
		sent += history
		cost += 1.25*float64(len(history)-before) + 0.1*float64(before)
	}
	near := cmpopts.EquateApprox(0.01, 0)
	need.Equal(t, "bytes", float64(len(sent)), float64(b.Read.Bytes), near)
	need.Equal(t, "bytes with a cache", cost, float64(b.Cached.Bytes), near)
	need.Equal(t, "o200k", float64(tokens.Of(sent)), float64(b.Read.O200k), near)
	need.Equal(t, "largest", tokens.SizeOf(answers[3]), b.Largest)
	need.Is(t, "", "4 calls, read 1.5 k (tool list 58 %), cached 670, largest answer 200", b.String())
}
