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
// needs, or if the server hit something else, which sent the request. It is the transcript's, the policy's or
// the agent's if the answers said what happened, and the caller went on, or made no call for it.
const (
	OfServer     Whose = "server"
	OfTranscript Whose = "transcript"
	OfPolicy     Whose = "policy"
	OfAgent      Whose = "agent"
	OfPage       Whose = "page"
	OfHarness    Whose = "harness" // or the machine
	NotKnown     Whose = "whose is not known"
)

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
	isVoid := e.Status.Class() == record.Void
	switch {
	case isVoid && e.Cause == record.CauseAdapter:
		return script, "it failed"
	case isVoid:
		return OfHarness, "nothing could be judged"
	case d.part != nil && d.part.Denied:
		return OfServer, "it dismissed the page's question"
	case e.KnownDefect:
		return OfServer, "it is a known defect"
	case e.Cause == record.CauseNoTool, e.Cause == record.CauseUnsupported:
		return script, "it stopped at a step for which it has no call"
	case e.Cause == record.CauseOpenChrome:
		return OfServer, "it ended, or broke the protocol"
	case d.kind == atNothing && e.ToolCalls == 0 && e.ChangedAnswers == nil: // a record has no calls
		return script, "it made no call"
	case d.kind == atPart:
		return d.blamePart(script)
	case d.kind == atFault:
		return OfPage, "it reported an error"
	case d.kind == atSent:
		return d.blameSent(script)
	case d.kind == atNotDone && d.part.Hit != nil && d.part.Hit.Of == 0:
		return OfServer, "it did not do it, and the " + string(script) + " gave up"
	case d.kind == atGaveUp && d.Call.Partial != "":
		return script, "the answer says what it leaves out, and no call asked for it"
	case d.kind == atNoAnswer && 2*d.Call.DurationMs > float64(e.MaxDurationMs):
		return OfServer, "it gave no answer until the time cap"
	}
	return NotKnown, nearest[d.kind]
}

// nearest says of a step whose kind does not tell whose it is why it is the one to look at.
var nearest = map[kind]string{
	atNothing: "the calls are not known", atNotDone: "it was not done, and no later call did it",
	atGaveUp: "no call came after it", atNoAnswer: "it has no answer", atChanged: "it is the first changed answer",
	atUntrue: "its answer is untrue", atError: "it is the first error", atLast: "nothing before the last step explains it",
}

// blameSent is blame for a wrong request that the page sent.
func (d *Diagnosis) blameSent(script Whose) (is Whose, because string) {
	m := d.missed
	isHidden := len(m.Unmet) == 0 || slices.ContainsFunc(m.Unmet, func(u record.Unmet) bool { return u.Shown == nil })
	switch {
	case m.Kind == record.MissedValue && !isHidden && !d.given:
		return script, "the page shows what it lacks, and no call asked for it"
	case m.Kind == record.MissedValue, m.Kind == record.MissedState, m.Kind == record.MissedUnsent && m.Early == "":
		return NotKnown, "it sent the wrong request"
	}
	return script, "the page got what the call asked for"
}

// blamePart is blame for what the page got of a part.
func (d *Diagnosis) blamePart(script Whose) (is Whose, because string) {
	c, p, m, u := d.last.call, d.last.part, d.missed, d.unmet
	isAtOnce := m.Sent != "" && m.Kind != record.MissedUnsent && c.Step == m.Step // nobody could mend it
	switch {
	case u != nil && u.Shown != nil && u.Shown.Of > 0 && (p.Hit == nil || p.Hit.Field != u.Name):
		return script, fmt.Sprintf("the value was for %q, and no call says so", u.Shown.Words())
	case p.Word == record.OneOfSeveral:
		return script, "the page shows several of this name, and the call does not say which"
	case p.Untrue && p.Word != record.More:
		return OfServer, "its answer is a false success"
	case p.Word == record.ErrorButDone:
		return OfServer, "it did what its error says failed"
	case isAtOnce && (p.Word == record.Refused || IsOther(*p)):
		return OfServer, "it did something else, and sent the request"
	case p.Word == record.OtherName:
		return script, "the page shows no control of this name"
	case p.Word == record.Refused || IsOther(*p):
		return script, fmt.Sprintf("the answer says what happened, and the %s went on", script)
	case p.Word == record.AsAsked && u != nil && p.Value != u.Value:
		return script, "the call asked for another value"
	}
	return NotKnown, map[record.Word]string{
		record.AsAsked: "the field got it, and the request has another value", record.NoEffect: "nothing changed",
		record.More: "more happened than was asked", record.NotKnown: "it is not known whether it hit what was asked for",
	}[p.Word]
}
