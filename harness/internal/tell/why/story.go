package why

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// maxSaid is how many characters of an answer a line shows.
const maxSaid = 200

// Story says what [Line] rests on: whose the failure is, what the step that went wrong was asked, what the server
// said, and what the page got. A line has its subject and its text. It is nil if the episode passed.
func Story(e *report.Episode) (lines [][2]string) {
	if e.Status.Class() == record.Pass {
		return nil
	}
	d := Diagnose(e)
	add := func(subject, text string) { lines = append(lines, [2]string{subject, text}) }
	c, p := d.Call, d.part
	whose := string(d.Whose)
	if d.Whose == NotKnown {
		whose = "not known"
	}
	add("Whose", whose+": "+d.Because)
	if d.explains() {
		add("Asked", fmt.Sprintf("step %d, %s: %s", c.Step, c.Tool, askedBy(c, p)))
		said := cmp.Or(c.Partial, c.Failure, c.Answer)
		if p != nil && p.Untrue {
			said = c.Answer
		}
		if c.Error && !c.Cancelled() {
			said = "an error: " + said
		}
		add("Said", ends(said))
		did := Did(c)
		if p != nil {
			did = got(p)
		}
		if did != "" {
			add("Got", did)
		}
		if d.kind == atFault {
			add("Had", "an error: "+c.Trace.Fault)
		}
	}
	if c := d.last.call; c != nil && c != d.Call {
		add("Then", fmt.Sprintf("step %d, %s: %s: %s", c.Step, c.Tool, asked(d.last.part), got(d.last.part)))
	}
	return lines
}

// askedBy says what a part asked for; without one, or if nobody asked for it, what the call asked for.
func askedBy(c *report.Call, p *record.Part) string {
	if p != nil && p.Asked != "" {
		return asked(p)
	}
	var all []string
	for i := range c.Parts {
		if c.Parts[i].Asked != "" {
			all = append(all, asked(&c.Parts[i]))
		}
	}
	return display.Cut(cmp.Or(strings.Join(all, ", "), c.Args), maxSaid)
}

// asked says what a part asked for.
func asked(p *record.Part) string {
	if p.Value == "" {
		return display.QuoteTo(p.Asked, 60)
	}
	return display.QuoteTo(p.Asked, 60) + " = " + display.QuoteTo(p.Value, 60)
}

// got says what the page got of a part.
func got(p *record.Part) string {
	if p.Did == "" {
		return string(p.Word)
	}
	return string(p.Word) + ", " + p.Did
}

// Did is [Step] in one line: what the page did not get as asked, or how it got a value, else the word. It is
// empty if the call asked for nothing.
func Did(c *report.Call) string {
	var words, guesses []string
	asAsked := 0
	for _, p := range c.Parts {
		switch {
		case p.Word == record.AsAsked && p.Value != "" && p.Did != "":
			words = append(words, p.Did)
		case p.Word == record.AsAsked:
			asAsked++
		case p.Word != record.NotKnown:
			words = append(words, got(&p))
		case p.Did != "":
			guesses = append(guesses, got(&p))
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

// Step says in words what the pages got in a step, a line for each part that a call asked for, and before
// it how the part makes the answer untrue, if it does. A step that was not observed has none.
func Step(c *report.Call) (lines [][2]string) {
	for _, p := range c.Parts {
		if p.Word == record.NotKnown && p.Did == "" {
			continue
		}
		line := [2]string{"", got(&p)}
		if p.Asked != "" {
			line[1] = "asked for " + asked(&p) + ": " + line[1]
		}
		if p.Untrue {
			line[0] = strings.ToUpper(p.Untruth()) + ":"
		}
		lines = append(lines, line)
	}
	return lines
}

// IsOther reports whether the page got something else than a part asked for, or nothing.
func IsOther(p record.Part) bool {
	switch p.Word {
	case record.OtherElement, record.OtherName, record.OtherValue, record.Nothing:
		return true
	}
	return false
}

// Untold says why it is not known what the pages got in an episode; empty if it is known of a step.
func Untold(e *report.Episode) string {
	missing, hasParts := "", false
	for _, c := range e.Calls {
		hasParts = hasParts || c.Parts != nil
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
	case e.Success || hasParts || len(e.Calls) == 0:
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

// Sent says what a request sent.
func Sent(q *record.Request) string {
	line := fmt.Sprintf("%s %s: %d", q.Method, q.URL, q.Status)
	if q.Body != "" {
		line += " " + q.Body
	}
	return line
}

// Note says whose request a check looks for, if that is the web's own.
func Note(n *judge.Node) string {
	url := strings.ReplaceAll(n.Pattern, `\`, "")
	switch {
	case strings.Contains(url, "/.wrong/"):
		return "the web writes such a request itself when a forbidden act is done"
	case strings.Contains(url, "/.end/"):
		return "the web writes this request itself at the end: 200 if the task is done then, and nothing forbidden was"
	}
	return ""
}
