package record

import (
	"cmp"
	"fmt"
	"time"

	"github.com/openchrome/bench/harness/internal/judge"
)

// Status says how an episode ended. [Rules] says when each one applies.
type Status string

// The statuses.
const (
	Interrupted  Status = "interrupted"
	Passed       Status = "passed"
	ToolError    Status = "tool_error"
	AdapterError Status = "adapter_error"
	Timeout      Status = "timeout"
	Inconclusive Status = "inconclusive"
	MaxSteps     Status = "max_steps"
	Failed       Status = "failed"
)

// Class is what a status counts as.
type Class string

// The classes. A void episode counts neither for nor against OpenChrome.
const (
	Pass Class = "pass"
	Fail Class = "fail"
	Void Class = "void"
)

// Class returns what the status counts as; an unknown status is void.
func (s Status) Class() Class {
	switch s {
	case Passed:
		return Pass
	case ToolError, Timeout, MaxSteps, Failed:
		return Fail
	}
	return Void
}

// Causes are the reasons that can decide an episode's status, in words. An empty reason
// does not apply. They follow from the episode's events: see [Causes.Add].
type Causes struct {
	Interrupted   string // how far the episode was when the run was stopped
	Outage        string // how the environment failed
	ToolError     string // how OpenChrome ended or broke the protocol
	AdapterError  string // the adapter's error
	ChangedAnswer string // the first changed answer, or why no call could follow
	ChangedEnd    string // why a changed answer ended the episode
	Unsupported   string // why the transcript or the adapter gives up
	Holds         bool   // the contract holds
	NoPage        string // why there was no page to judge
	Missing       string // why there is no verdict
	TimeCap       string // the cap that was hit
	StepCap       string // the cap that was hit
	Failing       string // the part of the contract that does not hold

	maxDuration time.Duration
	maxSteps    int
	noSession   bool
	full        bool // the session filled the log of console messages
	changedStep int
}

// A Rule is a status and when it applies.
type Rule struct {
	Status Status
	Cause  Cause
	When   string // the same text as in the docs

	// applies reports whether the rule applies, and the reason of the stop.
	applies func(*Causes) (reason string, ok bool)
}

// Rules are in order. The first rule that applies gives the episode's status. The
// last one always applies.
var Rules = []Rule{
	{Interrupted, CauseStopped, "the run was stopped", when(func(c *Causes) string { return c.Interrupted })},
	{Passed, "", "the contract holds, and no fault or changed answer ended the episode", func(c *Causes) (string, bool) {
		return "", c.Holds && c.ToolError == "" && c.AdapterError == "" && c.ChangedEnd == ""
	}},
	{Inconclusive, CauseOutage, "the environment failed, not OpenChrome", func(c *Causes) (string, bool) {
		return "not OpenChrome's fault: " + c.Outage, c.Outage != ""
	}},
	{ToolError, CauseOpenChrome, "OpenChrome died, closed its stream or broke the protocol", when(func(c *Causes) string { return c.ToolError })},
	{AdapterError, CauseAdapter, "the adapter failed", when(func(c *Causes) string { return c.AdapterError })},
	{Inconclusive, CauseMissing, "an answer changed, and facts are missing", func(c *Causes) (string, bool) {
		return c.Missing, c.ChangedAnswer != "" && c.Missing != ""
	}},
	{AdapterError, CauseChangedAnswer, "a changed answer ended the episode, and the contract holds", func(c *Causes) (string, bool) {
		return c.ChangedEnd, c.ChangedEnd != "" && c.Holds
	}},
	{Failed, CauseChangedAnswer, "an answer changed, and the contract does not hold or was not judged", when(func(c *Causes) string { return c.ChangedAnswer })},
	{Failed, CauseUnsupported, "the transcript says that the server cannot do the task, or the adapter gave up", when(func(c *Causes) string { return c.Unsupported })},
	{Timeout, CauseTimeCap, "the adapter was not done at the time cap", when(func(c *Causes) string { return c.TimeCap })},
	{Failed, CauseNoPage, "there was no page to judge at the end", when(func(c *Causes) string { return c.NoPage })},
	{Inconclusive, CauseMissing, "the session did not start, or facts are missing", when(func(c *Causes) string { return c.Missing })},
	{MaxSteps, CauseStepCap, "the step cap was hit", when(func(c *Causes) string { return c.StepCap })},
	{Failed, CauseContract, "the adapter was done and the contract does not hold", func(c *Causes) (string, bool) { return c.Failing, true }},
}

func when(cause func(*Causes) string) func(*Causes) (string, bool) {
	return func(c *Causes) (string, bool) { return cause(c), cause(c) != "" }
}

// Decide sets the status of a stop, its cause and its reason.
func (c *Causes) Decide(s *Stop) {
	r, reason := c.Rule()
	s.Status, s.Cause, s.Reason = r.Status, r.Cause, reason
	switch {
	case r.Cause == CauseMissing && c.noSession:
		s.Cause = CauseNoSession
	case r.Cause == CauseContract && c.full:
		s.Cause = CauseConsoleFull
	case r.Cause == CauseUnsupported && s.End == EndGaveUp:
		s.Cause = CauseGaveUp
	case r.Cause == CauseUnsupported && s.End == EndNoTool:
		s.Cause = CauseNoTool
	}
}

// Rule returns the first rule that applies, and the reason in words.
func (c *Causes) Rule() (rule Rule, reason string) {
	for _, r := range Rules {
		if reason, ok := r.applies(c); ok {
			return r, reason
		}
	}
	panic("record: the last rule does not apply")
}

// Add takes the next event of the episode, its Reset first. It does not read the status and
// reason of a stop. No event says which part of the
// contract does not hold, so a caller that has the contract must set Failing. Add sets it only
// if the session filled the console log.
func (c *Causes) Add(b Body) {
	switch b := b.(type) {
	case *Reset:
		c.maxDuration, c.maxSteps = time.Duration(b.Task.MaxDurationMs)*time.Millisecond, b.Task.MaxSteps
		if b.Refused {
			c.ToolError = b.Error
		} else if b.Error != "" {
			c.noSession, c.Missing = true, "the session did not start: "+b.Error
		}
	case *ToolResult:
		c.fault(b.Fault)
		if b.Drift != nil && c.ChangedAnswer == "" {
			c.ChangedAnswer, c.changedStep = ChangedReason(b.Step, b.ChangedWords()), b.Step
		}
	case *Progress:
		c.fault(b.Fault)
	case *Facts:
		c.fault(b.Fault)
		if b.NoPage != "" {
			c.NoPage = "no page to judge: " + b.NoPage
		}
		if b.Missing != "" {
			c.Missing = "facts are missing: " + b.Missing
		}
	case *ContractEval:
		c.Holds = b.Judgement.Verdict == judge.Pass
		c.full = b.Judgement.Verdict == judge.Inconclusive && b.Judgement.ErrorCode == judge.Truncated
		switch {
		case b.Judgement.Verdict != judge.Inconclusive:
		case c.full: // only the session's own messages fill that log
			c.Failing = "the session filled the log of console messages: " + b.Judgement.InconclusiveReason
		default:
			c.Missing = b.Judgement.InconclusiveReason
		}
	case *Agent: // if it failed, nothing counts, also if the contract holds
		c.AdapterError, c.Outage = cmp.Or(b.Error, b.Outage), cmp.Or(b.Outage, c.Outage)
	case *Stop:
		c.ended(b)
	}
}

func (c *Causes) fault(f Fault) {
	switch f.Cause {
	case CauseStopped:
		c.Interrupted = "the run was stopped"
	case CauseTimeCap:
		c.hitTimeCap()
	case CauseOutage:
		c.Outage = f.Failure
	case CauseOpenChrome:
		c.ToolError = f.Failure
	}
}

func (c *Causes) hitTimeCap() { c.TimeCap = fmt.Sprintf("not done within %s", c.maxDuration) }

func (c *Causes) ended(s *Stop) {
	switch s.End {
	case EndStopped:
		c.Interrupted = "the run was stopped"
		if c.noSession {
			c.Interrupted += " before the session was ready"
		}
	case EndTimeCap:
		c.hitTimeCap()
	case EndStepCap:
		c.StepCap = fmt.Sprintf("not done at the step cap of %d", c.maxSteps)
	case EndChangedAnswer:
		c.endedByChange(s.Error)
	case EndAdapter:
		c.AdapterError = cmp.Or(c.AdapterError, s.Error)
	case EndUnsupported:
		c.Unsupported = "unsupported: " + s.Error
	case EndNoTool:
		c.Unsupported = "no tool for a step: " + s.Error
	case EndGaveUp:
		c.Unsupported = "the adapter gave up: " + s.Error
	}
	if s.Outage != "" {
		c.Outage = s.Outage
	}
}

// endedByChange takes why no call could follow; empty with -drift=strict.
func (c *Causes) endedByChange(why string) {
	c.ChangedEnd = cmp.Or(why, fmt.Sprintf("-drift=strict, and the answer of step %d changed", c.changedStep))
	c.ChangedAnswer = cmp.Or(c.ChangedAnswer, why)
}
