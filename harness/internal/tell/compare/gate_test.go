package compare_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

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

// TestGate judges single rules on planted changes.
func TestGate(t *testing.T) {
	type change = func(*report.Report)
	to := func(task string, one func(*report.Episode)) change {
		return func(r *report.Report) { each(r, task, one) }
	}
	and := func(changes ...change) change {
		return func(r *report.Report) {
			for _, c := range changes {
				c(r)
			}
		}
	}
	ends := func(s record.Status, why string) func(*report.Episode) {
		return func(e *report.Episode) { e.Status, e.Reason = s, why }
	}
	failed, void, gone := ends(record.Failed, ""), ends(record.Inconclusive, ""), ends(record.Inconclusive, "the web is gone")
	nothing, lose, voids := and(), to("task-001", failed), to("task-001", void)
	all := and(voids, to("task-000", void))
	half := to("task-001", func(e *report.Episode) {
		if e.Repetition%2 == 0 {
			failed(e)
		}
	})
	nearly := to("task-001", func(e *report.Episode) { // all but the first one
		if e.Repetition > 1 {
			gone(e)
		}
		if e.Repetition == 2 {
			e.Reason = "the disk is full"
		}
	})
	more := to("task-001", func(e *report.Episode) { e.Steps += 2 })
	changes := to("task-001", func(e *report.Episode) { e.ChangedAnswers = make([]report.ChangedAnswer, 1) })
	wrong := and(lose, to("task-001", func(e *report.Episode) { e.WrongSideEffects = []string{"a wrong act"} }))
	known := to("task-000", knownDefect)
	both, every := and(known, half), and(known, to("task-001", knownDefect))
	one := func(r *report.Report) { edit(r, 20, gone) }
	halfAndOne := and(half, func(r *report.Report) { edit(r, 0, gone) })
	changesAndOne, moreAndOne := and(changes, one), and(more, one)
	for _, test := range []struct {
		name, rule string
		change     func(*report.Report)
		breach     string // the beginning of the figures
		unknown    string
	}{
		{"nothing", "regressions==0", nothing, "", ""},
		{"lost", "regressions==0", lose, "1 regression: task-001, 20 of 20 to 0 of 20", ""},
		{"half lost", "regressions==0", half, "", ""},
		{"void", "regressions==0", voids, "", "void episodes could change the answer: in the head 20 of 40 (20 × inconclusive)"},
		{"one void", "regressions==0", one, "", ""},
		{"one void", "success>=0.95", one, "", ""},
		{"one void", "success>=1", one, "", "void episodes could change the answer: in the head 1 of 40 (1 × the web is gone)"},
		{"one void", "success.drop<=0.05", one, "", ""},
		{"one void", "steps.rise<=10%", one, "", ""},
		{"one void", "changed-answers==0", one, "", "void episodes could change the answer: in the head 1 of 40 (1 × the web is gone)"},
		{"half lost and one void", "success>=0.95", halfAndOne, "29 of 39 (74.4 %) passed in the head: task-001, 10 of 20 (50.0 %)", ""},
		{"half lost and one void", "success.drop<=0.05", halfAndOne, "task-001, ", ""},
		{"changed answers and one void", "changed-answers==0", changesAndOne, "20 changed answers", ""},
		{"all void", "regressions==1", all, "", "void episodes could change the answer: in the head 40 of 40 (40 × inconclusive)"},
		{"all void", "regressions==3", all, "0 regressions", ""},
		{"changed answers and one void", "changed-answers==22", changesAndOne, "", "void episodes could change the answer: in the head 1 of 40 (1 × the web is gone)"},
		{"changed answers and one void", "changed-answers==19", changesAndOne, "20 changed answers", ""},
		{"drifts", "changed-answers==20", changes, "", ""},
		{"more steps and one void", "steps.rise<=10%", moreAndOne, "task-001, steps ", ""},
		{"nearly all void", "regressions==0", nearly, "", ""},
		{"nearly all void", "success>=0.95", nearly, "", "void episodes could change the answer: in the head 19 of 40 (18 × the web is gone, 1 × the disk is full)"},
		{"nearly all void", "success.drop<=0.05", nearly, "", "void episodes could change the answer: in the head 19 of 40 "},
		{"nearly all void", "steps.rise<=10%", nearly, "", "void episodes could change the answer: in the head 19 of 40 "},
		{"nothing", "changed-answers==0", nothing, "", ""},
		{"drifts", "changed-answers==0", changes, "20 changed answers in 40 episodes of the head, in 1 task: task-001", ""},
		{"nothing", "wrong-side-effects==0", nothing, "", ""},
		{"failed without one", "wrong-side-effects==0", half, "", ""},
		{"a wrong side effect", "wrong-side-effects==0", wrong, "20 episodes of the head had a wrong side effect: task-001, 20 episodes", ""},
		{"a wrong side effect", "wrong-side-effects==20", wrong, "", ""},
		{"one void", "wrong-side-effects==0", one, "", "void episodes could change the answer: in the head 1 of 40 (1 × the web is gone)"},
		{"nothing", "success>=1", nothing, "", ""},
		{"half lost", "success>=0.95", half, "30 of 40 (75.0 %) passed in the head: task-001, 10 of 20 (50.0 %)", ""},
		{"half lost", "success>=0.75", half, "", ""},
		{"known defects", "success>=1", known, "", ""},
		{"only known defects", "success>=1", every, "", "every episode of the head is a known defect, so none could pass"},
		{"known defects and half lost", "success>=0.95", both, "10 of 20 (50.0 %) passed in the head, without 20 known defects: task-001, 10 of 20 (50.0 %)", ""},
		{"void", "success>=1", voids, "", "void episodes could change the answer: in the head 20 of 40 (20 × inconclusive)"},
		{"void", "success>=0.5", voids, "", ""},
		{"void", "changed-answers==0", voids, "", "void episodes could change the answer: in the head 20 of 40 (20 × inconclusive)"},
		{"void", "success.drop<=0.05", voids, "", "void episodes could change the answer: in the head 20 of 40 (20 × inconclusive)"},
		{"void", "calls.rise<=10%", voids, "", "void episodes could change the answer: in the head 20 of 40 (20 × inconclusive)"},
		{"half lost", "success.drop<=0.05", half, "task-001, 20 of 20 to 10 of 20 (-50.0 points, 95 % interval -7", ""},
		{"half lost", "success.drop<=0.4", half, "", ""},
		{"nothing", "success.drop<=0", nothing, "", ""},
		{"more steps", "steps.rise<=10%", more, "task-001, steps +58.3 %, 95 % interval +50.0 % to +66.7 %", ""},
		{"more steps", "steps.rise<=500%", more, "", ""},
		{"more steps", "calls.rise<=10%", more, "", ""},
		{"no tokens", "tokens.rise<=10%", nothing, "", "the base has pairs with 0 tokens, so a rise in percent cannot be computed"},
		{
			"few pairs", "steps.rise<=10%", func(r *report.Report) {
				r.Episodes = r.Episodes.Where(func(e *report.Episode) bool { return e.Repetition <= 3 })
			},
			"", "6 pairs with the same outcome, and an interval needs 7",
		},
	} {
		t.Run(test.name+" "+test.rule, func(t *testing.T) {
			base := simulated(rand.New(rand.NewPCG(5, 5)), 20, 1, 1, 1)
			head := simulated(rand.New(rand.NewPCG(5, 5)), 20, 1, 1, 1)
			test.change(head)
			r := judged(t, test.rule, inTurns(t, base, head))
			breach, unknown := "", ""
			if len(r.Breached) > 0 {
				breach = r.Breached[0].Figures
			}
			if len(r.Unknown) > 0 {
				unknown = r.Unknown[0].Figures
			}
			if !strings.HasPrefix(breach, test.breach) || test.breach == "" && breach != "" {
				t.Errorf("breach %q, want %q", breach, test.breach)
			}
			if breach == "" && unknown == "" && len(r.Kept) != 1 {
				t.Errorf("kept %q", r.Kept)
			}
			if !strings.HasPrefix(unknown, test.unknown) || test.unknown == "" && unknown != "" {
				t.Errorf("unknown %q, want %q", unknown, test.unknown)
			}
		})
	}
}

// A known defect makes no call, so it says nothing about what an episode needs.
func TestKnownDefectsHaveNoShift(t *testing.T) {
	base, head := simulated(rand.New(rand.NewPCG(5, 5)), 20, 1, 1, 1, 1), simulated(rand.New(rand.NewPCG(5, 5)), 20, 1, 1, 1, 1)
	for _, r := range []*report.Report{base, head} {
		each(r, "task-000", func(e *report.Episode) { knownDefect(e); e.Steps = 0 })
	}
	each(head, "task-001", func(e *report.Episode) { e.Steps += 2 })
	each(head, "task-002", func(e *report.Episode) { e.Steps += 2 })
	c := inTurns(t, base, head)
	if len(c.Tasks[0].Shifts) != 0 || c.Shifts[compare.Steps].N != 40 || c.Shifts[compare.Steps].Relative.Value == 0 {
		t.Errorf("shifts %v of the known defect, %v of all", c.Tasks[0].Shifts, c.Shifts)
	}
	if r := judged(t, "steps.rise<=10%", c); len(r.Breached) != 1 {
		t.Errorf("the gate says %v", r)
	}
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
