package contract

import (
	"fmt"
	"math"
	"slices"
)

var units = []string{"ms", "seconds", "bytes", "count"}

// performance holds when a metric of a performance fact compares as asked.
type performance struct {
	metric string
	unit   string
	op     string
	value  float64
	maxAge float64 // ms
}

func parsePerformance(p *parser, o Details, path string) leaf {
	a := &performance{}
	p.schemaVersion(o, path)
	var ok bool
	if a.metric, ok = p.str(o, "metric", path); ok && !isMetric(a.metric) {
		p.fault(path+".metric", "expected 1-128 chars: alphanumeric followed by alphanumeric/dot/underscore/hyphen")
	}
	if a.unit = o.text("unit"); !slices.Contains(units, a.unit) {
		p.fault(path+".unit", "expected one of ms|seconds|bytes|count")
	}
	a.op, _ = p.op(o, path)
	if a.value, ok = number(o, "value"); !ok || math.IsInf(a.value, 0) {
		p.fault(path+".value", "expected finite number")
	}
	a.maxAge = p.maxAge(o, path)
	return a
}

func (p *parser) schemaVersion(o Details, path string) {
	if v, _ := o.Get("schema_version"); v != 1.0 {
		p.fault(path+".schema_version", "expected schema_version 1")
	}
}

func (p *parser) maxAge(o Details, path string) float64 {
	age, ok := number(o, "max_age_ms")
	if !ok || !isSafeInteger(age) || age < 0 || age > maxAge {
		p.fault(path+".max_age_ms", fmt.Sprintf("expected integer in [0,%d]", maxAge))
	}
	return age
}

func isMetric(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case isWord(c) && (c != '_' || i > 0), i > 0 && (c == '.' || c == '-'):
		default:
			return false
		}
	}
	return s != "" && len(s) <= 128
}

func (a *performance) need(n *Needs) { n.Performance = true }

func (a *performance) judge(j *judging) (bool, Details) {
	if d := j.unavailable(FactPerformance); d != nil {
		return false, d
	}
	fact, fault, err := a.fact(j)
	switch {
	case err != nil:
		return false, failure(err)
	case fault != nil:
		return false, fault.details(Detail{"metric", a.metric}, Detail{"unit", a.unit})
	}
	return compare(fact.value, a.op, a.value), Details{
		{"metric", a.metric}, {"unit", a.unit}, {"op", a.op}, {"target", a.value},
		{"observed", fact.value}, {"fact", fact.out},
	}
}

func (a *performance) fact(j *judging) (*contractFact, *factFault, error) {
	list, fault, err := j.readFacts()
	if fault != nil || err != nil {
		return nil, fault, err
	}
	var candidates []Details
	for _, v := range list {
		if o, ok := v.(Details); ok && o.text("kind") == "performance" && o.text("metric") == a.metric {
			candidates = append(candidates, o)
		}
	}
	if len(candidates) == 0 {
		return nil, factError("NOT_FOUND", "no performance contract fact found for metric "+a.metric), nil
	}
	fact, late, fault := j.pickFact(candidates, a.maxAge, parsePerformanceFact)
	switch {
	case fault != nil:
		return nil, fault, nil
	case fact.unit != a.unit:
		return nil, factError("UNIT_MISMATCH", "performance fact unit does not match "+a.unit,
			Detail{"expected_unit", a.unit}), nil
	}
	return fact, late, nil
}

func parsePerformanceFact(o Details) (*contractFact, *factFault) {
	f, fault := parseBase(o, "performance", "performance_metrics")
	if fault != nil {
		return nil, fault
	}
	metric := o.text("metric")
	if !isMetric(metric) {
		return nil, malformed("performance fact metric is malformed")
	}
	if f.unit = o.text("unit"); !slices.Contains(units, f.unit) {
		return nil, malformed("performance fact unit is malformed")
	}
	var ok bool
	if f.value, ok = number(o, "value"); !ok || math.IsInf(f.value, 0) {
		return nil, malformed("performance fact value must be finite")
	}
	f.out = append(f.out, Detail{"metric", metric}, Detail{"unit", f.unit}, Detail{"value", f.value})
	return f, nil
}

func (a *performance) expected() Details {
	return Details{{"metric", a.metric}, {"unit", a.unit}, {"op", a.op}, {"value", a.value}, {"max_age_ms", a.maxAge}}
}

func (a *performance) actual(d Details) any { return d }

func (a *performance) want() string {
	return a.metric + " is " + opWords[a.op] + jsString(a.value) + " " + a.unit
}

func (a *performance) got(d Details) string {
	v, _ := d.Get("observed")
	return jsString(v) + " " + a.unit
}
