package report

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/contract"
	"github.com/openchrome/bench/harness/event"
)

// volatile are the fields of a report, its totals and its episodes that may
// differ between two runs that did the same. Those of events are the ones that
// [normaliser.body] leaves out. OpenChrome's hints are among them: some speak of
// how long a page took.
var volatile = []string{"runId", "durationMs", "artifacts", "host", "hints", "digest"}

// canonicalEvent is an event in the form that digests and diffs see.
type canonicalEvent struct {
	Seq     int        `json:"seq"`
	Episode string     `json:"episode,omitempty"`
	Type    event.Type `json:"type"`
	By      event.By   `json:"by,omitempty"`
	Body    any        `json:"body,omitempty"`
}

// body returns a copy of an event's body without volatile fields and with
// OpenChrome's answers normalised.
func (n *normaliser) body(b event.Body) any {
	switch b := b.(type) {
	case *event.Reset:
		c := *b
		c.LaunchMs, c.WaitMs, c.Error = 0, 0, n.text(b.Error)
		return c
	case *event.ToolCall:
		c := *b
		c.Args = n.args(b.Args)
		return c
	case *event.ToolResult:
		return struct {
			Step   int    `json:"step"`
			Tool   string `json:"tool"`
			Answer answer `json:"answer"`
			event.Fault
		}{b.Step, b.Tool, n.result(b.Result), event.Fault{Cause: b.Cause, Failure: n.text(b.Failure)}}
	case *event.Progress:
		c := *b
		c.Failure = n.text(b.Failure)
		return c
	case *event.Facts:
		return n.facts(b)
	case *event.ContractEval:
		c := *b
		c.Failure, c.UpstreamMissing = n.text(b.Failure), n.text(b.UpstreamMissing)
		c.Judgement = steady(b.Judgement)
		if b.Upstream != nil {
			u := steady(*b.Upstream)
			c.Upstream = &u
		}
		return c
	case *event.Stop:
		c := *b
		c.DurationMs, c.Reason, c.Drift = 0, n.text(b.Reason), n.drift(b.Drift)
		c.Error, c.Outage = n.text(b.Error), n.text(b.Outage)
		return c
	}
	return nil // events of the run: ids, options and times
}

// facts drops times, and what is measured afresh each time: performance and
// console facts, screenshots.
func (n *normaliser) facts(b *event.Facts) any {
	c := *b
	c.NowMs, c.SessionID, c.Provenance, c.Missing, c.Failure = 0, "", nil, n.text(b.Missing), n.text(b.Failure)
	if b.Facts == nil {
		return c
	}
	f := *b.Facts
	f.ContractFacts, f.ScreenshotPNG, f.LastToolCall = nil, "", 0
	f.Network = slices.Clone(f.Network)
	for i := range f.Network {
		f.Network[i].TS = 0
	}
	// A browser asks for the parts of a page at once: they arrive in any order.
	slices.SortFunc(f.Network, func(a, b contract.Request) int {
		return cmp.Or(strings.Compare(a.URL, b.URL), cmp.Compare(a.Status, b.Status))
	})
	c.Facts = &f
	return c
}

// measured are the assertion kinds whose evidence holds measurements; of those
// only the verdict is compared.
var measured = []string{"performance", "console", "screenshot_class"}

// steady returns the judgement without measurements. Evidence of a tree may
// hold them at any depth: then its verdict and failed assertions' names are
// what is compared.
func steady(j contract.Judgement) contract.Judgement {
	if j.Evidence == nil || !holdsMeasurement(*j.Evidence) {
		return j
	}
	j.Evidence = &contract.Evidence{Passed: j.Evidence.Passed, AssertionKind: j.Evidence.AssertionKind}
	j.FailedAssertions = slices.Clone(j.FailedAssertions)
	for i := range j.FailedAssertions {
		j.FailedAssertions[i].Actual = nil
	}
	return j
}

func holdsMeasurement(e contract.Evidence) bool {
	raw, err := json.Marshal(e)
	return err != nil || showsMeasurement(raw)
}

func showsMeasurement(evidence []byte) bool {
	for _, kind := range measured {
		if bytes.Contains(evidence, []byte(`"assertion_kind":"`+kind+`"`)) {
			return true
		}
	}
	return false
}

// Canonical writes the report without its volatile fields, keys sorted, an
// episode a line. Two runs that did the same give the same bytes.
func Canonical(w io.Writer, r *Report) error {
	head := *r
	head.Episodes = nil
	fields, err := strip(head)
	if err != nil {
		return err
	}
	b := &bytes.Buffer{}
	b.WriteString("{\n")
	for i, key := range slices.Sorted(maps.Keys(fields)) {
		if i > 0 {
			b.WriteString(",\n")
		}
		fmt.Fprintf(b, "%q: ", key)
		if key != "episodes" {
			if err := encode(b, fields[key]); err != nil {
				return err
			}
			continue
		}
		b.WriteString("[")
		for i := range r.Episodes {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString("\n  ")
			one, err := strip(r.Episodes[i])
			if err == nil {
				one["events"] = r.Episodes[i].Digest
				if showsMeasurement(r.Episodes[i].Evidence) {
					delete(one, "evidence")
					delete(one, "explanation")
					delete(one, "failedContract")
				}
				err = encode(b, one)
			}
			if err == nil {
				_, err = b.WriteTo(w)
			}
			if err != nil {
				return err
			}
		}
		b.WriteString("\n]")
	}
	b.WriteString("\n}\n")
	_, err = b.WriteTo(w)
	return err
}

// strip turns v into a JSON object without volatile fields, its own and those of
// its totals.
func strip(v any) (map[string]any, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var fields map[string]any
	if err := dec.Decode(&fields); err != nil {
		return nil, err
	}
	totals, _ := fields["totals"].(map[string]any)
	for _, name := range volatile {
		delete(fields, name)
		delete(totals, name)
	}
	return fields, nil
}

// encode writes v with sorted keys and without HTML escapes or a newline.
func encode(b *bytes.Buffer, v any) error {
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	b.Truncate(b.Len() - 1)
	return nil
}

func digest(r *Report) (string, error) {
	h := sha256.New()
	if err := Canonical(h, r); err != nil {
		return "", err
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil)), nil
}
