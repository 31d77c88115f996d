package why

import (
	"fmt"
	"slices"

	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/report"
)

// Whose says whose a failure is.
type Whose string

// A failure is the server's only if a false success, an error or an undone act concerns what the failed check
// needs. It is the transcript's, the policy's or the agent's if the answers said what happened, and it went on
// or made no call for it.
const (
	OfServer     Whose = "server"
	OfTranscript Whose = "transcript"
	OfPolicy     Whose = "policy"
	OfAgent      Whose = "agent"
	OfPage       Whose = "page"
	OfHarness    Whose = "harness" // or the machine
	NotKnown     Whose = "not known"
)

// mark stands before what is said of a failure.
func (w Whose) mark() string {
	if w == NotKnown {
		return "whose is not known: "
	}
	return string(w) + ": "
}

// caller is who decided the calls of an episode.
func caller(e *report.Episode) Whose {
	switch {
	case e.Policy != "":
		return OfPolicy
	case e.AgentSaid != nil:
		return OfAgent
	}
	return OfTranscript
}

// blame says whose the failure is, and why.
func (d *Diagnosis) blame() (is Whose, because string) {
	e, script := d.Episode, caller(d.Episode)
	switch {
	case e.Status.Class() == record.Void && e.Cause == record.CauseAdapter:
		return script, "it failed"
	case e.Status.Class() == record.Void && e.Cause == record.CauseNoSession:
		return NotKnown, "the session did not start"
	case e.Status.Class() == record.Void:
		return OfHarness, "nothing could be judged"
	case d.part != nil && d.part.Denied:
		return OfServer, "it dismissed the page's question"
	case e.KnownDefect:
		return OfServer, "it is a known defect"
	case e.Cause == record.CauseNoTool || e.Cause == record.CauseUnsupported:
		return script, "it stopped at a step for which it has no call"
	case e.Cause == record.CauseOpenChrome:
		return OfServer, "it ended, or broke the protocol"
	}
	switch d.kind {
	case atNothing:
		if e.ToolCalls == 0 && e.ChangedAnswers == nil { // a canonical report has no calls
			return script, "it made no call"
		}
		return NotKnown, "the calls are not known"
	case atPart:
		return d.blamePart(script)
	case atFault:
		return OfPage, "it reported an error"
	case atUnasked:
		return script, "no call asked for it"
	case atSent:
		m := d.missed
		isPlain := m.Kind != record.MissedValue && m.Kind != record.MissedState && (m.Kind != record.MissedUnsent || m.Early != "")
		if isPlain && !slices.ContainsFunc(d.call.Parts, func(p record.Part) bool { return p.Word != record.AsAsked }) {
			return script, "the page got what the call asked for"
		}
		return NotKnown, "it sent " + map[bool]string{true: "another request", false: "the wrong request"}[m.Kind == record.MissedUnsent]
	case atNotDone:
		if d.part.Hit != nil && d.part.Hit.Of < 2 {
			return OfServer, "it did not do it, and the " + string(script) + " gave up"
		}
		return NotKnown, "the " + string(script) + " gave up, and this was not done"
	case atGaveUp:
		if d.call.Partial != "" {
			return script, "the answer says what it leaves out, and no call asked for it"
		}
		return NotKnown, "the " + string(script) + " gave up after it"
	case atNoAnswer:
		if 2*d.call.DurationMs > float64(e.MaxDurationMs) {
			return OfServer, "it gave no answer until the time cap"
		}
		return NotKnown, "it has no answer"
	}
	return NotKnown, map[kind]string{atChanged: "the first changed answer", atUntrue: "its answer is untrue", atError: "the first error", atLast: "the last step"}[d.kind]
}

// blamePart is blame for what the page got of a part.
func (d *Diagnosis) blamePart(script Whose) (is Whose, because string) {
	c, p := d.call, d.part
	if d.then != nil {
		c, p = d.then, d.thenPart
	}
	m := d.missed
	isAtOnce := m.Sent != "" && m.Kind != record.MissedUnsent && c.Step == m.Step // nobody could mend it
	u := d.unmet
	switch {
	case u != nil && u.Shown != nil && u.Shown.Of > 1 && (p.Hit == nil || p.Hit.Field != u.Name):
		return script, fmt.Sprintf("it was for %q, and no call says so", u.Shown.Words())
	case p.Word == record.OneOfSeveral:
		return script, "the page shows several of this name, and the call does not say which"
	case p.Untrue && p.Word != record.More:
		return OfServer, "its answer is a false success"
	case p.Word == record.OtherName:
		return script, "the page shows no control of this name"
	case isAtOnce && p.Word == record.Refused:
		return OfServer, "it sent the request all the same"
	case isAtOnce && IsOther(*p):
		return OfServer, "it did something else, and sent the request"
	case p.Word == record.Refused || IsOther(*p):
		return script, fmt.Sprintf("the answer says so, and the %s went on", script)
	case p.Word == record.AsAsked && u != nil && p.Value != u.Value:
		return script, "the call asked for another value"
	}
	return NotKnown, map[record.Word]string{
		record.AsAsked: "the field got it, and the request has another value", record.NoEffect: "nothing changed",
		record.More: "more happened than was asked", record.ErrorButDone: "it was done, although the answer is an error",
		record.NotKnown: "it is not known whether it hit what was asked for",
	}[p.Word]
}
