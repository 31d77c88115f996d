package judge

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/openchrome/bench/harness/internal/text/jsonfile"
)

// Limits of OpenChrome's contract facts.
const (
	maxContractFacts = 256
	maxEntries       = 200
	maxMessage       = 1024 // UTF-16 units
	maxCaptureTypes  = 64
)

// maxFactsJSON bounds the JSON that is read. OpenChrome has no such limit.
const maxFactsJSON = 8 << 20

// factFault says why no contract fact can be judged.
type factFault struct {
	code   string
	reason string
	more   Details
}

func (f *factFault) Error() string { return f.reason }

func factError(code, reason string, more ...Detail) *factFault {
	return &factFault{"CONTRACT_FACT_" + code, reason, more}
}

func malformed(reason string) *factFault { return factError("MALFORMED", reason) }

// contractFact is a parsed fact.
type contractFact struct {
	unit  string  // performance
	value float64 // performance

	entries   []consoleEntry
	types     []any // captured_types; nil: all
	truncated bool

	capturedAt string
	out        Details // the fact as evidence shows it
	// late is a fault of the fact's age, or nil. A fault of its form takes precedence.
	late error
}

// contractFacts are the performance and console facts of a snapshot, and what decides which
// of them counts.
type contractFacts struct {
	raw          json.RawMessage
	session, tab string // where a fact must come from
	now          time.Time

	list *jsonfile.Node // raw, once it was read
}

func (c *contractFacts) items() ([]*jsonfile.Node, error) {
	if len(c.raw) > maxFactsJSON {
		return nil, fmt.Errorf("contract_facts are larger than %d MiB", maxFactsJSON>>20)
	}
	if c.list == nil && c.raw != nil {
		list, err := parse(c.raw)
		if err != nil {
			return nil, err
		}
		c.list = list
	}
	list := c.list
	missing := func(reason string) error { return &factFault{code: "CONTRACT_FACTS_MISSING", reason: reason} }
	switch {
	case list == nil || list.Kind == jsonfile.Null:
		return nil, missing("evidence.snapshot.contract_facts is missing")
	case list.Kind != jsonfile.Array:
		return nil, malformed("contract_facts must be an array")
	case len(list.Items) == 0:
		return nil, missing("contract_facts is empty")
	case len(list.Items) > maxContractFacts:
		return nil, malformed(fmt.Sprintf("contract_facts exceeds the %d-fact limit", maxContractFacts))
	}
	return list.Items, nil
}

func (c *contractFacts) performance(metric string, maxAge float64) (*contractFact, error) {
	return c.newestOf("performance", metric, maxAge, parsePerformanceFact)
}

func (c *contractFacts) console(maxAge float64) (*contractFact, error) {
	return c.newestOf("console", "", maxAge, parseConsoleFact)
}

// newestOf selects the fact to judge: the newest fact of the kind (and of the metric, if one is
// named) that belongs to this session and tab and is not too old. Only this fact must be
// well-formed.
func (c *contractFacts) newestOf(kind, metric string, maxAge float64, parse func(*jsonfile.Node) (*contractFact, *factFault)) (*contractFact, error) {
	list, err := c.items()
	if err != nil {
		return nil, err
	}
	var candidates, scoped []*jsonfile.Node
	for _, o := range list {
		if text(o, "kind") != kind || metric != "" && text(o, "metric") != metric {
			continue
		}
		candidates = append(candidates, o)
		if s := o.Get("session_id"); s.Is(jsonfile.String) && s.Text == c.session && text(o, "target_id") == c.tab {
			scoped = append(scoped, o)
		}
	}
	switch {
	case len(candidates) == 0 && metric != "":
		return nil, factError("NOT_FOUND", "no performance contract fact found for metric "+metric)
	case len(candidates) == 0:
		return nil, factError("NOT_FOUND", "no console contract fact found")
	case c.tab == "":
		return nil, factError("SCOPE_MISSING", "evidence.provenance.target_id is required for contract facts")
	case len(scoped) == 0:
		// A fault of the form takes precedence, unless one of them is well-formed.
		var first *factFault
		for _, o := range candidates {
			_, fault := parse(o)
			if fault == nil {
				return nil, factError("SCOPE_MISMATCH", "contract facts do not belong to the current MCP session and target",
					Detail{"expected_session_id", c.session}, Detail{"expected_target_id", c.tab})
			}
			if first == nil || fault.code == "CONTRACT_FACT_SCHEMA_UNSUPPORTED" {
				first = fault
			}
		}
		return nil, first
	}
	chosen, late, err := c.newest(scoped, maxAge)
	if err != nil {
		return nil, err
	}
	fact, fault := parse(chosen)
	if fault != nil {
		return nil, fault
	}
	fact.late = late
	return fact, nil
}

// newest selects the fact with the latest time. It also selects a single fact without a
// valid time; the parser then reports that fact as malformed.
func (c *contractFacts) newest(scoped []*jsonfile.Node, maxAge float64) (chosen *jsonfile.Node, late, err error) {
	times := make([]int64, len(scoped))
	invalid := 0
	for i, o := range scoped {
		var ok bool
		if times[i], ok = parseTimestamp(text(o, "captured_at")); !ok {
			chosen = o
			invalid++
		}
	}
	switch {
	case invalid == 1:
		return chosen, nil, nil
	case invalid > 1:
		return nil, nil, factError("MALFORMED", "multiple matching contract facts have malformed captured_at values",
			Detail{"candidate_count", float64(invalid)})
	}
	now := c.now.UnixMilli()
	at := slices.Min(times)
	for _, t := range times {
		if t <= now {
			at = max(at, t)
		}
	}
	captured := Detail{"captured_at", formatTimestamp(at)}
	switch age := float64(now - at); {
	case at > now:
		late = factError("MALFORMED", "matching contract facts are captured in the future", captured, Detail{"future_by_ms", -age})
	case age > maxAge:
		late = factError("STALE", "matching contract facts are older than max_age_ms",
			captured, Detail{"age_ms", age}, Detail{"max_age_ms", maxAge})
	}
	count := 0
	for i, o := range scoped {
		if times[i] == at {
			chosen = o
			count++
		}
	}
	if count > 1 {
		return nil, nil, factError("MALFORMED", "multiple matching contract facts share the selected captured_at",
			captured, Detail{"candidate_count", float64(count)})
	}
	return chosen, late, nil
}

// parseBase checks the fields that every kind of fact has, in OpenChrome's order.
func parseBase(o *jsonfile.Node, kind, tool string) (*contractFact, *factFault) {
	version := o.Get("schema_version")
	if n, ok := number(o, "schema_version"); !ok || n != 1 {
		shown := "undefined"
		if version != nil {
			shown = version.JS()
		}
		return nil, factError("SCHEMA_UNSUPPORTED", "unsupported contract fact schema version: "+shown)
	}
	if text(o, "kind") != kind || text(o, "source_tool") != tool {
		return nil, malformed("contract fact kind/source_tool pair is malformed")
	}
	session, target := text(o, "session_id"), text(o, "target_id")
	if !bounded(session, 256) || !bounded(target, 256) {
		return nil, malformed("contract fact session_id/target_id is malformed")
	}
	at, ok := parseTimestamp(text(o, "captured_at"))
	if !ok {
		return nil, malformed("contract fact captured_at is malformed")
	}
	f := &contractFact{capturedAt: formatTimestamp(at)}
	f.out = Details{
		{"schema_version", 1.0}, {"kind", kind}, {"source_tool", tool},
		{"session_id", session}, {"target_id", target}, {"captured_at", f.capturedAt},
	}
	return f, nil
}

func parsePerformanceFact(o *jsonfile.Node) (*contractFact, *factFault) {
	f, fault := parseBase(o, "performance", "performance_metrics")
	if fault != nil {
		return nil, fault
	}
	metric := text(o, "metric")
	if !metricForm.MatchString(metric) {
		return nil, malformed("performance fact metric is malformed")
	}
	if f.unit = text(o, "unit"); !slices.Contains(units, f.unit) {
		return nil, malformed("performance fact unit is malformed")
	}
	var ok bool
	if f.value, ok = number(o, "value"); !ok || !isFinite(f.value) {
		return nil, malformed("performance fact value must be finite")
	}
	f.out = append(f.out, Detail{"metric", metric}, Detail{"unit", f.unit}, Detail{"value", f.value})
	return f, nil
}
