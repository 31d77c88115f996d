package judge

import (
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/internal/judge/jsregexp"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
)

// console holds if the number of matching console messages satisfies the comparison.
var consoleKind = kind{
	name: "console", fact: FactConsole,
	fields: []string{"kind", "schema_version", "type", "message_pattern", "uncaught", "op", "value", "max_age_ms"},
	read:   readConsole,
}

// Truncated is the error code of a console assertion if messages are missing from the fact,
// because there were too many or they were too long.
const Truncated = "TRUNCATED"

type console struct {
	typ, uncaught *jsonfile.Node   // nil: any
	pattern       *jsregexp.Regexp // nil: any message
	filters       Details          // the three filters, as written
	op            string
	value         float64
	maxAge        float64 // ms
}

func readConsole(a *assertion) leaf {
	c := &console{typ: a.o.Get("type"), uncaught: a.o.Get("uncaught")}
	a.schemaVersion()
	if c.typ != nil {
		a.get("type", jsonfile.String, "a non-empty string up to 64 chars", func(v *jsonfile.Node) bool { return bounded(v.Text, 64) })
	}
	if a.o.Get("message_pattern") != nil {
		c.pattern = a.pattern("message_pattern")
	}
	if c.uncaught != nil {
		a.get("uncaught", jsonfile.Bool, "a boolean", nil)
	}
	c.op = a.op()
	c.value = a.number("value", "a non-negative safe integer", func(v float64) bool { return isSafeInteger(v) && v >= 0 })
	c.maxAge = a.maxAge()
	c.filters = pick(a.o, "type", "message_pattern", "uncaught")
	return c
}

func (a *console) judge(j *judging) (bool, Details) {
	fact, err := a.fact(j)
	if err != nil {
		return false, failure(err, Detail{"filters", a.filters})
	}
	matched, sum, err := a.count(j, fact)
	if err != nil {
		return false, failure(err)
	}
	return compare(sum, a.op, a.value), Details{
		{"filters", a.filters}, {"op", a.op}, {"target", a.value}, {"observed", sum},
		{"matched_entries", matched}, {"fact", fact.out},
	}
}

func (a *console) fact(j *judging) (*contractFact, error) {
	fact, err := j.measured().console(a.maxAge)
	switch {
	case err != nil:
		return nil, err
	case fact.late != nil:
		return nil, fact.late
	case fact.truncated:
		return nil, factError(Truncated, "console contract fact is truncated and cannot prove the assertion",
			Detail{"captured_at", fact.capturedAt})
	case fact.types != nil && (a.typ == nil || !slices.Contains(fact.types, any(a.typ.Text))):
		more := []Detail{{"captured_types", fact.types}}
		if a.typ != nil {
			more = append(more, Detail{"requested_type", a.typ.Text})
		}
		return nil, factError("CAPTURE_FILTERED", "console capture filters do not cover the requested assertion type", more...)
	}
	return fact, nil
}

// count returns the matching entries and the sum of their counts.
func (a *console) count(j *judging, fact *contractFact) (matched []any, sum float64, err error) {
	matched = []any{}
	for _, entry := range fact.entries {
		if a.typ != nil && entry.typ != a.typ.Text || a.uncaught != nil && entry.uncaught != (a.uncaught.Text == "true") {
			continue
		}
		if a.pattern != nil {
			ok, err := j.matches(a.pattern, entry.message)
			if err != nil {
				return nil, 0, err
			}
			if !ok {
				continue
			}
		}
		sum += entry.count
		matched = append(matched, entry.shown)
	}
	return matched, sum, nil
}

func (a *console) want() string { return a.what() + " is " + opWords[a.op] + jsonText(a.value) }

// what names the number that is compared.
func (a *console) what() string {
	var b strings.Builder
	b.WriteString("the number of ")
	if a.uncaught != nil {
		b.WriteString(map[bool]string{true: "uncaught ", false: "caught "}[a.uncaught.Text == "true"])
	}
	b.WriteString("console messages")
	if a.typ != nil {
		b.WriteString(" of type " + clean(a.typ.Text))
	}
	if a.pattern != nil {
		b.WriteString(" that match /" + clean(a.pattern.String()) + "/")
	}
	return b.String()
}

func (a *console) got(d Details) string {
	v, _ := d.Get("observed")
	return jsonText(v)
}
