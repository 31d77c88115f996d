// Package policy adds up the episodes of policies: how they ended, the figures of a server, and what
// a model would have had to read. It knows only numbers and words, and no report.
package policy

import (
	"fmt"
	"math"
	"strings"

	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// Adapter is how the name of an adapter begins that carries out intents by policies.
const Adapter = "policy:"

// Check is how the name of a policy ends that looks at what each call did.
const Check = "+check"

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

// Outcomes are all outcomes, in their order.
var Outcomes = []Outcome{Passed, WrongSideEffect, Wrong, GaveUp, NoTool}

// OutcomeOf returns the outcome of an episode that ended with stop. wrong says whether a forbidden
// effect happened.
func OutcomeOf(stop *record.Stop, wrong bool) Outcome {
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

// Episode is what the figures need of an episode.
type Episode struct {
	Name, Task, Policy, Family string
	Core                       bool // the task is one of the core suite
	Outcome                    Outcome
	Calls, Tokens              int
	Looked, Found              int          // targets of intents: looked for in answers, and named there
	InputTokens                *InputTokens // nil: not known
}

// Counts counts episodes by their outcome.
type Counts struct {
	Passed           int `json:"passed"`
	WrongSideEffects int `json:"harmed"`
	Wrong            int `json:"saidDoneAndWrong"`
	GaveUp           int `json:"gaveUp"`
	NoTool           int `json:"notPossible"`
	Void             int `json:"void"`
}

func (c *Counts) add(o Outcome) { *c.of(o)++ }

func (c *Counts) of(o Outcome) *int {
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
func (c Counts) String() string {
	var parts []string
	for _, o := range Outcomes {
		switch n := *c.of(o); {
		case o == WrongSideEffect && n > 1, o == Wrong && n > 1:
			parts = append(parts, display.Count(n, string(o)))
		case n > 0 || o == Passed:
			parts = append(parts, fmt.Sprintf("%d %s", n, o))
		}
	}
	if c.Void > 0 {
		parts = append(parts, fmt.Sprintf("%d void", c.Void))
	}
	return strings.Join(parts, ", ")
}

// percent writes a share; rounding never makes it 0 % or 100 %.
func percent(v float64) string {
	return fmt.Sprintf("%.1f %%", display.Percent(math.Round(10*(100*v))/10, v))
}

// Points writes a change of a share.
func Points(v float64) string { return fmt.Sprintf("%+.1f points", 100*v) }
