package compare_test

import (
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/compare"
	"github.com/openchrome/bench/harness/internal/tell/report"
)

// Hints and errors are counted in the calls that both sides made alike, and decide only with -drift=strict.
func TestTurned(t *testing.T) {
	const b = "task-001"
	hint := func(rule string) func(*report.Report) {
		return of(b, func(e *report.Episode) { e.Calls[0].Hint = rule })
	}
	fails := of(b, func(e *report.Episode) { e.Calls[1].Error = true })
	void := ends(b, record.AdapterError, "-drift=strict, and the answer of step 1 changed")
	row := func(tool, hint string, base, head, step int) []compare.Turned {
		return []compare.Turned{{Task: b, Tool: tool, Hint: hint, Base: base, Head: head, Of: 3, Episode: b + "#1", Step: step}}
	}
	for name, test := range map[string]struct {
		change change
		want   []compare.Turned
		says   string // the end of the sentence
	}{
		"nothing": {func(base, head *report.Report) { hint("login")(base); hint("login")(head) }, nil, rare},
		"a hint that fires no more": {inBase(hint("login")), row("navigate", "login", 3, 0, 0),
			"; hint login of navigate fires no more in task-001 (3 to 0 of 3)"},
		"a new hint": {inHead(hint("login")), row("navigate", "login", 0, 3, 0),
			"; hint login of navigate new in task-001 (0 to 3 of 3)"},
		"an error that became none": {inBase(fails), row("fill_form", "", 3, 0, 1), "; error of fill_form gone in task-001 (3 to 0 of 3)"},
		"a changed answer ended it": {func(base, head *report.Report) { fails(base); void(base) }, row("fill_form", "", 3, 0, 1), ""},
		"the environment ended it":  {func(base, head *report.Report) { fails(base); ends(b, record.Inconclusive, "")(base) }, nil, ""},
		"after another call":        {inHead(fails, of(b, func(e *report.Episode) { e.Calls[0].Tool = "tabs" })), nil, ""},
		"another server":            {inHead(fails, func(r *report.Report) { r.Server = &record.Server{Name: "other"} }), nil, ""},
	} {
		for _, drift := range []string{record.DriftCount, record.DriftStrict} {
			base, head := steady(3), steady(3)
			base.Drift, head.Drift = drift, drift
			test.change(base, head)
			c := stored(t, base, head)
			need.Equal(t, name, test.want, c.Turned)
			if test.says != "" {
				need.Is(t, name, test.says, c.Sentence[len(c.Sentence)-len(test.says):])
			}
			breached := judged(t, "", c).Breached
			if want := drift == record.DriftStrict && test.want != nil; want != (len(breached) == 1) {
				t.Errorf("%s with -drift=%s: breached %v", name, drift, breached)
			}
		}
	}
	base, head := steady(3), steady(3)
	fails(base)
	of(b, func(e *report.Episode) { e.Calls[1].Error = e.Repetition == 2 })(head)
	turned := stored(t, base, head).Turned
	need.Is(t, "change", "less often", turned[0].Change())
	turned[0].Head = 0
	need.Is(t, "change", "gone", turned[0].Change())
}
