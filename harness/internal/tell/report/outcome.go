package report

import (
	"fmt"
	"strings"

	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// Outcome says how an episode of a policy ended; empty: it is void.
type Outcome string

// The outcomes. An episode has the first that applies.
const (
	Passed          Outcome = "passed"
	WrongSideEffect Outcome = "wrong side effect"  // a forbidden effect happened
	Wrong           Outcome = "wrong result"       // the policy was done, and the contract does not hold
	GaveUp          Outcome = "gave up"            // the policy was not done
	NoTool          Outcome = "no tool for a step" // the server's profile has no tool for an intent
)

// outcomeOf returns the outcome of an episode that ended with stop. wrong says whether a forbidden
// effect happened.
func outcomeOf(stop *record.Stop, wrong bool) Outcome {
	switch class := stop.Status.Class(); {
	case class == record.Void:
		return ""
	case class == record.Pass:
		return Passed
	case wrong:
		return WrongSideEffect
	case stop.End == record.EndDone:
		return Wrong
	case stop.End == record.EndNoTool:
		return NoTool
	}
	return GaveUp
}

// OutcomeCounts counts episodes by their outcome.
type OutcomeCounts struct {
	Passed           int `json:"passed"`
	WrongSideEffects int `json:"harmed"`
	Wrong            int `json:"saidDoneAndWrong"`
	GaveUp           int `json:"gaveUp"`
	NoTool           int `json:"notPossible"`
	Void             int `json:"void"`
}

func (c *OutcomeCounts) of(o Outcome) *int {
	switch o {
	case Passed:
		return &c.Passed
	case WrongSideEffect:
		return &c.WrongSideEffects
	case Wrong:
		return &c.Wrong
	case GaveUp:
		return &c.GaveUp
	case NoTool:
		return &c.NoTool
	}
	return &c.Void
}

// String names the outcomes that occurred, such as "8 passed, 2 wrong side effects".
func (c OutcomeCounts) String() string {
	parts := []string{fmt.Sprintf("%d %s", c.Passed, Passed)}
	for _, o := range []Outcome{WrongSideEffect, Wrong, GaveUp, NoTool} {
		switch n := *c.of(o); {
		case n > 1 && (o == WrongSideEffect || o == Wrong):
			parts = append(parts, display.Count(n, string(o)))
		case n > 0:
			parts = append(parts, fmt.Sprintf("%d %s", n, o))
		}
	}
	if c.Void > 0 {
		parts = append(parts, fmt.Sprintf("%d void", c.Void))
	}
	return strings.Join(parts, ", ")
}
