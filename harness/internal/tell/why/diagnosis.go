package why

import (
	"fmt"
	"math"
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

	Call *report.Call // the step to look at; nil: there is no call

	kind   kind
	try                   // what the page got in Call; empty: it is not to blame, or not known
	last   try            // the last that asked for the same
	given  bool           // a try gave a field its wanted value
	unmet  *record.Unmet  // the condition that the part should have met; nil: it is not known
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
	atUntrue               // it has the last false success or unreported side effect
	atNoAnswer             // it has no answer
	atChanged              // its answer is the first that changed
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
		if d.lacking() || d.suspect() && (!isChanged || d.part.Untrue) {
			return d.at(atPart, d.call)
		}
		d.try, d.last = try{}, try{}
		if call := faultyCall(e, m); call != nil && !isChanged {
			return d.at(atFault, call)
		}
		if sender != nil && m.Kind != record.MissedUnsent {
			return d.at(atSent, sender)
		}
	}
	end := len(e.Calls) - 1
	if end >= 0 && e.Cause == record.CauseGaveUp && e.Calls[end].Failure == "" && !isChanged {
		if d.undone() {
			return d.at(atNotDone, d.call)
		}
		last := &e.Calls[end]
		isLike := func(c report.Call) bool { return c.Step == last.Step || c.Partial != "" && c.Partial == last.Partial }
		return d.at(atGaveUp, &e.Calls[slices.IndexFunc(e.Calls, isLike)])
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
	d.kind, d.Call = k, c
	return d
}

// explains reports whether the step does more than stand nearest to the failure.
func (d *Diagnosis) explains() bool {
	return d.kind > atNothing && d.kind <= atUntrue || d.kind == atError && d.Cause == record.CauseContract
}

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
		if d.Call.Partial != "" {
			said := display.QuoteTo(d.Call.Partial, maxSaid)
			own = fmt.Sprintf("step %d, %s said %s; %s", d.Call.Step, d.Call.Tool, said, own)
			same = d.Call.Tool + ": its answer lists what it leaves out"
		}
	case atPart:
		did := got(d.part)
		if d.part.Word == record.Refused && d.Call.Partial != "" {
			did += "; it said " + display.QuoteTo(d.Call.Partial, maxSaid)
		}
		if d.part.Asked != "" {
			did = "asked for " + asked(d.part) + ": " + did
		}
		own = fmt.Sprintf("step %d, %s: %s; %s", d.Call.Step, d.Call.Tool, did, own)
		switch {
		case d.part.Word == record.Refused && d.Call.Partial != "":
			same = d.Call.Tool + ": its answer lists what failed"
		case d.isKnown():
			same = fmt.Sprintf("%s: the page got %q", d.Call.Tool, d.part.Word)
		}
	case atFault:
		own = fmt.Sprintf("step %d, %s: %s, %s; %s", d.Call.Step, d.Call.Tool, reported, d.Call.Trace.Fault, own)
		same = d.Call.Tool + ": " + reported
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

// undone finds the last try that failed to do something, unless a later call did it. It reports whether there is
// one.
func (d *Diagnosis) undone() bool {
	for _, t := range slices.Backward(d.tries()) {
		if p := t.part; (p.Word == record.Refused || IsOther(*p)) && p.Asked != "" && !d.isMended(t) {
			d.try = t
			return true
		}
	}
	return false
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

// try is a part of a call.
type try struct {
	call *report.Call
	part *record.Part
}

// tries are the parts of the calls, up to the request that was sent instead of the missed one.
func (d *Diagnosis) tries() (all []try) {
	m := d.missed
	for i := range d.Calls {
		c := &d.Calls[i]
		if m != nil && m.Sent != "" && m.Kind != record.MissedUnsent && c.Step > m.Step {
			break
		}
		for j := range c.Parts {
			all = append(all, try{c, &c.Parts[j]})
		}
	}
	return all
}

// lacking finds the first try to give a field its wanted value that did not, or that took it away again, and the
// last such try for this field. It reports whether there is one.
func (d *Diagnosis) lacking() bool {
	tries, first := d.tries(), math.MaxInt
	for i := range d.missed.Unmet {
		u := &d.missed.Unmet[i]
		from, to := -1, -1
		for n, t := range tries {
			p := t.part
			switch {
			case u.Of != "field" || p.Value == "" && !isChoice(p.Hit) && !isChoice(u.Shown):
			case gave(p, u):
				from, d.given = -1, true
			case !isFor(p, u):
			case from < 0 || p.Word == record.AsAsked && p.Value != u.Value: // it made what came before void
				from, to = n, n
			default:
				to = n
			}
		}
		if from >= 0 && from < first {
			first, d.unmet, d.last = from, u, tries[to]
			if d.try = tries[from]; d.last.part.Untrue {
				d.try = d.last
			}
		}
	}
	return d.unmet != nil
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
	return (isHit || isNamed) && (u.Shown == nil || u.Shown.Of == 0 || p.Value == u.Value)
}

// isChoice reports whether a press on an element gives its field a value.
func isChoice(e *record.Element) bool {
	return e != nil && slices.Contains([]string{"radio", "checkbox", "switch", "button", "option"}, e.Role)
}

// suspect finds the try with the highest rank, and of these the first. It reports whether there is one.
func (d *Diagnosis) suspect() bool {
	most := 0
	for _, t := range d.tries() {
		if r := rank(t.call, t.part, d.missed); r > most && !d.isMended(t) {
			most, d.try, d.last = r, t, t
		}
	}
	return most > 0
}

// isMended reports whether a later call did what a part asked for.
func (d *Diagnosis) isMended(t try) bool {
	p := t.part
	return slices.ContainsFunc(d.tries(), func(u try) bool {
		q := u.part
		isSame := p.Asked != "" && q.Asked == p.Asked && q.Value == p.Value
		return isSame && u.call.Step > t.call.Step && q.Word == record.AsAsked
	})
}

// rank says how much a part of a call is to blame: 4 if the server dismissed a question of the page in it; 3 if it
// makes an answer a false success; 2 if it was not as asked in another step than the one that sent the request; 1
// in that step, if it hit something before the request was sent, or if more happened and was reported; else 0. A
// value is not to blame for a request that lacks another one, if its field has a name; nor is a dialog or tab in a call
// that did something else than asked.
func rank(c *report.Call, p *record.Part, m *record.Missed) int {
	isUnsent := m.Kind == record.MissedUnsent
	isSender := m.Sent != "" && c.Step == m.Step
	switch {
	case p.Denied && isUnsent:
		return 4
	case c.Failure != "", p.Word == record.Refused, p.Word == record.AsAsked, p.Word == record.OneOfSeveral && isUnsent:
		return 0
	case p.Word == record.More && (!isUnsent || slices.ContainsFunc(c.Parts, IsOther)):
		return 0
	case p.Value != "" && p.Hit != nil && (p.Hit.Field != "" || !p.Untrue) && !isUnsent:
		return 0
	case p.Word == record.NotKnown && (p.Hit == nil || !isSender):
		return 0
	case p.Untrue && p.Word != record.More:
		return 3
	case !isSender && p.Word != record.NotKnown && (p.Word != record.More || p.Untrue):
		return 2
	}
	return 1
}
