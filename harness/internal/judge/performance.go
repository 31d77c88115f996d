package judge

import (
	"github.com/openchrome/bench/harness/internal/judge/evidence"
)

// performance holds if a metric of a performance fact satisfies the comparison.
var performanceKind = kind{
	name: "performance", fields: []string{"kind", "schema_version", "metric", "unit", "op", "value", "max_age_ms"}, fact: evidence.FactPerformance,
	read: func(a *assertion) leaf {
		a.schemaVersion()
		p := &performance{metric: a.text("metric")}
		if !a.bad && !evidence.MetricForm.MatchString(p.metric) {
			a.fault("metric", a.o.Get("metric"), expected("1-128 chars: alphanumeric followed by alphanumeric/dot/underscore/hyphen"))
		}
		p.unit = a.oneOf("unit", evidence.MetricUnits...)
		p.comparison = readOp(a)
		p.value = a.number("value", "a finite number", evidence.IsFinite)
		p.maxAge = a.maxAge()
		return p
	},
}

type performance struct {
	metric string
	unit   string
	comparison
	maxAge float64 // ms
}

func (a *performance) judge(j *judging) (bool, evidence.Details) {
	fact, err := j.measured().Performance(a.metric, a.maxAge)
	switch {
	case err != nil:
	case fact.Unit != a.unit:
		err = evidence.NewFault("UNIT_MISMATCH", "performance fact unit does not match "+a.unit, evidence.Detail{Key: "expected_unit", Value: a.unit})
	default:
		err = fact.Late
	}
	if err != nil {
		return false, failure(err, evidence.Detail{Key: "metric", Value: a.metric}, evidence.Detail{Key: "unit", Value: a.unit})
	}
	d := append(evidence.Details{{Key: "metric", Value: a.metric}, {Key: "unit", Value: a.unit}}, a.details(fact.Value)...)
	return a.holds(fact.Value), append(d, evidence.Detail{Key: "fact", Value: fact.Out})
}

func (a *performance) want() string {
	return a.metric + " is " + a.target() + " " + a.unit
}

func (a *performance) got(d evidence.Details) string {
	return a.comparison.got(d) + " " + a.unit
}
