// Package why says in words why an episode of a report did not pass, where it went wrong, and how
// to run it again.
package why

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// maxWhy is how many characters [Line] and [Group] have at most.
const maxWhy = 400

// Line says in one line why an episode did not pass, such as "check 1 of 8 failed: url is
// https://forms.test/contact, wanted https://forms.test/contact/sent; 2 to 8 were not
// judged". It is empty if the episode passed. A page or a server may have written parts of
// it: writers must escape it.
func Line(e *report.Episode) string {
	own, _ := lines(e)
	return own
}

// Group is what episodes that failed in the same way have in common. Failures are grouped by it.
func Group(e *report.Episode) string {
	_, same := lines(e)
	return same
}

func lines(e *report.Episode) (own, same string) {
	if e.Status.Class() == record.Pass {
		return "", ""
	}
	if e.Kept != nil {
		own = kept(e)
		return own, own
	}
	d := Diagnose(e)
	own = reasonOf(e)
	same = cmp.Or(groups[e.Cause], own)
	switch {
	case e.AnswerChanged():
		c := &e.ChangedAnswers[0]
		actual, expected := ends(c.Actual), ends(c.Expected)
		own = fmt.Sprintf("the answer of step %d changed: %s answered %s, expected %s", c.Step, c.Tool, actual, expected)
		same = fmt.Sprintf("an answer changed: %s did not answer %s", c.Tool, expected)
	case d.kind == atNoAnswer && groups[e.Cause] != "":
		same += ": " + d.Call.Tool
	}
	check, sameCheck := d.cause()
	own, same = d.with(own, check), d.with(same, sameCheck)
	if e.Status.Class() == record.Fail { // what is void says so itself
		own, same = string(d.Whose)+": "+own, string(d.Whose)+": "+same
	}
	if len(e.WrongSideEffects) > 0 {
		own += "; wrong side effect: " + strings.Join(e.WrongSideEffects, ", ")
	}
	return display.Cut(own, maxWhy), display.Cut(same, maxWhy)
}

// groups are the causes whose reason has times, ids or the words of one step.
var groups = map[record.Cause]string{
	record.CauseTimeCap:    "the time cap was hit",
	record.CauseStepCap:    "not done at the step cap",
	record.CauseOpenChrome: "the server ended, or broke the protocol",
	record.CauseGaveUp:     "the adapter gave up",
	record.CauseNoTool:     "no tool for a step",
}

// kept is why an episode of a record did not pass: what it did to the page, else what the page got instead, else
// its cause.
func kept(e *report.Episode) string {
	switch untrue := e.Kept.Untrue; {
	case len(e.WrongSideEffects) > 0:
		return "wrong side effect: " + strings.Join(e.WrongSideEffects, ", ")
	case len(untrue) > 0:
		return fmt.Sprintf("%s of %s in step %d", untrue[0].Word, untrue[0].Tool, untrue[0].Step)
	}
	return cmp.Or(groups[e.Cause], spaced(string(e.Cause)), string(e.Status))
}

func spaced(s string) string { return strings.ReplaceAll(s, "_", " ") }

// ends cuts the middle of a text: answers say at their end what went wrong.
func ends(s string) string {
	const begin, end = 120, 80
	text := []rune(s)
	if len(text) <= begin+end+10 {
		return s
	}
	return string(text[:begin]) + " … " + string(text[len(text)-end:])
}

// reasonOf is the reason that the log gives, in words.
func reasonOf(e *report.Episode) string {
	switch {
	case e.Unsupported == "":
		return e.Reason
	case e.KnownDefect:
		return "known defect: " + e.Unsupported
	}
	return "the server cannot do this task: " + e.Unsupported
}

// with joins the reason that the log gives and the check that failed, if the one does not
// just repeat the other.
func (d *Diagnosis) with(reason, check string) string {
	repeats := d.Cause == record.CauseContract ||
		d.Status == record.Inconclusive && d.Explanation != nil && d.Explanation.Verdict == judge.Inconclusive
	switch {
	case check == "":
	case repeats || reason == "":
		reason = check
	case d.kind == atPart && (d.AnswerChanged() || d.Whose == OfServer): // it explains the end
		reason = check + "; " + reason
	default:
		reason += "; " + check
	}
	return cmp.Or(reason, string(d.Status))
}

// Ended says why an episode ended as it did: by the receipt that it missed, if that is known.
func Ended(s *record.Stop) string {
	if s.Cause != record.CauseContract || len(s.Missed) == 0 {
		return s.Reason
	}
	own, _ := missed(new(report.Episode), &s.Missed[0])
	return own
}

// Alike reports whether two episodes did not pass for the same cause, as far as both know it: a record knows only
// the cause.
func Alike(a, b *report.Episode) bool {
	if a.Kept != nil || b.Kept != nil {
		return a.Cause == b.Cause
	}
	one, two := *a, *b
	isUntraced := func(e *report.Episode) bool { return len(e.Calls) > 0 && e.Calls[0].Trace == nil }
	if (a.Missed == nil) != (b.Missed == nil) || isUntraced(a) != isUntraced(b) {
		one.Missed, one.Calls, two.Missed, two.Calls = nil, nil, nil, nil
	}
	return Group(&one) == Group(&two)
}

// Cause is why episodes did not pass.
type Cause struct {
	Group    string // see [Group]
	Episodes []*report.Episode
}

// Causes groups the episodes that did not pass: failures before void ones, and of these the most
// frequent cause first.
func Causes(episodes report.Episodes) (all []Cause) {
	at := map[string]int{} // each of 100,000 episodes can have its own
	for _, e := range episodes.All() {
		if e.Status.Class() == record.Pass {
			continue
		}
		group := Group(e)
		i, ok := at[group]
		if !ok {
			i, all = len(all), append(all, Cause{Group: group})
			at[group] = i
		}
		all[i].Episodes = append(all[i].Episodes, e)
	}
	void := func(c Cause) int {
		if c.Episodes[0].Status.Class() == record.Void {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(all, func(a, b Cause) int { return cmp.Or(void(a)-void(b), len(b.Episodes)-len(a.Episodes)) })
	return all
}
