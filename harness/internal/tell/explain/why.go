// Package explain says in words why an episode of a report did not pass, where it went wrong, and how
// to run it again.
package explain

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// maxWhy is how many characters [Why] and [Group] have at most.
const maxWhy = 400

// Why says in one line why an episode did not pass, such as "check 1 of 8 failed: url is
// https://forms.test/contact, wanted https://forms.test/contact/sent; 2 to 8 were not
// judged". It is empty if the episode passed. A page or a server may have written parts of
// it: writers must escape it.
func Why(e *report.Episode) string {
	if e.Status.Class() == record.Pass {
		return ""
	}
	check, _ := cause(e)
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

// Group is [Why] without what may vary between episodes that failed in the same way: what
// the page had instead, numbers of steps, ids, times. Failures are grouped by it.
func Group(e *report.Episode) string {
	if e.Status.Class() == record.Pass {
		return ""
	}
	_, check := cause(e)
	reason := reasonOf(e)
	if e.AnswerChanged() {
		d := &e.ChangedAnswers[0]
		reason = fmt.Sprintf("an answer changed: %s did not answer %s", d.Tool, ends(d.Expected))
	}
	for _, v := range varying {
		reason = v.pattern.ReplaceAllString(reason, v.to)
	}
	return display.Cut(why(e, reason, check), maxWhy)
}

// varying are the parts of a reason that differ between episodes with the same cause.
var varying = []struct {
	pattern *regexp.Regexp
	to      string
}{
	{regexp.MustCompile(`\bstep \d+`), "step N"},
	{regexp.MustCompile(`\b(step cap of) \d+`), "$1 N"},
	{regexp.MustCompile(`(\.jsonl):\d+`), "$1"},
	{regexp.MustCompile(`(intents\.jsonl: \w+) "(?:[^"\\]|\\.)*"`), "$1 …"},
	{regexp.MustCompile(`\b(?:\d+(?:\.\d+)?(?:ms|µs|ns|s|m|h))+\b`), "T"},
	{regexp.MustCompile(`\b\d+(?:\.\d+)? ?(?:ms|seconds?|minutes?)\b`), "T"},
	{regexp.MustCompile(`:\d{4,5}\b`), ":PORT"},
	{regexp.MustCompile(`\b(pid|process) \d+`), "$1 N"},
	{regexp.MustCompile(`\bTAB\d+\b`), "TAB"},
	{regexp.MustCompile(`\b(?:[0-9a-f]{4,}-)*[0-9a-f]*\d[0-9a-f]{7,}\b`), "ID"},
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

// blame says what a word means at the step to look at. It does not show the word: that is of the log.
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

// WrongStep returns the call at which an episode that did not pass went wrong, as far as the log shows it,
// and why this one: what the page got or sent, if that is known, else the first answer that changed or never
// came, the last false success or unreported side effect, the first error, else the last call. If the adapter
// gave up, it is the last call that failed to do something that no later call did, else the last one. It is
// nil without calls.
func WrongStep(e *report.Episode) (c *report.Call, why string) {
	if m := Missed(e); m != nil && !e.AnswerChanged() {
		if c, p := Blamed(e, m); c != nil {
			if how := blamedFor(p); p.Word == record.AsAsked && how == p.Did {
				return c, how
			}
			return c, cmp.Or(blame[p.Word], "the page got something else than it was asked")
		}
		if c, _ := fault(e, m); c != nil {
			return c, reported
		}
		if c := callAt(e, m.Step); c != nil && m.Sent != "" && m.Kind != record.MissedUnsent {
			return c, "it sent the wrong request"
		}
	}
	if n := len(e.Calls); n > 0 && e.Cause == record.CauseGaveUp && e.Calls[n-1].Failure == "" && !e.AnswerChanged() {
		if c := notDone(e); c != nil {
			return c, "the adapter gave up, and this was not done"
		}
		return &e.Calls[n-1], "the adapter gave up after it"
	}
	firstError, untrue := -1, -1
	for i := range e.Calls {
		c := &e.Calls[i]
		switch {
		case c.Failure != "":
			return c, "it has no answer"
		case slices.ContainsFunc(e.ChangedAnswers, func(d report.ChangedAnswer) bool { return d.Step == c.Step }):
			return c, "the first changed answer"
		case c.Error && firstError < 0:
			firstError = i
		}
		if c.Untrue() {
			untrue = i
		}
	}
	switch {
	case untrue >= 0:
		return &e.Calls[untrue], "the last " + e.Calls[untrue].Untruth()
	case firstError >= 0:
		return &e.Calls[firstError], "the first error"
	case len(e.Calls) > 0:
		return &e.Calls[len(e.Calls)-1], "the last step"
	}
	return nil, ""
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
