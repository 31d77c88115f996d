package judge

import (
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/internal/judge/evidence"
	"github.com/openchrome/bench/harness/internal/judge/jsregexp"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
)

// console holds if the number of matching console messages satisfies the comparison.
var consoleKind = kind{
	name: "console", fact: evidence.FactConsole,
	fields: []string{"kind", "schema_version", "type", "message_pattern", "uncaught", "op", "value", "max_age_ms"},
	read:   readConsole,
}

// Truncated is the error code of a console assertion if messages are missing from the fact,
// because there were too many or they were too long.
const Truncated = "CONTRACT_FACT_TRUNCATED"

type console struct {
	typ, uncaught *jsonfile.Node   // nil: any
	pattern       *jsregexp.Regexp // nil: any message
	filters       evidence.Details // the three filters, as written
	comparison
	maxAge float64 // ms
}

func readConsole(a *assertion) leaf {
	c := &console{typ: a.o.Get("type"), uncaught: a.o.Get("uncaught")}
	a.schemaVersion()
	if c.typ != nil {
		a.get("type", jsonfile.String, "a non-empty string up to 64 chars", func(v *jsonfile.Node) bool { return evidence.Bounded(v.Text, 64) })
	}
	if a.o.Get("message_pattern") != nil {
		c.pattern = a.pattern("message_pattern")
	}
	if c.uncaught != nil {
		a.get("uncaught", jsonfile.Bool, "a boolean", nil)
	}
	c.comparison = readOp(a)
	c.value = a.number("value", "a non-negative safe integer", func(v float64) bool { return evidence.IsSafeInteger(v) && v >= 0 })
	c.maxAge = a.maxAge()
	c.filters = pick(a.o, "type", "message_pattern", "uncaught")
	return c
}

func (a *console) judge(j *judging) (bool, evidence.Details) {
	fact, err := a.fact(j)
	if err != nil {
		return false, failure(err, evidence.Detail{Key: "filters", Value: a.filters})
	}
	matched, sum, err := a.count(j, fact)
	if err != nil {
		return false, failure(err)
	}
	d := append(evidence.Details{{Key: "filters", Value: a.filters}}, a.details(sum)...)
	return a.holds(sum), append(d, evidence.Detail{Key: "matched_entries", Value: matched}, evidence.Detail{Key: "fact", Value: fact.Out})
}

func (a *console) fact(j *judging) (*evidence.ContractFact, error) {
	fact, err := j.measured().Console(a.maxAge)
	switch {
	case err != nil:
		return nil, err
	case fact.Late != nil:
		return nil, fact.Late
	case fact.Truncated:
		return nil, &evidence.Fault{Code: Truncated, Reason: "console contract fact is truncated and cannot prove the assertion",
			More: evidence.Details{{Key: "captured_at", Value: fact.CapturedAt}}}
	case fact.Types != nil && (a.typ == nil || !slices.Contains(fact.Types, any(a.typ.Text))):
		more := []evidence.Detail{{Key: "captured_types", Value: fact.Types}}
		if a.typ != nil {
			more = append(more, evidence.Detail{Key: "requested_type", Value: a.typ.Text})
		}
		return nil, evidence.NewFault("CAPTURE_FILTERED", "console capture filters do not cover the requested assertion type", more...)
	}
	return fact, nil
}

// count returns the matching entries and the sum of their counts.
func (a *console) count(j *judging, fact *evidence.ContractFact) (matched []any, sum float64, err error) {
	matched = []any{}
	for _, entry := range fact.Entries {
		if a.typ != nil && entry.Type != a.typ.Text || a.uncaught != nil && entry.Uncaught != (a.uncaught.Text == "true") {
			continue
		}
		if a.pattern != nil {
			ok, err := j.matches(a.pattern, entry.Message)
			if err != nil {
				return nil, 0, err
			}
			if !ok {
				continue
			}
		}
		sum += entry.Count
		matched = append(matched, entry.Shown)
	}
	return matched, sum, nil
}

func (a *console) want() string { return a.what() + " is " + a.target() }

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
