package judge

import "github.com/openchrome/bench/harness/internal/judge/evidence"

// comparison is the part of an assertion that compares an observed number with a target.
type comparison struct {
	op    string // eq, gte or lte
	value float64
}

// readOp reads the operator; the kinds of assertion differ in the values that they allow.
func readOp(a *assertion) comparison {
	return comparison{op: a.oneOf("op", "eq", "gte", "lte")}
}

func (c comparison) holds(observed float64) bool {
	switch c.op {
	case "eq":
		return observed == c.value
	case "gte":
		return observed >= c.value
	}
	return observed <= c.value
}

func (c comparison) details(observed float64) evidence.Details {
	return evidence.Details{{Key: "op", Value: c.op}, {Key: "target", Value: c.value}, {Key: "observed", Value: observed}}
}

// target returns the wanted value in words.
func (c comparison) target() string {
	return map[string]string{"gte": "at least ", "lte": "at most "}[c.op] + evidence.JSON(c.value)
}

func (comparison) got(d evidence.Details) string { return d.JSON("observed") }
