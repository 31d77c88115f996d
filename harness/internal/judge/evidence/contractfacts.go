package evidence

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/openchrome/bench/harness/internal/judge/jsregexp"
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

// Fault says why no contract fact can be judged.
type Fault struct {
	Code   string
	Reason string
	More   Details
}

func (f *Fault) Error() string { return f.Reason }

// NewFault returns a fault with one of OpenChrome's codes, such as NOT_FOUND.
func NewFault(code, reason string, more ...Detail) *Fault {
	return &Fault{"CONTRACT_FACT_" + code, reason, more}
}

func malformed(reason string) *Fault { return NewFault("MALFORMED", reason) }

// MetricForm is the form of the name of a performance metric.
var MetricForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$`)

// MetricUnits are the units of performance metrics.
var MetricUnits = []string{"ms", "seconds", "bytes", "count"}

// Metrics are the metrics that OpenChrome documents, with their units. A fact of another one, or in another
// unit, never comes.
var Metrics = func() map[string]string {
	all := make(map[string]string)
	for unit, names := range map[string]string{
		"ms": `navigation.redirectTime navigation.dnsTime navigation.connectTime navigation.requestTime
			navigation.responseTime navigation.domInteractive navigation.domContentLoadedEventEnd
			navigation.loadEventEnd navigation.duration paint.first-paint paint.first-contentful-paint
			resource.maxDuration`,
		"seconds": `puppeteer.Timestamp puppeteer.LayoutDuration puppeteer.RecalcStyleDuration
			puppeteer.ScriptDuration puppeteer.TaskDuration`,
		"count": `puppeteer.Documents puppeteer.Frames puppeteer.JSEventListeners puppeteer.Nodes
			puppeteer.LayoutCount puppeteer.RecalcStyleCount resource.count`,
		"bytes": `puppeteer.JSHeapUsedSize puppeteer.JSHeapTotalSize resource.totalTransferSize
			resource.largestTransferSize`,
	} {
		for name := range strings.FieldsSeq(names) {
			all[name] = unit
		}
	}
	return all
}()

// ContractFact is a parsed fact.
type ContractFact struct {
	Unit  string  // performance
	Value float64 // performance

	Entries   []consoleEntry // console
	Types     []any          // console: captured_types; nil: all
	Truncated bool           // console

	CapturedAt string
	Out        Details // the fact as evidence shows it
	// Late is a fault of the fact's age, or nil. A fault of its form takes precedence.
	Late error
}

// ContractFacts are the performance and console facts of a snapshot, and what decides which
// of them counts.
type ContractFacts struct {
	Raw          json.RawMessage
	Session, Tab string // where a fact must come from
	Now          time.Time

	list *jsonfile.Node // raw, once it was read
}

func (c *ContractFacts) items() ([]*jsonfile.Node, error) {
	if len(c.Raw) > maxFactsJSON {
		return nil, fmt.Errorf("contract_facts are larger than %d MiB", maxFactsJSON>>20)
	}
	if c.list == nil && c.Raw != nil {
		list, err := Parse(c.Raw)
		if err != nil {
			return nil, err
		}
		c.list = list
	}
	list := c.list
	missing := func(reason string) error { return &Fault{Code: "CONTRACT_FACTS_MISSING", Reason: reason} }
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

// Newest sets Session and Now, and Tab if it is empty, to those of the newest fact of the tab. It leaves them
// if there is none.
func (c *ContractFacts) Newest() {
	list, _ := c.items()
	tab := c.Tab
	for _, o := range list {
		at, ok := parseTimestamp(StringAt(o, "captured_at"))
		target := StringAt(o, "target_id")
		if ok && (tab == "" || target == tab) && time.UnixMilli(at).After(c.Now) {
			c.Session, c.Tab, c.Now = StringAt(o, "session_id"), target, time.UnixMilli(at)
		}
	}
}

// Performance selects the fact of a metric. maxAge is in milliseconds. The error is a [*Fault] if
// no fact can be judged.
func (c *ContractFacts) Performance(metric string, maxAge float64) (*ContractFact, error) {
	return c.newestOf("performance", metric, maxAge, parsePerformanceFact)
}

// Console selects the console fact, like [ContractFacts.Performance].
func (c *ContractFacts) Console(maxAge float64) (*ContractFact, error) {
	return c.newestOf("console", "", maxAge, parseConsoleFact)
}

// newestOf selects the fact to judge: the newest fact of the kind (and of the metric, if one is
// named) that belongs to this session and tab and is not too old. Only this fact must be
// well-formed.
func (c *ContractFacts) newestOf(kind, metric string, maxAge float64, parse func(*jsonfile.Node) (*ContractFact, *Fault)) (*ContractFact, error) {
	list, err := c.items()
	if err != nil {
		return nil, err
	}
	var candidates, scoped []*jsonfile.Node
	for _, o := range list {
		if StringAt(o, "kind") != kind || metric != "" && StringAt(o, "metric") != metric {
			continue
		}
		candidates = append(candidates, o)
		if s := o.Get("session_id"); s.Is(jsonfile.String) && s.Text == c.Session && StringAt(o, "target_id") == c.Tab {
			scoped = append(scoped, o)
		}
	}
	switch {
	case len(candidates) == 0 && metric != "":
		return nil, NewFault("NOT_FOUND", "no performance contract fact found for metric "+metric)
	case len(candidates) == 0:
		return nil, NewFault("NOT_FOUND", "no console contract fact found")
	case c.Tab == "":
		return nil, NewFault("SCOPE_MISSING", "evidence.provenance.target_id is required for contract facts")
	case len(scoped) == 0:
		// A fault of the form takes precedence, unless one of them is well-formed.
		var first *Fault
		for _, o := range candidates {
			_, fault := parse(o)
			if fault == nil {
				return nil, NewFault("SCOPE_MISMATCH", "contract facts do not belong to the current MCP session and target",
					Detail{"expected_session_id", c.Session}, Detail{"expected_target_id", c.Tab})
			}
			if first == nil || fault.Code == "CONTRACT_FACT_SCHEMA_UNSUPPORTED" {
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
	fact.Late = late
	return fact, nil
}

// newest selects the fact with the latest time. It also selects a single fact without a
// valid time; the parser then reports that fact as malformed.
func (c *ContractFacts) newest(scoped []*jsonfile.Node, maxAge float64) (chosen *jsonfile.Node, late, err error) {
	times := make([]int64, len(scoped))
	invalid := 0
	for i, o := range scoped {
		var ok bool
		if times[i], ok = parseTimestamp(StringAt(o, "captured_at")); !ok {
			chosen = o
			invalid++
		}
	}
	switch {
	case invalid == 1:
		return chosen, nil, nil
	case invalid > 1:
		return nil, nil, NewFault("MALFORMED", "multiple matching contract facts have malformed captured_at values",
			Detail{"candidate_count", float64(invalid)})
	}
	now := c.Now.UnixMilli()
	at := slices.Min(times)
	for _, t := range times {
		if t <= now {
			at = max(at, t)
		}
	}
	captured := Detail{"captured_at", formatTimestamp(at)}
	switch age := float64(now - at); {
	case at > now:
		late = NewFault("MALFORMED", "matching contract facts are captured in the future", captured, Detail{"future_by_ms", -age})
	case age > maxAge:
		late = NewFault("STALE", "matching contract facts are older than max_age_ms",
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
		return nil, nil, NewFault("MALFORMED", "multiple matching contract facts share the selected captured_at",
			captured, Detail{"candidate_count", float64(count)})
	}
	return chosen, late, nil
}

// parseBase checks the fields that every kind of fact has, in OpenChrome's order.
func parseBase(o *jsonfile.Node, kind, tool string) (*ContractFact, *Fault) {
	version := o.Get("schema_version")
	if n, ok := NumberAt(o, "schema_version"); !ok || n != 1 {
		shown := "undefined"
		if version != nil {
			shown = version.JS()
		}
		return nil, NewFault("SCHEMA_UNSUPPORTED", "unsupported contract fact schema version: "+shown)
	}
	if StringAt(o, "kind") != kind || StringAt(o, "source_tool") != tool {
		return nil, malformed("contract fact kind/source_tool pair is malformed")
	}
	session, target := StringAt(o, "session_id"), StringAt(o, "target_id")
	if !Bounded(session, 256) || !Bounded(target, 256) {
		return nil, malformed("contract fact session_id/target_id is malformed")
	}
	at, ok := parseTimestamp(StringAt(o, "captured_at"))
	if !ok {
		return nil, malformed("contract fact captured_at is malformed")
	}
	f := &ContractFact{CapturedAt: formatTimestamp(at)}
	f.Out = Details{
		{"schema_version", 1.0}, {"kind", kind}, {"source_tool", tool},
		{"session_id", session}, {"target_id", target}, {"captured_at", f.CapturedAt},
	}
	return f, nil
}

func parsePerformanceFact(o *jsonfile.Node) (*ContractFact, *Fault) {
	f, fault := parseBase(o, "performance", "performance_metrics")
	if fault != nil {
		return nil, fault
	}
	metric := StringAt(o, "metric")
	if !MetricForm.MatchString(metric) {
		return nil, malformed("performance fact metric is malformed")
	}
	if f.Unit = StringAt(o, "unit"); !slices.Contains(MetricUnits, f.Unit) {
		return nil, malformed("performance fact unit is malformed")
	}
	var ok bool
	if f.Value, ok = NumberAt(o, "value"); !ok || !IsFinite(f.Value) {
		return nil, malformed("performance fact value must be finite")
	}
	f.Out = append(f.Out, Detail{"metric", metric}, Detail{"unit", f.Unit}, Detail{"value", f.Value})
	return f, nil
}

// timestampForm is stricter than RFC 3339 in package time.
var timestampForm = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$`)

// parseTimestamp reads YYYY-MM-DDTHH:MM:SS[.d…](Z|±HH:MM), with at most nine fraction
// digits, a real date and a year from 0 to 9999 in UTC. It returns milliseconds since 1970
// and ignores further digits.
func parseTimestamp(s string) (ms int64, ok bool) {
	t, err := time.Parse(time.RFC3339, s)
	year := t.UTC().Year()
	return t.UnixMilli(), err == nil && timestampForm.MatchString(s) && year >= 0 && year <= 9999
}

// formatTimestamp formats t like JavaScript's Date.prototype.toISOString.
func formatTimestamp(ms int64) string {
	return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z")
}

// IsInteger is Number.isInteger.
func IsInteger(n float64) bool { return n == math.Trunc(n) && !math.IsInf(n, 0) }

// IsSafeInteger is Number.isSafeInteger.
func IsSafeInteger(n float64) bool { return IsInteger(n) && math.Abs(n) <= 1<<53-1 }

// IsFinite reports whether n is a finite number; n is not NaN.
func IsFinite(n float64) bool { return !math.IsInf(n, 0) }

// Bounded reports whether s has between 1 and n UTF-16 units.
func Bounded(s string, n int) bool { return s != "" && jsregexp.Length(s) <= n }
