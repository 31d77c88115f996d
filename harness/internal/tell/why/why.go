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
	if e.Status.Class() == record.Pass {
		return ""
	}
	check, _ := Diagnose(e).cause()
	reason := reasonOf(e)
	if e.AnswerChanged() {
		d := &e.ChangedAnswers[0]
		reason = fmt.Sprintf("the answer of step %d changed: %s answered %s, expected %s", d.Step, d.Tool, ends(d.Actual), ends(d.Expected))
	}
	reason = why(e, reason, check)
	if len(e.WrongSideEffects) > 0 {
		reason += "; wrong side effect: " + strings.Join(e.WrongSideEffects, ", ")
	}
	return display.Cut(reason, maxWhy)
}

// Group is what episodes that failed in the same way have in common. Failures are grouped by it.
func Group(e *report.Episode) string {
	if e.Status.Class() == record.Pass {
		return ""
	}
	d := Diagnose(e)
	_, check := d.cause()
	reason := groups[e.Cause]
	switch {
	case e.AnswerChanged():
		changed := &e.ChangedAnswers[0]
		reason = fmt.Sprintf("an answer changed: %s did not answer %s", changed.Tool, ends(changed.Expected))
	case reason == "":
		reason = reasonOf(e)
	case d.Kind == AtNoAnswer:
		reason += ": " + d.Call.Tool
	}
	return display.Cut(why(e, reason, check), maxWhy)
}

// groups are the causes whose reason has times, ids or the words of one step.
var groups = map[record.Cause]string{
	record.CauseTimeCap:    "the time cap was hit",
	record.CauseStepCap:    "not done at the step cap",
	record.CauseOpenChrome: "the server ended, or broke the protocol",
	record.CauseGaveUp:     "the adapter gave up",
	record.CauseNoTool:     "no tool for a step",
}

// Checks are the parts of a contract that must all hold, in order: the children of and,
// or the whole of another contract. It is nil if the report has no tree of it.
func Checks(e *report.Episode) []*judge.Node {
	tree := e.Tree
	if tree == nil {
		tree = e.Explanation
	}
	if tree == nil {
		return nil
	}
	return appendChecks(nil, tree)
}

func appendChecks(all []*judge.Node, n *judge.Node) []*judge.Node {
	if n.Kind != "and" || len(n.Children) == 0 {
		return append(all, n)
	}
	for i := range n.Children {
		all = appendChecks(all, &n.Children[i])
	}
	return all
}

// failedCheck says which check decided against the contract, in the words of the episode,
// and in words that are the same wherever this check fails. Both are empty if none did.
func failedCheck(e *report.Episode) (own, same string) {
	all := Checks(e)
	i := slices.IndexFunc(all, func(n *judge.Node) bool { return n.Verdict == judge.Fail || n.Verdict == judge.Inconclusive })
	if i < 0 {
		return "", ""
	}
	n, which := all[i], "the only check"
	if len(all) > 1 {
		which = fmt.Sprintf("check %d of %d", i+1, len(all))
	}
	if n.Verdict == judge.Inconclusive {
		same = which + " " + n.Words
		return same + unjudged(i+2, len(all)), same
	}
	own = which + " failed: " + n.Words
	if n.Note != "" {
		own += " (" + n.Note + ")"
	}
	return own + unjudged(i+2, len(all)), which + " failed, wanted: " + n.Expected
}

// Note says what a reader needs beside a check: its near miss, or whose request it looks for.
func Note(n *judge.Node) string {
	switch {
	case n.Note != "":
		return n.Note
	case strings.Contains(n.Expected, "/.wrong/"):
		return "the web writes such a request itself when a forbidden act is done"
	case strings.Contains(n.Expected, "/.end/"):
		return "the web writes this request itself at the end: 200 if the task is done then, and nothing forbidden was"
	}
	return ""
}

// unjudged says that the checks from first to last were not judged.
func unjudged(first, last int) string {
	switch {
	case first > last:
		return ""
	case first == last:
		return fmt.Sprintf("; %d was not judged", last)
	case first+1 == last:
		return fmt.Sprintf("; %d and %d were not judged", first, last)
	}
	return fmt.Sprintf("; %d to %d were not judged", first, last)
}

// ends cuts the middle of a text: answers say at their end what went wrong.
func ends(s string) string {
	const begin, end = 80, 80
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

// why joins the reason that the log gives and the check that failed, if the one does not
// just repeat the other.
func why(e *report.Episode, reason, check string) string {
	repeats := e.Cause == record.CauseContract ||
		e.Status == record.Inconclusive && e.Explanation != nil && e.Explanation.Verdict == judge.Inconclusive
	switch {
	case check == "":
	case repeats || reason == "":
		reason = check
	default:
		reason += "; " + check
	}
	return cmp.Or(reason, string(e.Status))
}

// FirstFailure returns the first episode of a report that failed, else the first that is void. It
// leaves out known defects, and is nil if there is no other.
func FirstFailure(r *report.Report) (first *report.Episode) {
	for _, e := range r.Episodes.All() {
		switch {
		case e.KnownDefect:
		case e.Status.Class() == record.Fail:
			return e
		case e.Status.Class() == record.Void && first == nil:
			first = e
		}
	}
	return first
}

// WrongStep returns the call at which an episode that did not pass went wrong, and why this one. It is nil
// without calls.
func WrongStep(e *report.Episode) (c *report.Call, why string) {
	d := Diagnose(e)
	return d.Call, d.because()
}
