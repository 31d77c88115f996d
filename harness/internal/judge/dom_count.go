package judge

import (
	"github.com/openchrome/bench/harness/internal/judge/evidence"
)

// dom_count holds if the number of elements satisfies the comparison.
var domCountKind = kind{
	name: "dom_count", fields: []string{"kind", "selector", "op", "value"}, fact: evidence.FactCount,
	read: func(a *assertion) leaf {
		a.of = a.text("selector")
		c := &domCount{selector: a.of, comparison: readOp(a)}
		a.stop()
		if c.value = a.number("value", "a non-negative integer", evidence.IsInteger); c.value < 0 {
			a.fault("value", a.o.Get("value"), slip{message: "value must be >= 0"})
		}
		return c
	},
	// OpenChrome's bug: it reads the count from a key that evidence does not have.
	actual: func(evidence.Details) any { return evidence.Details{{Key: "count", Value: nil}} },
}

type domCount struct {
	selector string
	comparison
}

func (a *domCount) judge(j *judging) (bool, evidence.Details) {
	n := j.facts.DOMCount[a.selector]
	return a.holds(n), append(evidence.Details{{Key: "selector", Value: a.selector}}, a.details(n)...)
}

func (a *domCount) want() string {
	return "the number of " + clean(a.selector) + " is " + a.target()
}
