package normal

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/judge/evidence"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// Line returns the canonical form of one event, with its newline. Digests and diffs use
// only this form. Two equal episodes have equal lines, even if their repetitions differ.
func (n *Normaliser) Line(e record.Event) []byte {
	line := Encode(struct {
		Seq  int         `json:"seq"`
		Type record.Type `json:"type"`
		By   record.By   `json:"by,omitempty"`
		Body any         `json:"body,omitempty"`
	}{e.Seq, e.Body.Type(), e.By, n.body(e.Body)})
	// A tab's id can occur in any text: of the page, of an error, of evidence.
	return []byte(n.Tabs(string(line) + "\n"))
}

// body returns a copy of an event's body without volatile fields and with
// OpenChrome's answers normalised.
func (n *Normaliser) body(b record.Body) any {
	switch b := b.(type) {
	case *record.Reset:
		c := *b
		c.ToolSize = nil
		c.Attempt, c.Repetition, c.LaunchMs, c.WaitMs, c.Error = 0, 0, 0, 0, n.Text(b.Error)
		if b.Server != nil {
			s := *b.Server
			s.Package, s.Image = "", "" // a new comment in the package changes them
			c.Server = &s
		}
		return c
	case *record.ToolCall:
		c := *b
		c.Args = json.RawMessage(n.Args(b.Args))
		return c
	case *record.ToolResult:
		n.changed = n.changed || b.Drift != nil
		return struct {
			Step   int            `json:"step"`
			Tool   string         `json:"tool"`
			Answer Answer         `json:"answer"`
			Drift  *adapter.Drift `json:"drift,omitempty"`
			record.Fault
		}{b.Step, b.Tool, n.answered(b), b.Drift, record.Fault{Cause: b.Cause, Failure: n.Text(b.Failure)}}
	case *record.Progress:
		c := *b
		c.Failure = n.Text(b.Failure)
		// A busy machine may read the address before the page has moved. An answer's node ids can
		// be words too.
		c.URL, c.Words = "", nil
		return c
	case *record.Facts:
		return n.facts(b)
	case *record.ContractEval:
		c := *b
		c.Judgement = steady(b.Judgement)
		c.WrongSideEffects = nil
		for _, h := range b.WrongSideEffects {
			c.WrongSideEffects = append(c.WrongSideEffects, n.Text(h))
		}
		return c
	case *record.Stop:
		c := *b
		c.DurationMs, c.Cause, c.Reason = 0, "", n.Reason(b) // the cause follows from the other fields and events
		c.Error, c.Outage, c.ServerEnded = n.Text(b.Error), n.Text(b.Outage), n.Text(b.ServerEnded)
		c.Page, c.PageMissing, c.ServerMemory, c.TaskFile = "", "", 0, ""
		c.Ended, c.Requests, c.Missed = "", nil, nil
		return c
	}
	return nil // events of the run hold only ids, options and times
}

// facts removes times and all measurements: performance, console and screenshots.
func (n *Normaliser) facts(b *record.Facts) any {
	c := *b
	c.NowMs, c.SessionID, c.Provenance, c.Missing, c.Failure = 0, "", nil, n.Text(b.Missing), n.Text(b.Failure)
	c.Waited, c.Off = record.Waited{}, false // NoPage says it too
	if b.Facts == nil {
		return c
	}
	f := *b.Facts
	f.ContractFacts, f.ScreenshotPNG, f.LastToolCall = nil, "", 0
	f.Network = slices.Clone(f.Network)
	for i := range f.Network {
		f.Network[i].TS = 0
	}
	// A browser requests the parts of a page at the same time, so their order varies.
	slices.SortFunc(f.Network, func(a, b evidence.Request) int {
		return cmp.Or(strings.Compare(a.URL, b.URL), cmp.Compare(a.Status, b.Status))
	})
	c.Facts = &f
	return c
}

var measured = regexp.MustCompile(`"assertion_kind":"(performance|console|screenshot_class)"`)

// IsMeasured reports whether evidence, as JSON, holds measurements. Of such an assertion only the
// verdict is compared.
func IsMeasured(evidence []byte) bool { return measured.Match(evidence) }

// steady returns the judgement without measurements. If the evidence holds measurements at
// any depth, only the verdict and the names of the failed assertions stay.
func steady(j judge.Judgement) judge.Judgement {
	if j.Evidence == nil || !IsMeasured(Encode(j.Evidence)) {
		return j
	}
	j.Evidence = &evidence.Node{Passed: j.Evidence.Passed, AssertionKind: j.Evidence.AssertionKind}
	j.FailedAssertions = slices.Clone(j.FailedAssertions)
	for i := range j.FailedAssertions {
		j.FailedAssertions[i].Actual = nil
	}
	return j
}

// Encode returns v as JSON with sorted keys and without HTML escapes. Values in reports can
// always be encoded.
func Encode(v any) []byte {
	raw, err := record.Marshal(v)
	if err != nil {
		panic(err)
	}
	return raw
}

// Decode reads the output of Encode. Numbers stay as they are written.
func Decode(raw []byte) (v any) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		panic(err)
	}
	return v
}

// Write writes a decoded JSON value with sorted keys and a field a line, and a newline at its end. What
// is nested deeper than [display.MaxIndent] stays on one line.
func Write(w io.Writer, v any) error {
	b := bufio.NewWriter(w)
	put(b, v, "\n")
	b.WriteByte('\n')
	return b.Flush()
}

// put writes v with a field a line. A list of values that hold no others stands on one
// line, and so does each element of a list that holds no others.
func put(b *bufio.Writer, v any, newline string) {
	if len(newline) > len("\n")+len("  ")*display.MaxIndent {
		b.Write(Encode(v))
		return
	}
	switch v := v.(type) {
	case map[string]any:
		b.WriteByte('{')
		comma := ""
		for _, key := range slices.Sorted(maps.Keys(v)) {
			b.WriteString(comma + newline + "  ")
			b.Write(Encode(key))
			b.WriteString(": ")
			put(b, v[key], newline+"  ")
			comma = ","
		}
		if len(v) > 0 {
			b.WriteString(newline)
		}
		b.WriteByte('}')
	case []any:
		if !slices.ContainsFunc(v, isNested) {
			b.Write(Encode(v))
			return
		}
		b.WriteByte('[')
		comma := ""
		for _, element := range v {
			b.WriteString(comma + newline + "  ")
			if m, ok := element.(map[string]any); ok && !slices.ContainsFunc(slices.Collect(maps.Values(m)), isNested) {
				b.Write(Encode(m))
			} else {
				put(b, element, newline+"  ")
			}
			comma = ","
		}
		b.WriteString(newline + "]")
	default:
		b.Write(Encode(v))
	}
}

// isNested reports whether a decoded JSON value holds other values.
func isNested(v any) bool {
	switch v.(type) {
	case map[string]any, []any:
		return true
	}
	return false
}
