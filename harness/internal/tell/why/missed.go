package why

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"

	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// Checks are the parts of a contract that must all hold, in order: the children of and,
// or the whole of another contract. It is nil if the report has no tree of it.
func Checks(e *report.Episode) (all []*judge.Node) {
	var add func(*judge.Node)
	add = func(n *judge.Node) {
		if n.Kind != "and" || len(n.Children) == 0 {
			all = append(all, n)
			return
		}
		for i := range n.Children {
			add(&n.Children[i])
		}
	}
	if tree := cmp.Or(e.Tree, e.Explanation); tree != nil {
		add(tree)
	}
	return all
}

// decisive returns the check that decided against the contract, its number, and of how many; nil if none did.
func decisive(e *report.Episode) (n *judge.Node, number, of int) {
	all := Checks(e)
	i := slices.IndexFunc(all, func(n *judge.Node) bool {
		return n.Verdict == judge.Fail || n.Verdict == judge.Inconclusive
	})
	if i < 0 {
		return nil, 0, 0
	}
	return all[i], i + 1, len(all)
}

// failedCheck says which check decided against the contract, in the words of the episode,
// and in words that are the same wherever this check fails. Both are empty if none did.
func failedCheck(e *report.Episode) (own, same string) {
	n, number, of := decisive(e)
	if n == nil {
		return "", ""
	}
	which := "the only check"
	if of > 1 {
		which = fmt.Sprintf("check %d of %d", number, of)
	}
	u, err := url.Parse(e.FinalURL)
	switch {
	case n.Verdict == judge.Inconclusive:
		own = which + " " + n.Words
		return own, own
	case n.Kind == "network" && err == nil && e.FinalURL != "":
		own = "ended at " + u.RequestURI()
		if e.Ended != "" {
			own += ": " + e.Ended
		}
		return own, "a request is missing, and nothing more is known"
	}
	own = which + " failed: " + n.Words
	return own, which + " failed, wanted: " + n.Expected
}

// maxUnmet is how many conditions a line names.
const maxUnmet = 2

// missed says how a receipt was missed, in the words of the episode, and in words without values.
func missed(e *report.Episode, m *record.Missed) (own, same string) {
	sent, tool, join := m.Sent, "", " had "
	if c := callAt(e, m.Step); c != nil && m.Sent != "" {
		sent, tool = fmt.Sprintf("%s (step %d, %s)", m.Sent, m.Step, c.Tool), c.Tool+" sent "
	}
	switch m.Kind {
	case record.MissedUnsent:
		own, same = fmt.Sprintf("no %s was sent", m.Wanted), "no request that does the task was sent"
		switch {
		case m.Early != "":
			own += " before " + m.Early
			same = "a request came before another that it needs"
		case m.Sent != "":
			own += ", but " + sent
			same += ", but another"
		}
	case record.MissedWrong:
		own, same = "a wrong act: "+sent, tool+"a wrong act"
	case record.MissedAgain:
		own, same = sent+" came too often", tool+"a request again"
	case record.MissedFailed:
		own, same = sent+" was broken off", "a request failed as planned, and was not repeated in time"
		if m.Status > 0 {
			own = fmt.Sprintf("%s was answered with %d", sent, m.Status)
		}
		if m.Early != "" {
			own += ", and not repeated before " + m.Early
		}
	case record.MissedUndone:
		own, same, join = sent+" undid it", tool+"a request that undid it", ": "
	case record.MissedState:
		own, same, join = "all requests came", "all requests came, and the state is another one", ": "
	default:
		own, same = sent, tool+"no value"
		if slices.ContainsFunc(m.Unmet, func(u record.Unmet) bool { return u.Got != "" }) {
			same = tool + "another value"
		}
	}
	for i, u := range m.Unmet {
		got := fmt.Sprintf("%s=%s, wanted %s", u.Named(), display.QuoteTo(u.Got, 80), u.Wanted)
		switch {
		case u.Value != "" && isChoice(u.Shown):
			got = u.Named() + " not chosen"
		case u.Absent:
			got = fmt.Sprintf("no %s, wanted %s", u.Named(), u.Wanted)
		}
		switch {
		case i < maxUnmet:
			own += join + got
			join = ", "
		case i == maxUnmet:
			own += fmt.Sprintf(" and %d more", len(m.Unmet)-i)
		}
	}
	return own, same
}
