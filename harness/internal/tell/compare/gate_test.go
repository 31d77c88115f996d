package compare_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/compare"
	"github.com/openchrome/bench/harness/internal/tell/report"
)

func TestParseGateErrors(t *testing.T) {
	for gate, want := range map[string]string{
		"regressions":                    `rule 1, "regressions": want == after regressions, such as regressions==0`,
		"regressions<=0":                 "want == after regressions",
		"regressions==0,":                `rule 2, "": it is empty`,
		"changed-answers==0.5":           `the limit is "0.5", want a whole number`,
		"changed-answers==0%":            "want a whole number",
		"changed-answers==-1":            "want a whole number",
		"sucess>=0.9":                    `did you mean "success"?`,
		"regressions==0, duraton.rise<1": `rule 2, "duraton.rise<1": there is no rule "duraton.rise"; `,
		"success>=1.5":                   "want a number from 0 to 1",
		"success>=95":                    "want a number from 0 to 1, such as success>=0.95",
		"success>=NaN":                   "want a number from 0 to 1",
		"success==1":                     "want >= after success",
		"success.drop>=0":                "want <= after success.drop, such as success.drop<=0.05",
		"steps.rise<=10":                 "the limit needs a %, such as steps.rise<=10%",
		"steps.rise<=Inf%":               "want a percentage",
		"steps.rise<=x%":                 "want a percentage",
		"errors.rise<=1%":                "the rules are regressions, changed-answers, wrong-side-effects, success, success.drop, steps.rise, calls.rise, tokens.rise, duration.rise",
	} {
		_, err := compare.ParseGate(gate)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", gate, err, want)
		}
	}
}

// A rule is shown on one line, on terminals that know the control character U+0085, too.
func TestGateTextIsOneLine(t *testing.T) {
	r := judged(t, "regressions==\n0,steps.rise<=\u00855\u2028%", inTurns(t, steady(8), steady(8)))
	if want := []string{"regressions== 0", "steps.rise<= 5 %"}; !slices.Equal(r.Kept, want) {
		t.Errorf("kept %q, want %q", r.Kept, want)
	}
}

func FuzzParseGate(f *testing.F) {
	for _, seed := range []string{"", "regressions==0", "changed-answers==0,success>=95%", " steps.rise <= 1e1 %", "success.drop<=\x00", "a,b,,"} {
		f.Add(seed)
	}
	c := inTurns(f, simulated(rand.New(rand.NewPCG(1, 1)), 8, 1, 1, 0.5), simulated(rand.New(rand.NewPCG(1, 2)), 8, 1, 1, 0.5))
	f.Fuzz(func(t *testing.T, text string) {
		gate, err := compare.ParseGate(text)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "-gate: rule ") {
				t.Errorf("the error names no rule: %v", err)
			}
			return
		}
		r := gate.Judge(c)
		if n := len(r.Kept) + len(r.Breached) + len(r.Unknown); n != len(gate) {
			t.Errorf("%q: %d of %d rules were judged", text, n, len(gate))
		}
	})
}

// TestGate judges single rules on planted changes of the head.
func TestGate(t *testing.T) {
	const a, b = "task-000", "task-001"
	const void, gone, low = record.Inconclusive, "the web is gone", "task-001, 10 of 20 (50.0 %)"
	all := func(edits ...func(*report.Report)) func(*report.Report) {
		return func(r *report.Report) { inHead(edits...)(nil, r) }
	}
	half := of(b, func(e *report.Episode) {
		if e.Repetition%2 == 0 {
			e.Status = record.Failed
		}
	})
	nearly := func(r *report.Report) { // all but the first one
		for i := 2; i <= 20; i++ {
			ends(b, void, map[bool]string{true: "the disk is full", false: gone}[i == 2], i)(r)
		}
	}
	lose, voids, one, known := ends(b, record.Failed, ""), ends(b, void, ""), ends(a, void, gone, 20), of(a, knownDefect)
	more := of(b, func(e *report.Episode) { e.Steps += 2 })
	changes := of(b, func(e *report.Episode) { e.ChangedAnswers = make([]report.ChangedAnswer, 1) })
	wrong := all(lose, of(b, func(e *report.Episode) { e.WrongSideEffects = []string{"a wrong act"} }))
	const unknown = "?void episodes could change the answer"
	for _, test := range []struct {
		rule   string
		change func(*report.Report)
		want   string // the beginning of the figures of a breach, or of why it is unknown after ?; empty: it is kept
	}{
		{"regressions==0", all(), ""},
		{"regressions==0", lose, "1 regression: task-001, 20 of 20 to 0 of 20"},
		{"regressions==0", half, ""},
		{"regressions==0", voids, unknown},
		{"regressions==0", one, ""},
		{"regressions==0", nearly, ""},
		{"regressions==1", all(voids, ends(a, void, "")), unknown},
		{"regressions==3", all(voids, ends(a, void, "")), "0 regressions"},
		{"changed-answers==0", all(), ""},
		{"changed-answers==0", changes, "20 changed answers in 40 episodes of the head, in 1 task: task-001"},
		{"changed-answers==20", changes, ""},
		{"changed-answers==0", one, unknown},
		{"changed-answers==0", all(changes, one), "20 changed answers"},
		{"changed-answers==22", all(changes, one), unknown},
		{"changed-answers==19", all(changes, one), "20 changed answers"},
		{"wrong-side-effects==0", half, ""},
		{"wrong-side-effects==0", wrong, "20 episodes of the head had a wrong side effect: task-001, 20 episodes"},
		{"wrong-side-effects==20", wrong, ""},
		{"wrong-side-effects==0", one, unknown},
		{"success>=1", all(), ""},
		{"success>=0.95", one, ""},
		{"success>=1", one, unknown},
		{"success>=0.95", half, "30 of 40 (75.0 %) passed in the head: " + low},
		{"success>=0.75", half, ""},
		{"success>=0.95", all(half, one), "29 of 39 (74.4 %) passed in the head: " + low},
		{"success>=1", known, ""},
		{"success>=1", all(known, of(b, knownDefect)), "?every episode of the head is a known defect, so none could pass"},
		{"success>=1", all(known, voids), unknown},
		{"success>=0.95", all(known, half), "10 of 20 (50.0 %) passed in the head, without 20 known defects: " + low},
		{"success>=1", voids, unknown},
		{"success>=0.5", voids, ""},
		{"success>=0.95", nearly, unknown},
		{"success.drop<=0", all(), ""},
		{"success.drop<=0.05", half, "task-001, 20 of 20 to 10 of 20 (-50.0 points, 95 % interval -83.7 points to -16.3 points)"},
		{"success.drop<=0.4", half, ""},
		{"success.drop<=0.05", one, ""},
		{"success.drop<=0.05", all(half, one), "task-001, "},
		{"success.drop<=0.05", voids, unknown},
		{"success.drop<=0.05", nearly, unknown},
		{"steps.rise<=10%", more, "task-001, steps +58.3 %, 95 % interval +50.0 % to +66.7 %"},
		{"steps.rise<=500%", more, ""},
		{"calls.rise<=10%", more, ""},
		{"steps.rise<=10%", one, ""},
		{"steps.rise<=10%", all(more, one), "task-001, steps "},
		{"steps.rise<=10%", nearly, unknown},
		{"calls.rise<=10%", voids, unknown},
		{"tokens.rise<=10%", all(), "?too few pairs have the same outcome, or the base has 0 tokens; run more repetitions"},
		{"steps.rise<=10%", func(r *report.Report) {
			r.Episodes = r.Episodes.Where(func(e *report.Episode) bool { return e.Repetition <= 3 })
		}, "?too few pairs have the same outcome, or the base has 0 steps; run more repetitions"},
	} {
		base, head := simulated(rand.New(rand.NewPCG(5, 5)), 20, 1, 1, 1), simulated(rand.New(rand.NewPCG(5, 5)), 20, 1, 1, 1)
		test.change(head)
		got := ""
		switch r := judged(t, test.rule, inTurns(t, base, head)); {
		case len(r.Breached) > 0:
			got = r.Breached[0].Figures
		case len(r.Unknown) > 0:
			got = "?" + r.Unknown[0].Figures
		}
		if !strings.HasPrefix(got, test.want) || test.want == "" && got != "" {
			t.Errorf("%s: got %q, want %q", test.rule, got, test.want)
		}
	}
}

// A known defect makes no call, so it says nothing about what an episode needs.
func TestKnownDefectsHaveNoShift(t *testing.T) {
	base, head := steady(20), steady(20)
	for _, r := range []*report.Report{base, head} {
		each(r, "task-000", func(e *report.Episode) { knownDefect(e); e.Steps = 0 })
	}
	each(head, "task-001", func(e *report.Episode) { e.Steps += 2 })
	c := inTurns(t, base, head)
	if c.Tasks[0].Shifts != nil || c.Tasks[1].Shifts[compare.Steps].N != 20 {
		t.Errorf("shifts %v of the known defect, %v of the other task", c.Tasks[0].Shifts, c.Tasks[1].Shifts)
	}
	need.Has(t, judged(t, "steps.rise<=10%", c).Breached[0].Figures, "+100.0 %")
}

func knownDefect(e *report.Episode) { e.Status, e.KnownDefect = record.Failed, true }

func each(r *report.Report, task string, change func(*report.Episode)) {
	for i, e := range r.Episodes.All() {
		if e.TaskID == task {
			edit(r, i, change)
		}
	}
}

func edit(r *report.Report, i int, change func(*report.Episode)) {
	e := r.Episodes.At(i)
	change(e)
	r.Episodes.Set(i, e)
}
