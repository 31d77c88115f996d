package why

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/report"
)

// diagnosis says why an episode did not pass, as far as the log shows it. All that people read of it is
// made of one.
type diagnosis struct {
	*report.Episode
	kind   kind
	call   *report.Call   // the step to look at; nil: there is no call
	part   *record.Part   // of call: what the page got; nil: it is not to blame, or not known
	missed *record.Missed // the receipt that the episode came nearest to; nil: it did not fail for want of one
}

// kind says what the step to look at did.
type kind int

// The kinds, from what explains a failure to what only stands nearest to it.
const (
	atNothing  kind = iota // there is no call
	atPart                 // the page got something else than the call asked for
	atFault                // a page reported an error in it
	atSent                 // the page sent another request in it, or the wrong one
	atNotDone              // it failed to do what no later call did, and the adapter gave up
	atGaveUp               // the adapter gave up after it
	atNoAnswer             // it has no answer
	atChanged              // its answer is the first that changed
	atUntrue               // it has the last false success or unreported side effect
	atError                // it has the first error
	atLast                 // it is the last one
)

// diagnose returns the diagnosis of an episode that did not pass.
func diagnose(e *report.Episode) *diagnosis {
	d := &diagnosis{Episode: e, missed: missedBy(e)}
	isChanged := e.AnswerChanged()
	var sender *report.Call
	if m := d.missed; m != nil && !isChanged {
		if m.Sent != "" {
			sender = callAt(e, m.Step)
		}
		if call, part := blamed(e, m); call != nil {
			d.part = part
			return d.at(atPart, call)
		}
		if call := faultyCall(e, m); call != nil {
			return d.at(atFault, call)
		}
		if sender != nil && m.Kind != record.MissedUnsent {
			return d.at(atSent, sender)
		}
	}
	end := len(e.Calls) - 1
	if end >= 0 && e.Cause == record.CauseGaveUp && e.Calls[end].Failure == "" && !isChanged {
		if c := undone(e); c != nil {
			return d.at(atNotDone, c)
		}
		return d.at(atGaveUp, &e.Calls[end])
	}
	var firstError, lastUntrue *report.Call
	for i := range e.Calls {
		c := &e.Calls[i]
		switch {
		case c.Failure != "":
			return d.at(atNoAnswer, c)
		case slices.ContainsFunc(e.ChangedAnswers, func(d report.ChangedAnswer) bool { return d.Step == c.Step }):
			return d.at(atChanged, c)
		case c.Error && firstError == nil:
			firstError = c
		}
		if c.Untrue() {
			lastUntrue = c
		}
	}
	switch {
	case sender != nil:
		return d.at(atSent, sender)
	case lastUntrue != nil:
		parts := lastUntrue.Parts
		d.part = &parts[slices.IndexFunc(parts, func(p record.Part) bool { return p.Untrue })]
		return d.at(atUntrue, lastUntrue)
	case firstError != nil:
		return d.at(atError, firstError)
	case end >= 0:
		return d.at(atLast, &e.Calls[end])
	}
	return d
}

func (d *diagnosis) at(k kind, c *report.Call) *diagnosis {
	d.kind, d.call = k, c
	return d
}

// explains reports whether the step does more than stand nearest to the failure.
func (d *diagnosis) explains() bool {
	switch d.kind {
	case atNothing, atNoAnswer, atChanged, atLast:
		return false
	case atError:
		return d.Cause == record.CauseContract
	}
	return true
}

// WrongStep returns the call at which an episode that did not pass went wrong, and why this one. It is nil
// without calls.
func WrongStep(e *report.Episode) (c *report.Call, because string) {
	d := diagnose(e)
	because = reasons[d.kind]
	switch {
	case d.kind == atPart && isFilled(d.part) && d.part.Did != "":
		because = d.part.Did
	case d.kind == atPart:
		because = cmp.Or(meanings[d.part.Word], "the page got something else than it was asked")
	case d.kind == atSent && d.missed.Kind == record.MissedUnsent:
		because = "it sent another request"
	case d.kind == atUntrue:
		because = "the last " + d.part.Untruth()
	}
	return d.call, because
}

var reasons = map[kind]string{
	atFault: reported, atSent: "it sent the wrong request", atNotDone: "the adapter gave up, and this was not done",
	atGaveUp: "the adapter gave up after it", atNoAnswer: "it has no answer", atChanged: "the first changed answer",
	atError: "the first error", atLast: "the last step",
}

// reported says that the console of a page has an error.
const reported = "the page reported an error"

// meanings are what words mean at the step to look at. The words themselves are for the log.
var meanings = map[record.Word]string{
	record.AsAsked:      "it set the value",
	record.NotKnown:     "it is not known whether it hit what was asked for",
	record.Nothing:      "what was asked for got nothing",
	record.OtherValue:   "the field holds another value than was asked for",
	record.NoEffect:     "nothing changed",
	record.ErrorButDone: "it was done, although the answer is an error",
	record.Refused:      "the server refused it",
	record.OneOfSeveral: "several controls have the name that was asked for",
	record.More:         "more happened than was asked",
}

// cause says what decided against the contract: what the fixture web missed and what the trace
// shows of it, else the check that failed, in the words of the episode, and in words without
// values.
func (d *diagnosis) cause() (own, same string) {
	if d.missed == nil {
		return failedCheck(d.Episode)
	}
	own, same = missed(d.Episode, d.missed)
	switch d.kind {
	case atPart:
		did := blamedFor(d.part)
		if d.part.Asked != "" {
			did = "asked for " + asked(d.part) + ": " + did
		}
		own = fmt.Sprintf("step %d, %s: %s; %s", d.call.Step, d.call.Tool, did, own)
		if d.isKnown() {
			same = fmt.Sprintf("%s: the page got %q", d.call.Tool, d.part.Word)
		}
	case atFault:
		own = fmt.Sprintf("step %d, %s: %s, %s; %s", d.call.Step, d.call.Tool, reported, d.call.Trace.Fault, own)
		same = d.call.Tool + ": " + reported
	}
	return own, same
}

// isKnown reports whether it is known that the page got something else than the step asked for.
func (d *diagnosis) isKnown() bool {
	return d.kind == atPart && d.part.Word != record.AsAsked && d.part.Word != record.NotKnown
}

// faultyCall returns the last call in which a page reported an error, if a request was never sent. It is
// nil without one, and if the adapter gave up: it saw later answers.
func faultyCall(e *report.Episode, m *record.Missed) *report.Call {
	for i := range slices.Backward(e.Calls) {
		t := e.Calls[i].Trace
		if t != nil && t.Fault != "" && m.Kind == record.MissedUnsent && e.Cause != record.CauseGaveUp {
			return &e.Calls[i]
		}
	}
	return nil
}

// undone returns the last call that failed to do something, unless a later call did it; nil if there is none.
func undone(e *report.Episode) *report.Call {
	done := map[string]bool{}
	for i := range slices.Backward(e.Calls) {
		for _, p := range e.Calls[i].Parts {
			switch {
			case p.Word == record.AsAsked:
				done[p.Asked] = true
			case (p.Word == record.Refused || IsOther(p)) && p.Asked != "" && !done[p.Asked]:
				return &e.Calls[i]
			}
		}
	}
	return nil
}

// missedBy returns the receipt that the episode came nearest to, if it failed for want of one; else nil.
func missedBy(e *report.Episode) *record.Missed {
	n, _, _ := decisive(e)
	if len(e.Missed) == 0 || n == nil || n.Verdict != judge.Fail || n.Kind != "network" && n.Kind != "or" {
		return nil
	}
	i := slices.IndexFunc(e.Missed, func(m record.Missed) bool { return m.Kind != record.MissedUnsent })
	return &e.Missed[max(i, 0)]
}

func callAt(e *report.Episode, step int) *report.Call {
	i := slices.IndexFunc(e.Calls, func(c report.Call) bool { return c.Step == step })
	if i < 0 {
		return nil
	}
	return &e.Calls[i]
}

// blamed returns the part of a call that should have set what was missed, as far as the trace shows it, and its
// call: the part with the highest rank, and of these the last. Both are nil if there is none.
func blamed(e *report.Episode, m *record.Missed) (call *report.Call, part *record.Part) {
	calls := e.Calls
	isLater := func(c report.Call) bool { return c.Step > m.Step }
	if i := slices.IndexFunc(calls, isLater); i >= 0 && m.Sent != "" && m.Kind != record.MissedUnsent {
		calls = calls[:i]
	}
	set := map[string]*record.Part{} // by field of an unmet condition: the last part that hit it
	for i := range calls {
		for j := range calls[i].Parts {
			p := &calls[i].Parts[j]
			isUnmet := func(u record.Unmet) bool { return p.Hit != nil && u.Name == p.Hit.Field }
			if p.Word != record.Refused && slices.ContainsFunc(m.Unmet, isUnmet) {
				set[p.Hit.Field] = p
			}
		}
	}
	most := 1
	for i := range calls {
		for j := range calls[i].Parts {
			p := &calls[i].Parts[j]
			if r := rank(&calls[i], p, m, set); r >= most {
				most, call, part = r, &calls[i], p
			}
		}
	}
	return call, part
}

// rank says how much a part of a call is to blame: 5 if it is the last that hit the field of an unmet condition, and
// not as asked; 4 if it makes an answer a false success; 3 if it set the field, as asked or as far as known; 2 if
// it was not as asked in another step than the one that sent the request, or was overwritten; 1 in that step, or if it
// hit something before the request was sent; else 0. A dialog or tab is not to blame in a call that did something
// else than asked.
func rank(c *report.Call, p *record.Part, m *record.Missed, set map[string]*record.Part) int {
	isUnsent := m.Kind == record.MissedUnsent
	isFine := p.Word == record.AsAsked || p.Word == record.NotKnown
	var of *record.Part // the last part that hit its field
	if p.Hit != nil {
		of = set[p.Hit.Field]
	}
	switch {
	case p.Word == record.Refused, p.Word == record.OneOfSeveral && isUnsent:
		return 0
	case p.Word == record.More && (!isUnsent || slices.ContainsFunc(c.Parts, IsOther)):
		return 0
	case of == p && isFine:
		return 3
	case of == p:
		return 5
	case p.Word == record.NotKnown && p.Hit != nil && m.Sent != "" && c.Step == m.Step:
		return 1
	case isFine:
		return 0
	case p.Word == record.OtherValue && of != nil: // a later part overwrote it
		return 2
	case p.Untrue:
		return 4
	case c.Step != m.Step: // the last step sent the right request, with another value
		return 2
	}
	return 1
}
