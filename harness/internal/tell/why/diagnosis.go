package why

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/report"
)

// Kind says what the step to look at did.
type Kind int

// The kinds, from what explains a failure to what only stands nearest to it.
const (
	AtNothing  Kind = iota // there is no call
	AtPart                 // the page got something else than the call asked for
	AtFault                // a page reported an error in it
	AtSent                 // the page sent another request in it, or the wrong one
	AtNotDone              // it failed to do what no later call did, and the adapter gave up
	AtGaveUp               // the adapter gave up after it
	AtNoAnswer             // it has no answer
	AtChanged              // its answer is the first that changed
	AtUntrue               // it has the last false success or unreported side effect
	AtError                // it has the first error
	AtLast                 // it is the last one
)

// Diagnosis says why an episode did not pass, as far as the log shows it.
type Diagnosis struct {
	Kind   Kind
	Call   *report.Call   // the step to look at; nil: there is no call
	Part   *record.Part   // of Call: what the page got; nil: it is not to blame, or not known
	Missed *record.Missed // the receipt that the episode came nearest to; nil: it did not fail for want of one
	Fault  string         // the error that a page reported
	e      *report.Episode
}

// Diagnose returns the diagnosis of an episode that did not pass.
func Diagnose(e *report.Episode) *Diagnosis {
	d := &Diagnosis{e: e, Missed: missedBy(e)}
	if m := d.Missed; m != nil && !e.AnswerChanged() {
		if d.Call, d.Part = blamed(e, m); d.Call != nil {
			return d.at(AtPart, d.Call)
		}
		if d.Call, d.Fault = fault(e, m); d.Call != nil {
			return d.at(AtFault, d.Call)
		}
		if c := callAt(e, m.Step); c != nil && m.Sent != "" && m.Kind != record.MissedUnsent {
			return d.at(AtSent, c)
		}
	}
	last := len(e.Calls) - 1
	if last >= 0 && e.Cause == record.CauseGaveUp && e.Calls[last].Failure == "" && !e.AnswerChanged() {
		if c := notDone(e); c != nil {
			return d.at(AtNotDone, c)
		}
		return d.at(AtGaveUp, &e.Calls[last])
	}
	firstError, untrue := -1, -1
	for i := range e.Calls {
		c := &e.Calls[i]
		switch {
		case c.Failure != "":
			return d.at(AtNoAnswer, c)
		case slices.ContainsFunc(e.ChangedAnswers, func(d report.ChangedAnswer) bool { return d.Step == c.Step }):
			return d.at(AtChanged, c)
		case c.Error && firstError < 0:
			firstError = i
		}
		if c.Untrue() {
			untrue = i
		}
	}
	m := d.Missed
	switch {
	case m != nil && m.Sent != "" && callAt(e, m.Step) != nil && !e.AnswerChanged():
		return d.at(AtSent, callAt(e, m.Step))
	case untrue >= 0:
		parts := e.Calls[untrue].Parts
		d.Part = &parts[slices.IndexFunc(parts, func(p record.Part) bool { return p.Untrue })]
		return d.at(AtUntrue, &e.Calls[untrue])
	case firstError >= 0:
		return d.at(AtError, &e.Calls[firstError])
	case last >= 0:
		return d.at(AtLast, &e.Calls[last])
	}
	return d
}

func (d *Diagnosis) at(k Kind, c *report.Call) *Diagnosis {
	d.Kind, d.Call = k, c
	return d
}

// explains reports whether the step does more than stand nearest to the failure.
func (d *Diagnosis) explains() bool {
	switch d.Kind {
	case AtNothing, AtNoAnswer, AtChanged, AtLast:
		return false
	case AtError:
		return d.e.Cause == record.CauseContract
	}
	return true
}

// because says why the step to look at is this one. It does not show the word: that is of the log.
func (d *Diagnosis) because() string {
	switch d.Kind {
	case AtPart:
		if how := blamedFor(d.Part); d.Part.Word == record.AsAsked && how == d.Part.Did {
			return how
		}
		return cmp.Or(blame[d.Part.Word], "the page got something else than it was asked")
	case AtSent:
		if d.Missed.Kind == record.MissedUnsent {
			return "it sent another request"
		}
	case AtUntrue:
		return "the last " + d.Call.Untruth()
	}
	return becauseOf[d.Kind]
}

var becauseOf = map[Kind]string{
	AtFault: reported, AtSent: "it sent the wrong request", AtNotDone: "the adapter gave up, and this was not done",
	AtGaveUp: "the adapter gave up after it", AtNoAnswer: "it has no answer", AtChanged: "the first changed answer",
	AtError: "the first error", AtLast: "the last step",
}

// blame says what a word means at the step to look at.
var blame = map[record.Word]string{
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
func (d *Diagnosis) cause() (own, same string) {
	if d.Missed == nil {
		own, same = failedCheck(d.e)
		if failing(d.e) == "network" && ended(d.e) != "" {
			own, same = ended(d.e), "a request is missing, and nothing more is known"
		}
		return own, same
	}
	own, same = missed(d.e, d.Missed)
	switch d.Kind {
	case AtPart:
		asked := ""
		if d.Part.Asked != "" {
			asked = "asked for " + Asked(d.Part) + ": "
		}
		own = fmt.Sprintf("step %d, %s: %s%s; ", d.Call.Step, d.Call.Tool, asked, blamedFor(d.Part)) + own
		if d.isKnown() {
			same = fmt.Sprintf("%s: the page got %q", d.Call.Tool, d.Part.Word)
		}
	case AtFault:
		own = fmt.Sprintf("step %d, %s: %s, %s; ", d.Call.Step, d.Call.Tool, reported, d.Fault) + own
		same = d.Call.Tool + ": " + reported
	}
	return own, same
}

// isKnown reports whether it is known that the page got something else than the step asked for.
func (d *Diagnosis) isKnown() bool {
	return d.Kind == AtPart && d.Part.Word != record.AsAsked && d.Part.Word != record.NotKnown
}

// notDone returns the last call that failed to do something, unless a later call did it; nil if there is none.
func notDone(e *report.Episode) *report.Call {
	done := map[string]bool{}
	for i := range slices.Backward(e.Calls) {
		for _, p := range e.Calls[i].Parts {
			switch p.Word {
			case record.AsAsked:
				done[p.Asked] = true
			case record.Refused, record.Nothing, record.OtherElement, record.OtherName, record.OtherValue:
				if p.Asked != "" && !done[p.Asked] {
					return &e.Calls[i]
				}
			}
		}
	}
	return nil
}
