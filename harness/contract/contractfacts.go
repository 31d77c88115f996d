package contract

import (
	"fmt"
	"math"

	"github.com/openchrome/bench/harness/jsonfile"
)

// Limits of OpenChrome's contract facts.
const (
	maxContractFacts = 256
	maxEntries       = 200
	maxMessage       = 1024 // UTF-16 units
	maxCaptureTypes  = 64
)

// maxFactsJSON bounds what is read; it is this package's own rule.
const maxFactsJSON = 8 << 20

// factFault says why no contract fact can be judged.
type factFault struct {
	code   string
	reason string
	more   Details
}

func factError(code, reason string, more ...Detail) *factFault {
	return &factFault{"CONTRACT_FACT_" + code, reason, more}
}

func malformed(reason string) *factFault { return factError("MALFORMED", reason) }

// details is the evidence of the fault; own is what the assertion adds.
func (f *factFault) details(own ...Detail) Details {
	d := Details{{"error", f.code}, {"error_code", f.code}, {"reason", f.reason}}
	return append(append(d, own...), f.more...)
}

// contractFact is a fact that was parsed strictly.
type contractFact struct {
	unit  string  // performance
	value float64 // performance

	entries   []consoleEntry
	types     []any // captured_types; nil: all
	truncated bool

	capturedAt string
	out        Details // the fact as evidence shows it
}

// contractFacts returns the snapshot's facts of a kind, and of a metric when
// one is named.
func (j *judging) contractFacts(kind, metric string) ([]*jsonfile.Node, *factFault, error) {
	j.work += len(j.facts.ContractFacts)
	if !j.decoded {
		j.decoded = true
		if len(j.facts.ContractFacts) > maxFactsJSON {
			j.listErr = fmt.Errorf("contract_facts are larger than %d MiB", maxFactsJSON>>20)
		} else if j.facts.ContractFacts != nil {
			j.list, j.listErr = parse(j.facts.ContractFacts)
		}
	}
	missing := func(reason string) *factFault { return &factFault{code: "CONTRACT_FACTS_MISSING", reason: reason} }
	switch {
	case j.listErr != nil:
		return nil, nil, j.listErr
	case j.list == nil || j.list.Kind == jsonfile.Null:
		return nil, missing("evidence.snapshot.contract_facts is missing"), nil
	case j.list.Kind != jsonfile.Array:
		return nil, malformed("contract_facts must be an array"), nil
	case len(j.list.Items) == 0:
		return nil, missing("contract_facts is empty"), nil
	case len(j.list.Items) > maxContractFacts:
		return nil, malformed(fmt.Sprintf("contract_facts exceeds the %d-fact limit", maxContractFacts)), nil
	}
	var found []*jsonfile.Node
	for _, o := range j.list.Items {
		if text(o, "kind") == kind && (metric == "" || text(o, "metric") == metric) {
			found = append(found, o)
		}
	}
	return found, nil, nil
}

type parseFact func(*jsonfile.Node) (*contractFact, *factFault)

// pickFact selects the fact to judge among the candidates: the newest one of
// this session and tab that is young enough. Only that one must be sound; a
// fault of form is told before one of age.
func (j *judging) pickFact(candidates []*jsonfile.Node, maxAge float64, parse parseFact) (fact *contractFact, late, fault *factFault) {
	if j.in.Provenance.TargetID == "" {
		return nil, nil, factError("SCOPE_MISSING", "evidence.provenance.target_id is required for contract facts")
	}
	var scoped []*jsonfile.Node
	for _, c := range candidates {
		session, target := c.Get("session_id"), text(c, "target_id")
		if session.Is(jsonfile.String) && session.Text == j.in.SessionID && target == j.in.Provenance.TargetID {
			scoped = append(scoped, c)
		}
	}
	if len(scoped) == 0 {
		return nil, nil, j.outOfScope(candidates, parse)
	}
	chosen, late, fault := j.newest(scoped, maxAge)
	if fault != nil {
		return nil, nil, fault
	}
	fact, fault = parse(chosen)
	return fact, late, fault
}

// outOfScope is the fault when no candidate is of this session and tab: the
// form counts first, unless one of them is sound.
func (j *judging) outOfScope(candidates []*jsonfile.Node, parse parseFact) *factFault {
	var first *factFault
	for _, c := range candidates {
		_, fault := parse(c)
		if fault == nil {
			return factError("SCOPE_MISMATCH", "contract facts do not belong to the current MCP session and target",
				Detail{"expected_session_id", j.in.SessionID}, Detail{"expected_target_id", j.in.Provenance.TargetID})
		}
		if first == nil || fault.code == "CONTRACT_FACT_SCHEMA_UNSUPPORTED" {
			first = fault
		}
	}
	return first
}

// newest selects by time. late is a fault that counts once the form and unit
// of the chosen fact are known to be sound.
func (j *judging) newest(scoped []*jsonfile.Node, maxAge float64) (chosen *jsonfile.Node, late, fault *factFault) {
	times := make([]int64, len(scoped))
	var invalid []*jsonfile.Node
	for i, c := range scoped {
		at, ok := parseTimestamp(text(c, "captured_at"))
		if !ok {
			invalid = append(invalid, c)
		}
		times[i] = at
	}
	if len(invalid) == 1 {
		return invalid[0], malformed("contract fact captured_at is malformed"), nil
	}
	if len(invalid) > 1 {
		return nil, nil, factError("MALFORMED", "multiple matching contract facts have malformed captured_at values",
			Detail{"candidate_count", float64(len(invalid))})
	}

	now := j.in.Now.UnixMilli()
	earliest, current := int64(math.MaxInt64), int64(math.MinInt64)
	for _, at := range times {
		earliest = min(earliest, at)
		if at <= now {
			current = max(current, at)
		}
	}
	at := current
	switch {
	case current == math.MinInt64:
		at = earliest
		late = factError("MALFORMED", "matching contract facts are captured in the future",
			Detail{"captured_at", formatTimestamp(at)}, Detail{"future_by_ms", float64(at - now)})
	case float64(now-current) > maxAge:
		late = factError("STALE", "matching contract facts are older than max_age_ms",
			Detail{"captured_at", formatTimestamp(at)}, Detail{"age_ms", float64(now - at)}, Detail{"max_age_ms", maxAge})
	}
	count := 0
	for i, c := range scoped {
		if times[i] == at {
			chosen = c
			count++
		}
	}
	if count > 1 {
		return nil, nil, factError("MALFORMED", "multiple matching contract facts share the selected captured_at",
			Detail{"captured_at", formatTimestamp(at)}, Detail{"candidate_count", float64(count)})
	}
	return chosen, late, nil
}

// parseBase checks what facts of every kind have, in OpenChrome's order.
func parseBase(o *jsonfile.Node, kind, tool string) (*contractFact, *factFault) {
	version := o.Get("schema_version")
	if n, ok := number(o, "schema_version"); !ok || n != 1 {
		shown := "undefined"
		if version != nil {
			shown = jsString(value(version))
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
