package why

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// maxSaid is how many characters of an answer a line shows.
const maxSaid = 200

// Story is [Line] in several lines: what the step that went wrong was asked, what the server said, what
// the page got, and what came of it. A line has its subject and its text. It is nil if the trace and the
// fixture web know nothing of it.
func Story(e *report.Episode) (lines [][2]string) {
	if e.Success {
		return nil
	}
	d := Diagnose(e)
	m, c, p := d.Missed, d.Call, d.Part
	if m == nil && d.Kind != AtUntrue {
		return nil
	}
	if d.explains() {
		said := cmp.Or(c.Failure, c.Answer)
		if c.Error && !c.Cancelled() {
			said = "an error: " + said
		}
		lines = append(lines, [2]string{fmt.Sprintf("Step %d", c.Step), c.Tool + " was asked for " + askedBy(c, p)}, [2]string{"It said", display.Cut(said, maxSaid)})
		if did := Did(c); p != nil {
			lines = append(lines, [2]string{"Page got", blamedFor(p) + into(m, p)})
		} else if did != "" {
			lines = append(lines, [2]string{"Page got", did})
		}
		if d.Fault != "" {
			lines = append(lines, [2]string{"It had", "an error: " + d.Fault})
		}
	}
	if m == nil {
		return append(lines, [2]string{"Failed", Line(e)}) // whether the step is to blame is not known
	}
	if e.Cause != record.CauseContract {
		lines = append(lines, [2]string{"Ended", reasonOf(e)})
	}
	own, _ := missed(e, m)
	lines = append(lines, [2]string{"So", own})
	if len(e.WrongSideEffects) > 0 {
		lines = append(lines, [2]string{"Wrong side effect", strings.Join(e.WrongSideEffects, ", ")})
	}
	return lines
}

// into names the field that a call filled as it asked, if it is not the one that had to have the value.
func into(m *record.Missed, p *record.Part) string {
	if m == nil || p.Hit == nil || p.Hit.Field == "" || p.Word != record.AsAsked || p.Value == "" || p.Did != "" {
		return ""
	}
	return ", in the field " + display.QuoteTo(p.Hit.Field, 60)
}

// askedBy says what a part asked for; without one, or if nobody asked for it, what the call asked for.
func askedBy(c *report.Call, p *record.Part) string {
	if p != nil && p.Asked != "" {
		return Asked(p)
	}
	var all []string
	for i := range c.Parts {
		if c.Parts[i].Asked != "" {
			all = append(all, Asked(&c.Parts[i]))
		}
	}
	return display.Cut(cmp.Or(strings.Join(all, ", "), c.Args), maxSaid)
}

// Did is [Step] in one line: what the page did not get as asked, or how it got a value, else the word. It is
// empty if the call asked for nothing.
func Did(c *report.Call) string {
	var words, guesses []string
	asAsked := 0
	for _, p := range c.Parts {
		switch {
		case p.Word == record.AsAsked && blamedFor(&p) == p.Did:
			words = append(words, p.Did)
		case p.Word == record.AsAsked:
			asAsked++
		case p.Word != record.NotKnown:
			words = append(words, Got(&p))
		case p.Did != "":
			guesses = append(guesses, Got(&p))
		}
	}
	switch n := len(c.Parts); {
	case words != nil || n == 0:
		return strings.Join(words, "; ")
	case asAsked == n:
		return string(record.AsAsked)
	case asAsked > 0:
		return fmt.Sprintf("%s %d of %d, else %s", record.AsAsked, asAsked, n, record.NotKnown)
	}
	return cmp.Or(strings.Join(guesses, "; "), string(record.NotKnown))
}

// Untold says why it is not known what the pages got in an episode; empty if it is known of a step.
func Untold(e *report.Episode) string {
	missing, parts := "", false
	for _, c := range e.Calls {
		parts = parts || c.Parts != nil
		switch {
		case c.Trace == nil:
		case c.Trace.Missing == "":
			return ""
		default:
			missing = c.Trace.Missing
		}
	}
	switch {
	case missing != "":
		return "What the pages got is not known: " + missing + "."
	case e.Success || parts || len(e.Calls) == 0:
		return ""
	}
	return "What the pages got was not recorded."
}

// Unmet returns the conditions that the requests of a step did not meet: each with its name, what was
// wanted, and what came.
func Unmet(e *report.Episode, c *report.Call) (rows [][3]string) {
	for _, m := range e.Missed {
		if m.Sent == "" || m.Kind == record.MissedUnsent || m.Step != c.Step {
			continue
		}
		for _, u := range m.Unmet {
			came := display.QuoteTo(u.Got, 80)
			if u.Absent {
				came = "nothing"
			}
			rows = append(rows, [3]string{cmp.Or(m.Wanted, m.Sent) + ": " + u.Named(), u.Wanted, came})
		}
	}
	return rows
}
