package why

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// Diagnosis says why an episode did not pass, as far as the log shows it. All that people read of it is
// made of one.
type Diagnosis struct {
	*report.Episode
	Whose   Whose
	Because string // why it is theirs; of one that is not known, what is wrong with the step

	kind     kind
	call     *report.Call   // the step to look at; nil: there is no call
	part     *record.Part   // of call: what the page got; nil: it is not to blame, or not known
	then     *report.Call   // the last that asked for the same; nil: call is
	thenPart *record.Part   // of then
	unmet    *record.Unmet  // the condition that part should have met; nil: it is not known
	missed   *record.Missed // the receipt that the episode came nearest to; nil: it did not fail for want of one
}

// kind says what the step to look at did.
type kind int

// The kinds, from what explains a failure to what only stands nearest to it.
const (
	atNothing  kind = iota // there is no call
	atPart                 // the page got something else than the call asked for
	atFault                // a page reported an error in it
	atUnasked              // it sent the request without a value that no call asked for
	atSent                 // the page sent another request in it, or the wrong one
	atNotDone              // it failed to do what no later call did, and the adapter gave up
	atGaveUp               // the adapter gave up after it
	atNoAnswer             // it has no answer
	atChanged              // its answer is the first that changed
	atUntrue               // it has the last false success or unreported side effect
	atError                // it has the first error
	atLast                 // it is the last one
)

// Diagnose returns the diagnosis of an episode that did not pass.
func Diagnose(e *report.Episode) *Diagnosis {
	d := find(e)
	d.Whose, d.Because = d.blame()
	return d
}

// find finds the step to look at.
func find(e *report.Episode) *Diagnosis {
	d := &Diagnosis{Episode: e, missed: missedBy(e)}
	isChanged := e.AnswerChanged()
	var sender *report.Call
	if m := d.missed; m != nil {
		if m.Sent != "" && !isChanged {
			sender = callAt(e, m.Step)
		}
		if call := d.lacking(); call != nil {
			return d.at(atPart, call)
		}
		if call := d.suspect(); call != nil && (!isChanged || d.part.Untrue) {
			return d.at(atPart, call)
		}
		d.part = nil
		if call := faultyCall(e, m); call != nil && !isChanged {
			return d.at(atFault, call)
		}
		if sender != nil && m.Kind != record.MissedUnsent {
			if m.Kind == record.MissedValue && d.isUnasked() {
				return d.at(atUnasked, sender)
			}
			return d.at(atSent, sender)
		}
	}
	end := len(e.Calls) - 1
	if end >= 0 && e.Cause == record.CauseGaveUp && e.Calls[end].Failure == "" && !isChanged {
		if c := d.undone(); c != nil {
			return d.at(atNotDone, c)
		}
		first := slices.IndexFunc(e.Calls, func(c report.Call) bool { return c.Partial == e.Calls[end].Partial })
		if e.Calls[end].Partial == "" {
			first = end
		}
		return d.at(atGaveUp, &e.Calls[first])
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

func (d *Diagnosis) at(k kind, c *report.Call) *Diagnosis {
	d.kind, d.call = k, c
	return d
}

// explains reports whether the step does more than stand nearest to the failure.
func (d *Diagnosis) explains() bool {
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
	d := Diagnose(e)
	return d.call, d.Because
}

// maxNamed is how many characters of a text of a server a line shows.
const maxNamed = 120

// cause says what decided against the contract: what the fixture web missed and what the trace
// shows of it, else the check that failed, in the words of the episode, and in words without
// values.
func (d *Diagnosis) cause() (own, same string) {
	if d.missed == nil {
		return failedCheck(d.Episode)
	}
	own, same = missed(d.Episode, d.missed)
	switch d.kind {
	case atGaveUp:
		if d.call.Partial != "" {
			own = fmt.Sprintf("step %d, %s said %s; %s", d.call.Step, d.call.Tool, display.QuoteTo(d.call.Partial, maxNamed), own)
			same = d.call.Tool + ": its answer lists what it leaves out"
		}
	case atPart:
		did := got(d.part) + d.others()
		if d.part.Word == record.Refused && d.call.Partial != "" {
			did += "; it said " + display.QuoteTo(d.call.Partial, maxNamed)
		}
		if d.part.Asked != "" {
			did = "asked for " + asked(d.part) + ": " + did
		}
		own = fmt.Sprintf("step %d, %s: %s; %s", d.call.Step, d.call.Tool, did, own)
		switch {
		case d.part.Word == record.Refused && d.call.Partial != "":
			same = d.call.Tool + ": its answer lists what failed"
		case d.isKnown():
			same = fmt.Sprintf("%s: the page got %q", d.call.Tool, d.part.Word)
		}
	case atFault:
		own = fmt.Sprintf("step %d, %s: %s, %s; %s", d.call.Step, d.call.Tool, reported, d.call.Trace.Fault, own)
		same = d.call.Tool + ": " + reported
	}
	return own, same
}

// reported says that the console of a page has an error.
const reported = "the page reported an error"

// isKnown reports whether it is known that the page got something else than the step asked for.
func (d *Diagnosis) isKnown() bool {
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
func (d *Diagnosis) undone() *report.Call {
	done := map[string]bool{}
	for i := range slices.Backward(d.Calls) {
		for j := range d.Calls[i].Parts {
			p := &d.Calls[i].Parts[j]
			switch {
			case p.Word == record.AsAsked:
				done[p.Asked] = true
			case (p.Word == record.Refused || IsOther(*p)) && p.Asked != "" && !done[p.Asked]:
				d.part = p
				return &d.Calls[i]
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

// parts yields the calls before the request that was sent instead of the missed one, with their parts.
func (d *Diagnosis) parts() iter.Seq2[*report.Call, *record.Part] {
	return func(yield func(*report.Call, *record.Part) bool) {
		for i := range d.Calls {
			c := &d.Calls[i]
			if m := d.missed; m.Sent != "" && m.Kind != record.MissedUnsent && c.Step > m.Step {
				return
			}
			for j := range c.Parts {
				if !yield(c, &c.Parts[j]) {
					return
				}
			}
		}
	}
}

// lacking returns the first call that should have given a field its wanted value, and did not, or that took it
// away again. It sets the parts and the condition. It is nil if there is none.
func (d *Diagnosis) lacking() (call *report.Call) {
	first := -1
	for i := range d.missed.Unmet {
		u := &d.missed.Unmet[i]
		at, n := -1, 0
		var from, to *report.Call
		var part, last *record.Part
		for c, p := range d.parts() {
			switch n++; {
			case u.Of != "field" || p.Value == "" && !isChoice(p.Hit) && !isChoice(u.Shown):
			case gave(p, u):
				at = -1
			case !isFor(p, u):
			case at < 0 || p.Word == record.AsAsked && p.Value != u.Value: // it made what came before void
				at, from, part, to, last = n, c, p, c, p
			default:
				to, last = c, p
			}
		}
		if at >= 0 && (first < 0 || at < first) {
			first, call, d.part, d.then, d.thenPart, d.unmet = at, from, part, to, last, u
		}
	}
	if d.thenPart != nil && d.thenPart.Untrue {
		call, d.part = d.then, d.thenPart
	}
	return call
}

// gave reports whether a part gave a field its wanted value. The value of an option is on no page.
func gave(p *record.Part, u *record.Unmet) bool {
	if p.Hit == nil || p.Hit.Field != u.Name || p.Word != record.AsAsked && p.Word != record.OneOfSeveral {
		return false
	}
	isOption := isChoice(p.Hit) && u.Shown != nil && u.Shown.Name == p.Hit.Name
	return p.Value == u.Value || isOption || p.Hit.Role == "combobox" || p.Hit.Role == "listbox"
}

// isFor reports whether a part reached the field of a condition, or asked for it: by its name, and if others have
// this name with the wanted value.
func isFor(p *record.Part, u *record.Unmet) bool {
	isHit := p.Hit != nil && p.Hit.Field == u.Name
	if isHit && p.Word != record.Refused && p.Word != record.Nothing {
		return true
	}
	isNamed := u.Shown != nil && strings.EqualFold(p.Asked, u.Shown.Name)
	return (isHit || isNamed) && (u.Shown == nil || u.Shown.Of < 2 || p.Value == u.Value)
}

// isChoice reports whether a press on an element gives its field a value.
func isChoice(e *record.Element) bool {
	return e != nil && slices.Contains([]string{"radio", "checkbox", "switch", "button", "option"}, e.Role)
}

// isUnasked reports whether a page shows each field that lacks its value, and no call asked for it.
func (d *Diagnosis) isUnasked() bool {
	for _, p := range d.parts() {
		if p.Word == record.NotKnown {
			return false
		}
	}
	isHidden := func(u record.Unmet) bool { return u.Shown == nil }
	return len(d.missed.Unmet) > 0 && !slices.ContainsFunc(d.missed.Unmet, isHidden)
}

// suspect returns the call with the part that has the highest rank, and of these the first. It sets the part. It
// is nil if there is none.
func (d *Diagnosis) suspect() (call *report.Call) {
	most := 0
	for c, p := range d.parts() {
		if r := rank(c, p, d.missed); r > most && !d.isMended(c, p) {
			most, call, d.part = r, c, p
		}
	}
	return call
}

// isMended reports whether a later call did what a part asked for.
func (d *Diagnosis) isMended(of *report.Call, p *record.Part) bool {
	for c, q := range d.parts() {
		if c.Step > of.Step && p.Asked != "" && q.Asked == p.Asked && q.Value == p.Value && q.Word == record.AsAsked {
			return true
		}
	}
	return false
}

// rank says how much a part of a call is to blame: 4 if the server dismissed a question of the page in it; 3 if it
// makes an answer a false success; 2 if it was not as asked in another step than the one that sent the request; 1
// in that step, or if it hit something before the request was sent; else 0. A value is not to blame for a request
// that lacks another one, nor is a dialog or tab in a call that did something else than asked.
func rank(c *report.Call, p *record.Part, m *record.Missed) int {
	isUnsent := m.Kind == record.MissedUnsent
	isSender := m.Sent != "" && c.Step == m.Step
	switch {
	case p.Denied && isUnsent:
		return 4
	case p.Word == record.Refused, p.Word == record.AsAsked, p.Word == record.OneOfSeveral && isUnsent:
		return 0
	case p.Word == record.More && (!isUnsent || slices.ContainsFunc(c.Parts, IsOther)), p.Value != "" && p.Hit != nil && !isUnsent:
		return 0
	case p.Word == record.NotKnown && (p.Hit == nil || !isSender):
		return 0
	case p.Untrue && p.Word != record.More:
		return 3
	case !isSender && p.Word != record.NotKnown:
		return 2
	}
	return 1
}
