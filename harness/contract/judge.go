package contract

import (
	"errors"
	"fmt"
	"time"

	"github.com/openchrome/bench/harness/contract/jsregexp"
)

// Verdict is pass, fail or inconclusive; in an explained contract also "not
// reached".
type Verdict string

// The verdicts.
const (
	Pass         Verdict = "pass"
	Fail         Verdict = "fail"
	Inconclusive Verdict = "inconclusive"
	NotReached   Verdict = "not reached" // and, or stopped at an earlier child
)

// Provenance says where facts were read.
type Provenance struct {
	TargetID string `json:"target_id,omitempty"` // of the tab
}

// ImageAnswer is what a host's model said to an image_qa question.
type ImageAnswer struct {
	Answer string `json:"answer"`
	// Unsupported says why the host has no answer; "" when it has one.
	Unsupported string `json:"unsupported,omitempty"`
}

// Input is what [Judge] weighs. The zero value has no snapshot, which makes
// every contract inconclusive.
type Input struct {
	Facts      *Facts     `json:"facts"` // the snapshot; nil: there is none
	Provenance Provenance `json:"provenance"`
	// SessionID is the MCP session that performance and console facts must be
	// from.
	SessionID string `json:"session_id,omitempty"`
	// Now is the instant that the age of such facts is measured from, in
	// whole milliseconds. The zero Time is long before any fact.
	Now time.Time `json:"now"`
	// ImageQA answers image_qa; nil: there is no host to ask.
	ImageQA *ImageAnswer `json:"image_qa,omitempty"`
	// ClassesDir is the folder that holds a folder for each screenshot class.
	ClassesDir string `json:"-"`
}

// Judgement is the answer of [Judge], in the form of OpenChrome's oc_assert.
type Judgement struct {
	Verdict            Verdict           `json:"verdict"`
	Evidence           *Evidence         `json:"evidence,omitempty"`
	FailedAssertions   []FailedAssertion `json:"failed_assertions,omitempty"`
	FailureCategory    string            `json:"failure_category,omitempty"`
	FailureReason      string            `json:"failure_reason,omitempty"`
	ErrorCode          string            `json:"error_code,omitempty"`
	InconclusiveReason string            `json:"inconclusive_reason,omitempty"`
}

// maxWork bounds what one judgement looks at, in bytes; a byte takes about a
// nanosecond. It is a count and no time, so that the same facts give the same
// verdict on a busy machine.
const maxWork = 64 << 20

// Judge weighs the facts. A contract that does not hold is a verdict, never
// an error. A nil Contract is inconclusive, as a missing one; for one that
// [Parse] refused there is [Refused].
//
// All patterns together get 150 ms, and everything else may look at 64 MiB of
// facts; an assertion that finds that used up is inconclusive.
func Judge(c *Contract, in Input) Judgement {
	switch {
	case c == nil:
		return Judgement{Verdict: Inconclusive, InconclusiveReason: "missing required field: `contract`"}
	case in.Facts == nil:
		return Judgement{Verdict: Inconclusive, InconclusiveReason: "no evidence.snapshot provided; oc_assert is a snapshot-driven verifier and cannot capture page state on its own."}
	}
	j := &judging{in: in, facts: in.Facts, budget: jsregexp.Budget{Steps: patternSteps}, start: time.Now()}
	e := j.node(c.root)
	out := Judgement{Verdict: e.verdict(), Evidence: e}
	switch out.Verdict {
	case Fail:
		out.FailedAssertions = failedAssertions(nil, c.root, e)
		out.FailureCategory = "POSTCONDITION_FAILED"
		out.FailureReason = "the contract postcondition did not hold (expected/actual mismatch)"
	case Inconclusive:
		out.ErrorCode = e.Details.text("error_code")
		out.InconclusiveReason, _ = e.inconclusive()
		if reason, ok := e.Details.Get("reason"); ok {
			out.InconclusiveReason, _ = reason.(string)
		}
	}
	return out
}

// Refused is the judgement of a contract that [Parse] found faults in.
func Refused([]Fault) Judgement {
	return Judgement{Verdict: Inconclusive, InconclusiveReason: "contract failed schema validation"}
}

// judging is the state of one judgement.
type judging struct {
	in     Input
	facts  *Facts
	budget jsregexp.Budget
	start  time.Time
	work   int // bytes looked at, see maxWork

	hashed  bool // hash and hashErr are set
	hash    uint64
	hashErr error
	classes map[string]loadedClass

	decoded bool // contractFacts and decodeErr are set
	factsV  any
	factErr error
}

func (j *judging) node(n *node) *Evidence {
	if n.leaf == nil {
		return j.logic(n)
	}
	if j.work > maxWork {
		return &Evidence{AssertionKind: n.kind, Details: failure(errTooMuch)}
	}
	j.work += leafWork
	ok, d := n.leaf.judge(j)
	return &Evidence{Passed: ok, AssertionKind: n.kind, Details: d}
}

// leafWork is what an assertion costs beside its facts, in bytes.
const leafWork = 1 << 10

var errTooMuch = fmt.Errorf("the contract is not judged to its end: it looks at more than %d MiB of facts", maxWork>>20)

// failure is the evidence of an assertion that cannot be judged: OpenChrome's
// for an exception.
func failure(err error) Details { return Details{{"error", err.Error()}} }

// unavailable returns the evidence of a fact that could not be read, or nil.
func (j *judging) unavailable(fact string) Details {
	reason, ok := j.facts.Unavailable[fact]
	if !ok {
		return nil
	}
	if reason == "" {
		reason = fmt.Sprintf("the fact %q could not be read", fact)
	}
	return failure(errors.New(reason))
}

// unavailableFor is unavailable for the fact of one selector.
func (j *judging) unavailableFor(fact, selector string) Details {
	if len(j.facts.Unavailable) == 0 {
		return nil
	}
	if d := j.unavailable(fact + " " + selector); d != nil {
		return d
	}
	return j.unavailable(fact)
}
