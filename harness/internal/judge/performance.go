package judge

import (
	"regexp"
)

var metricForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$`)

var units = []string{"ms", "seconds", "bytes", "count"}

// performance holds if a metric of a performance fact satisfies the comparison.
var performanceKind = kind{
	name: "performance", fields: []string{"kind", "schema_version", "metric", "unit", "op", "value", "max_age_ms"}, fact: FactPerformance,
	read: func(a *assertion) leaf {
		a.schemaVersion()
		p := &performance{metric: a.text("metric")}
		if !a.bad && !metricForm.MatchString(p.metric) {
			a.fault("metric", a.o.Get("metric"), expected("1-128 chars: alphanumeric followed by alphanumeric/dot/underscore/hyphen"))
		}
		p.unit = a.oneOf("unit", units...)
		p.op = a.op()
		p.value = a.number("value", "a finite number", isFinite)
		p.maxAge = a.maxAge()
		return p
	},
}

type performance struct {
	metric string
	unit   string
	op     string
	value  float64
	maxAge float64 // ms
}

func (a *performance) judge(j *judging) (bool, Details) {
	fact, err := j.measured().performance(a.metric, a.maxAge)
	switch {
	case err != nil:
	case fact.unit != a.unit:
		err = factError("UNIT_MISMATCH", "performance fact unit does not match "+a.unit, Detail{"expected_unit", a.unit})
	default:
		err = fact.late
	}
	if err != nil {
		return false, failure(err, Detail{"metric", a.metric}, Detail{"unit", a.unit})
	}
	return compare(fact.value, a.op, a.value), Details{
		{"metric", a.metric}, {"unit", a.unit}, {"op", a.op}, {"target", a.value},
		{"observed", fact.value}, {"fact", fact.out},
	}
}

func (a *performance) want() string {
	return a.metric + " is " + opWords[a.op] + jsonText(a.value) + " " + a.unit
}

func (a *performance) got(d Details) string {
	v, _ := d.Get("observed")
	return jsonText(v) + " " + a.unit
}
