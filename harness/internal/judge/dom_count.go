package judge

// dom_count holds if the number of elements satisfies the comparison.
var domCountKind = kind{
	name: "dom_count", fields: []string{"kind", "selector", "op", "value"}, fact: FactCount,
	read: func(a *assertion) leaf {
		a.of = a.text("selector")
		c := &domCount{selector: a.of, op: a.op()}
		a.stop()
		if c.value = a.number("value", "a non-negative integer", isInteger); c.value < 0 {
			a.fault("value", a.o.Get("value"), slip{message: "value must be >= 0"})
		}
		return c
	},
	// OpenChrome's bug: it reads the count from a key that evidence does not have.
	actual: func(Details) any { return Details{{"count", nil}} },
}

type domCount struct {
	selector string
	op       string
	value    float64
}

func (a *domCount) judge(j *judging) (bool, Details) {
	n := j.facts.DOMCount[a.selector]
	return compare(n, a.op, a.value),
		Details{{"selector", a.selector}, {"op", a.op}, {"target", a.value}, {"observed", n}}
}

func (a *domCount) want() string {
	return "the number of " + clean(a.selector) + " is " + opWords[a.op] + jsonText(a.value)
}

func (a *domCount) got(d Details) string {
	n, _ := d.Get("observed")
	return jsonText(n)
}
