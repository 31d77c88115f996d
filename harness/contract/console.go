package contract

import (
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/contract/jsregexp"
)

// console holds when the number of matching console messages compares as
// asked.
type console struct {
	typ      *string
	pattern  *jsregexp.Regexp // nil: any message
	uncaught *bool
	op       string
	value    float64
	maxAge   float64 // ms
}

func parseConsole(p *parser, o Details, path string) leaf {
	a := &console{}
	p.schemaVersion(o, path)
	if v, ok := o.Get("type"); ok {
		s, _ := v.(string)
		if !bounded(s, 64) {
			p.fault(path+".type", "expected non-empty string up to 64 chars")
		}
		a.typ = &s
	}
	if _, ok := o.Get("message_pattern"); ok {
		if source, ok := p.str(o, "message_pattern", path); ok {
			re, fault := checkPattern(source)
			if fault != "" {
				p.fault(path+".message_pattern", fault)
			}
			a.pattern = re
		}
	}
	if v, ok := o.Get("uncaught"); ok {
		b, isBool := v.(bool)
		if !isBool {
			p.fault(path+".uncaught", "expected boolean")
		}
		a.uncaught = &b
	}
	a.op, _ = p.op(o, path)
	var ok bool
	if a.value, ok = number(o, "value"); !ok || !isSafeInteger(a.value) || a.value < 0 {
		p.fault(path+".value", "expected non-negative safe integer")
	}
	a.maxAge = p.maxAge(o, path)
	return a
}

func (a *console) need(n *Needs) { n.Console = true }

func (a *console) judge(j *judging) (bool, Details) {
	if d := j.unavailable(FactConsole); d != nil {
		return false, d
	}
	fact, fault, err := a.fact(j)
	switch {
	case err != nil:
		return false, failure(err)
	case fault != nil:
		return false, fault.details(Detail{"filters", a.filters()})
	}
	matched, sum, err := a.count(j, fact)
	if err != nil {
		return false, failure(err)
	}
	return compare(sum, a.op, a.value), Details{
		{"filters", a.filters()}, {"op", a.op}, {"target", a.value}, {"observed", sum},
		{"matched_entries", matched}, {"fact", fact.out},
	}
}

func (a *console) fact(j *judging) (*contractFact, *factFault, error) {
	list, fault, err := j.readFacts()
	if fault != nil || err != nil {
		return nil, fault, err
	}
	var candidates []Details
	for _, v := range list {
		if o, ok := v.(Details); ok && o.text("kind") == "console" {
			candidates = append(candidates, o)
		}
	}
	if len(candidates) == 0 {
		return nil, factError("NOT_FOUND", "no console contract fact found"), nil
	}
	fact, late, fault := j.pickFact(candidates, a.maxAge, parseConsoleFact)
	switch {
	case fault != nil:
		return nil, fault, nil
	case late != nil:
		return nil, late, nil
	case fact.truncated:
		return nil, factError("TRUNCATED", "console contract fact is truncated and cannot prove the assertion",
			Detail{"captured_at", fact.capturedAt}), nil
	case fact.types != nil && (a.typ == nil || !slices.Contains(fact.types, any(*a.typ))):
		more := []Detail{{"captured_types", fact.types}}
		if a.typ != nil {
			more = append(more, Detail{"requested_type", *a.typ})
		}
		return nil, factError("CAPTURE_FILTERED", "console capture filters do not cover the requested assertion type", more...), nil
	}
	return fact, nil, nil
}

// count returns the matching entries and the sum of their counts.
func (a *console) count(j *judging, fact *contractFact) (matched []any, sum float64, err error) {
	matched = []any{}
	for i, v := range fact.entries {
		entry := v.(Details)
		if a.typ != nil && entry.text("type") != *a.typ {
			continue
		}
		if uncaught, _ := entry.Get("uncaught"); a.uncaught != nil && uncaught != *a.uncaught {
			continue
		}
		if a.pattern != nil {
			ok, err := j.matches(a.pattern, fact.messages[i])
			if err != nil {
				return nil, 0, err
			}
			if !ok {
				continue
			}
		}
		n, _ := number(entry, "count")
		sum += n
		matched = append(matched, entry)
	}
	return matched, sum, nil
}

func (a *console) filters() Details {
	d := Details{}
	if a.typ != nil {
		d = append(d, Detail{"type", *a.typ})
	}
	if a.pattern != nil {
		d = append(d, Detail{"message_pattern", a.pattern.String()})
	}
	if a.uncaught != nil {
		d = append(d, Detail{"uncaught", *a.uncaught})
	}
	return d
}

func (a *console) expected() Details {
	return append(a.filters(), Detail{"op", a.op}, Detail{"value", a.value}, Detail{"max_age_ms", a.maxAge})
}

func (a *console) actual(d Details) any { return d }

func (a *console) want() string {
	var b strings.Builder
	b.WriteString("the number of ")
	if a.uncaught != nil {
		b.WriteString(map[bool]string{true: "uncaught ", false: "caught "}[*a.uncaught])
	}
	b.WriteString("console messages")
	if a.typ != nil {
		b.WriteString(" of type " + clean(*a.typ))
	}
	if a.pattern != nil {
		b.WriteString(" that match /" + clean(a.pattern.String()) + "/")
	}
	return b.String() + " is " + opWords[a.op] + jsString(a.value)
}

func (a *console) got(d Details) string {
	v, _ := d.Get("observed")
	return jsString(v)
}
