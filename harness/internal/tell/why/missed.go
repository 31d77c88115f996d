package why

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// reported says that the console of a page has an error.
const reported = "the page reported an error"

// fault returns the last call in which a page reported an error, and the error, if a request was never
// sent. The call is nil without one, and if the adapter gave up: it saw later answers.
func fault(e *report.Episode, m *record.Missed) (c *report.Call, text string) {
	for i := range e.Calls {
		if m.Kind != record.MissedUnsent || e.Cause == record.CauseGaveUp {
			break
		}
		if t := e.Calls[i].Trace; t != nil && t.Fault != "" {
			c, text = &e.Calls[i], t.Fault
		}
	}
	return c, text
}

// failing is the kind of the check that failed first.
func failing(e *report.Episode) string {
	for _, n := range Checks(e) {
		if n.Verdict == judge.Fail {
			return n.Kind
		}
	}
	return ""
}

// missedBy returns the receipt that the episode came nearest to, if it failed for want of one; else nil.
func missedBy(e *report.Episode) *record.Missed {
	if kind := failing(e); len(e.Missed) == 0 || kind != "network" && kind != "or" {
		return nil
	}
	i := slices.IndexFunc(e.Missed, func(m record.Missed) bool { return m.Kind != record.MissedUnsent })
	return &e.Missed[max(i, 0)]
}

// ended says where the page ended, and how its text begins.
func ended(e *report.Episode) string {
	u, err := url.Parse(e.FinalURL)
	if err != nil || e.FinalURL == "" {
		return ""
	}
	where := "ended at " + u.RequestURI()
	if e.Ended != "" {
		where += ": " + e.Ended
	}
	return where
}

// maxUnmet is how many conditions a line names.
const maxUnmet = 2

func missed(e *report.Episode, m *record.Missed) (own, same string) {
	sent := m.Sent
	tool, join := "", " had "
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
		how := "broken off"
		if m.Status > 0 {
			how = fmt.Sprintf("answered with %d", m.Status)
		}
		own, same = fmt.Sprintf("%s was %s", sent, how), "a request failed as planned, and was not repeated in time"
		if m.Early != "" {
			own += ", and not repeated before " + m.Early
		}
	case record.MissedUndone:
		join = ": "
		own, same = sent+" undid it", tool+"a request that undid it"
	case record.MissedState:
		join = ": "
		own, same = "all requests came", "all requests came, and the state is another one"
	default:
		own, same = sent, tool+"another value"
	}
	if m.Kind == record.MissedValue && !slices.ContainsFunc(m.Unmet, func(u record.Unmet) bool { return u.Got != "" }) {
		same = tool + "no value"
	}
	for i, u := range m.Unmet {
		switch {
		case i == maxUnmet:
			own += fmt.Sprintf(" and %d more", len(m.Unmet)-i)
		case i < maxUnmet:
			own += join + unmet(u)
			join = ", "
		}
	}
	return own, same
}

func unmet(u record.Unmet) string {
	if u.Absent {
		return fmt.Sprintf("no %s, wanted %s", u.Named(), u.Wanted)
	}
	return fmt.Sprintf("%s=%s, wanted %s", u.Named(), display.QuoteTo(u.Got, 80), u.Wanted)
}

func callAt(e *report.Episode, step int) *report.Call {
	i := slices.IndexFunc(e.Calls, func(c report.Call) bool { return c.Step == step })
	if i < 0 {
		return nil
	}
	return &e.Calls[i]
}

// blamed returns the part of a call that should have set what was missed, as far as the trace
// shows it: the last part that hit the field of an unmet condition, if not as asked; else the last part that
// makes an answer a false success; else the one that set the field, as asked or as far as known; else the last part
// that was not as asked, or that hit something before the request was sent. A dialog or tab is not to blame in a call that did something else than asked. Both
// are nil if there is none.
func blamed(e *report.Episode, m *record.Missed) (call *report.Call, part *record.Part) {
	calls := e.Calls
	if i := slices.IndexFunc(calls, func(c report.Call) bool { return c.Step > m.Step }); i >= 0 && m.Sent != "" && m.Kind != record.MissedUnsent {
		calls = calls[:i]
	}
	set := map[string]*record.Part{} // by field: the last part that hit it
	for i := range calls {
		for j := range calls[i].Parts {
			if p := &calls[i].Parts[j]; p.Hit != nil && p.Word != record.Refused && slices.ContainsFunc(m.Unmet, func(u record.Unmet) bool { return u.Name == p.Hit.Field }) {
				set[p.Hit.Field] = p
			}
		}
	}
	rank := 0
	for i := range calls {
		c := &calls[i]
		for j := range c.Parts {
			p := &c.Parts[j]
			last := p.Hit != nil && set[p.Hit.Field] == p
			now := 0
			switch {
			case p.Word == record.NotKnown && p.Hit != nil && m.Sent != "" && c.Step == m.Step && !last:
				now = 1
			case p.Word == record.Refused || (p.Word == record.AsAsked || p.Word == record.NotKnown) && !last:
			case p.Word == record.AsAsked || p.Word == record.NotKnown:
				now = 3
			case p.Word == record.More && (m.Kind != record.MissedUnsent || slices.ContainsFunc(c.Parts, IsOther)), p.Word == record.OneOfSeveral && m.Kind == record.MissedUnsent:
			case last:
				now = 5
			case p.Word == record.OtherValue && p.Hit != nil && set[p.Hit.Field] != nil: // a later part overwrote it
				now = 2
			case p.Untrue:
				now = 4
			case c.Step != m.Step: // the last step sent the right request, with another value
				now = 2
			default:
				now = 1
			}
			if now > 0 && now >= rank {
				rank, call, part = now, c, p
			}
		}
	}
	return call, part
}

// IsOther reports whether the page got something else than a part asked for, or nothing.
func IsOther(p record.Part) bool {
	return p.Word == record.OtherElement || p.Word == record.OtherName || p.Word == record.OtherValue || p.Word == record.Nothing
}

// Untruths begin the line of a part that makes an answer untrue.
var Untruths = []string{"FALSE SUCCESS: ", "UNREPORTED SIDE EFFECT: "}

// Step says in words what the pages got in a step, a line for each part that a call asked for. A
// step that was not observed has none.
func Step(c *report.Call) (lines []string) {
	for _, p := range c.Parts {
		if p.Word == record.NotKnown && p.Did == "" {
			continue
		}
		line := Part(&p)
		if p.Untrue {
			line = strings.ToUpper(p.Untruth()) + ": " + line
		}
		lines = append(lines, line)
	}
	return lines
}

// Part says what was asked for, and what the page got.
func Part(p *record.Part) string {
	if p.Asked == "" {
		return Got(p)
	}
	return "asked for " + Asked(p) + ": " + Got(p)
}

// Asked says what a part asked for.
func Asked(p *record.Part) string {
	asked := ""
	if p.Asked != "" {
		asked = display.QuoteTo(p.Asked, 60)
	}
	if p.Value != "" {
		asked += " = " + display.QuoteTo(p.Value, 60)
	}
	return asked
}

// Got says what the page got of a part.
func Got(p *record.Part) string {
	if p.Did == "" {
		return string(p.Word)
	}
	return string(p.Word) + ", " + p.Did
}

// blamedFor is [Got] of a part that is to blame. That a field was filled as asked is no reason, but which
// of several it was is one.
func blamedFor(p *record.Part) string {
	if p.Word == record.AsAsked && p.Value != "" && p.Did != "" {
		return p.Did
	}
	return Got(p)
}

// Sent says what a request sent.
func Sent(q *record.Request) string {
	line := fmt.Sprintf("%s %s: %d", q.Method, q.URL, q.Status)
	if q.Body != "" {
		line += " " + q.Body
	}
	return line
}

// Alike reports whether two episodes did not pass for the same cause, as far as both know it: a
// canonical report knows neither what was missed nor what the pages got.
func Alike(a, b *report.Episode) bool {
	one, two := *a, *b
	if (a.Missed == nil) != (b.Missed == nil) || (len(a.Calls) > 0 && a.Calls[0].Trace == nil) != (len(b.Calls) > 0 && b.Calls[0].Trace == nil) {
		one.Missed, one.Calls, two.Missed, two.Calls = nil, nil, nil, nil
	}
	return Group(&one) == Group(&two)
}

// Ended says why an episode ended as it did: by the receipt that it missed, if that is known.
func Ended(s *record.Stop) string {
	if s.Cause != record.CauseContract || len(s.Missed) == 0 {
		return s.Reason
	}
	own, _ := missed(new(report.Episode), &s.Missed[0])
	return own
}

// Cause is why episodes did not pass.
type Cause struct {
	Group string          // see [Group]
	First *report.Episode // the first of them
	N     int
}

// Causes groups the episodes that did not pass: failures before void ones, and of these the most
// frequent cause first.
func Causes(episodes report.Episodes) (all []Cause) {
	at := map[string]int{}
	for _, e := range episodes.All() {
		if e.Status == record.Passed {
			continue
		}
		key := Group(e)
		n, ok := at[key]
		if !ok {
			n = len(all)
			at[key] = n
			all = append(all, Cause{Group: key, First: e})
		}
		all[n].N++
	}
	void := func(c Cause) int {
		if c.First.Status.Class() == record.Void {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(all, func(a, b Cause) int { return cmp.Or(void(a)-void(b), b.N-a.N) })
	return all
}
