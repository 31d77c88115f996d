package judge

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/openchrome/bench/harness/internal/judge/evidence"
	"github.com/openchrome/bench/harness/internal/judge/phash"
)

// Verdict is pass, fail or inconclusive; in an explained contract also "not
// reached".
type Verdict string

// The verdicts.
const (
	Pass         Verdict = "pass"
	Fail         Verdict = "fail"
	Inconclusive Verdict = "inconclusive"
	NotReached   Verdict = "not reached" // an "and" or "or" was decided by an earlier child
)

// Provenance says where facts were read.
type Provenance struct {
	TargetID string `json:"target_id,omitempty"` // id of the tab
}

// Input holds the facts that [Judge] uses. The zero value has no snapshot, which makes
// every contract inconclusive.
type Input struct {
	Facts      *evidence.Facts // the snapshot; nil: there is none
	Provenance Provenance
	// SessionID is the MCP session that performance and console facts must come from.
	SessionID string
	// Now is the time from which the age of these facts is computed, in whole milliseconds.
	// The zero Time is long before any fact.
	Now        time.Time
	Classes    map[string]phash.Class // screenshot classes by their ids
	ClassesDir string                 // has a folder for each other class

	image *imageAnswer // nil: no vision model is available
}

// Judgement is the answer of [Judge], in the form of OpenChrome's oc_assert.
type Judgement struct {
	Verdict            Verdict           `json:"verdict"`
	Evidence           *evidence.Node    `json:"evidence,omitempty"`
	FailedAssertions   []FailedAssertion `json:"failed_assertions,omitempty"`
	FailureCategory    string            `json:"failure_category,omitempty"`
	FailureReason      string            `json:"failure_reason,omitempty"`
	ErrorCode          string            `json:"error_code,omitempty"`
	InconclusiveReason string            `json:"inconclusive_reason,omitempty"`
}

// maxWork bounds the number of bytes that one judgement reads; a byte takes about a
// nanosecond. It is a count and not a time, so that the same facts give the same verdict on
// a busy machine.
const maxWork = 64 << 20

// Judge judges the contract on the facts. A contract that does not hold is a verdict, never
// an error. A nil Contract is inconclusive, like a missing one.
//
// A pattern may take 2 s, and everything else may read 64 MiB of
// facts. An assertion that exceeds such a limit is inconclusive.
func Judge(c *Contract, in Input) Judgement {
	switch {
	case c == nil:
		return Judgement{Verdict: Inconclusive, InconclusiveReason: "missing required field: `contract`"}
	case in.Facts == nil:
		return Judgement{Verdict: Inconclusive, InconclusiveReason: "no evidence.snapshot provided; oc_assert is a snapshot-driven verifier and cannot capture page state on its own."}
	}
	j := newJudging(in)
	e := j.node(c.root)
	out := Judgement{Verdict: verdictOf(e), Evidence: e}
	switch out.Verdict {
	case Fail:
		out.FailedAssertions = failedAssertions(nil, c.root, e)
		out.FailureCategory = "POSTCONDITION_FAILED"
		out.FailureReason = "the contract postcondition did not hold (expected/actual mismatch)"
	case Inconclusive:
		out.ErrorCode = e.Details.Text("error_code")
		out.InconclusiveReason, _ = e.Inconclusive()
		if reason, ok := e.Details.Get("reason"); ok {
			out.InconclusiveReason, _ = reason.(string)
		}
	}
	return out
}

type judging struct {
	in    Input
	facts *evidence.Facts
	start time.Time
	slow  error // of a pattern that took too long
	work  int   // bytes read so far, see maxWork
	// negated says that the assertion being judged is below an odd number of "not".
	negated bool

	list *evidence.ContractFacts // read once, when an assertion first needs them
}

func newJudging(in Input) *judging {
	return &judging{in: in, facts: in.Facts, start: time.Now()}
}

// measured returns the performance and console facts.
func (j *judging) measured() *evidence.ContractFacts {
	j.work += len(j.facts.ContractFacts)
	if j.list == nil {
		j.list = &evidence.ContractFacts{Raw: j.facts.ContractFacts, Session: j.in.SessionID, Tab: j.in.Provenance.TargetID, Now: j.in.Now}
	}
	return j.list
}

func (j *judging) node(n *node) *evidence.Node {
	if n.leaf == nil {
		return j.logic(n)
	}
	e := &evidence.Node{AssertionKind: n.kind.name}
	if j.work > maxWork {
		e.Details = failure(errTooMuch)
		return e
	}
	j.work += leafWork
	if e.Details = j.unavailable(n.kind.fact, n.of); e.Details == nil {
		e.Passed, e.Details = n.leaf.judge(j)
	}
	return e
}

// leafWork is the work for an assertion besides reading its facts, in bytes.
const leafWork = 1 << 10

var errTooMuch = fmt.Errorf("not judged: the contract reads more than %d MiB of facts; use fewer assertions or narrower selectors", maxWork>>20)

// failure is the evidence of an assertion that cannot be judged, in OpenChrome's form for
// an exception or a missing fact. own are the details that the assertion adds.
func failure(err error, own ...evidence.Detail) evidence.Details {
	f, ok := errors.AsType[*evidence.Fault](err)
	if !ok {
		return evidence.Details{{Key: "error", Value: err.Error()}}
	}
	d := evidence.Details{{Key: "error", Value: f.Code}, {Key: "error_code", Value: f.Code}, {Key: "reason", Value: f.Reason}}
	return append(append(d, own...), f.More...)
}

// unavailable returns the evidence of a fact that could not be read, or nil. of
// is a selector.
func (j *judging) unavailable(fact, of string) evidence.Details {
	for _, name := range []string{fact + " " + of, fact} {
		if reason, ok := j.facts.Unavailable[name]; ok {
			return failure(errors.New(cmp.Or(reason, fmt.Sprintf("the fact %q could not be read", name))))
		}
	}
	return nil
}

// FailedAssertion is one assertion that did not hold, as in OpenChrome's
// failed_assertions. Expected and Actual hold values as [evidence.Details] does.
type FailedAssertion struct {
	Name     string `json:"name"` // path and kind, such as $.children.1[url]
	Expected any    `json:"expected"`
	Actual   any    `json:"actual"`
	Location string `json:"location,omitempty"` // path; "" for an assertion below a "not"
}

// UnmarshalJSON gives the values their types.
func (f *FailedAssertion) UnmarshalJSON(data []byte) error {
	n, err := evidence.Parse(data)
	if err == nil {
		*f = FailedAssertion{evidence.StringAt(n, "name"), evidence.ValueOf(n.Get("expected")), evidence.ValueOf(n.Get("actual")), evidence.StringAt(n, "location")}
	}
	return err
}

// failedAssertions appends the assertions below n that made it fail. For a failed "not", it
// appends the child.
func failedAssertions(out []FailedAssertion, n *node, e *evidence.Node) []FailedAssertion {
	switch {
	case e.Passed:
	case n.leaf != nil:
		f := FailedAssertion{n.name(), n.expected(), e.Details, n.path}
		if n.kind.actual != nil {
			f.Actual = n.kind.actual(e.Details)
		}
		out = append(out, f)
	case n.kind.name == "not":
		out = append(out, FailedAssertion{n.children[0].name(), evidence.Details{{Key: "negated", Value: true}}, e.Children()[0].Details, ""})
	default:
		for i, child := range e.Children() {
			out = failedAssertions(out, n.children[i], child)
		}
	}
	return out
}

func (n *node) name() string { return n.path + "[" + n.kind.name + "]" }

func verdictOf(e *evidence.Node) Verdict {
	if _, unclear := e.Inconclusive(); unclear {
		return Inconclusive
	}
	if e.Passed {
		return Pass
	}
	return Fail
}
