package compare

import (
	"fmt"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/internal/tell/explain"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/text/display"
)

func (c *Comparison) look(p *Pair) {
	b, h := p.Base, p.Head
	changed := func(what, base, head string) {
		if base != head {
			p.Changes = append(p.Changes, Change{what, base, head})
		}
	}
	number := func(what string, base, head int) {
		if base != head {
			changed(what, fmt.Sprint(base), fmt.Sprint(head))
		}
	}
	changed("status", string(b.Status), string(h.Status))
	if !explain.Alike(b, h) {
		changed("why it did not pass", explain.Why(b), explain.Why(h))
	}
	number("steps", b.Steps, h.Steps)
	number("tool calls", b.ToolCalls, h.ToolCalls)
	number("errors", b.OpenchromeErrors, h.OpenchromeErrors)
	number("changed answers", len(b.ChangedAnswers), len(h.ChangedAnswers))
	if c.NoTokens == "" { // else there may be no hints either
		changed("hints", hints(b), hints(h))
		number("tokens", b.Tokens(), h.Tokens())
	}
	if c.SameServer && !c.Agents { // two agents make other calls
		c.answers(p)
	}
	if c.NoDurations == "" && len(p.Changes)+len(p.Answers) > 0 {
		changed("duration", fmt.Sprintf("%.0f ms", b.DurationMs), fmt.Sprintf("%.0f ms", h.DurationMs))
	}
}

func hints(e *report.Episode) string {
	var list []string
	for _, h := range e.Hints {
		list = append(list, fmt.Sprintf("%s (%d)", h.Rule, h.Count))
	}
	return strings.Join(list, ", ")
}

// answers compares the answers of a pair, call by call, as long as both made the same calls. If the
// outcomes differ, so do the pages, and other answers are no reworded ones.
func (c *Comparison) answers(p *Pair) {
	for i := range min(len(p.Base.Calls), len(p.Head.Calls)) {
		b, h := &p.Base.Calls[i], &p.Head.Calls[i]
		if b.Tool != h.Tool || b.Args != "" && h.Args != "" && b.Args != h.Args {
			p.Changes = append(p.Changes, Change{fmt.Sprintf("call at step %d", b.Step), call(b), call(h)})
			return
		}
		if b.Error != h.Error {
			p.Changes = append(p.Changes, Change{fmt.Sprintf("answer of %s at step %d", b.Tool, b.Step), kind(b), kind(h)})
			continue
		}
		if b.Digest == "" || h.Digest == "" { // no answer is not a reworded one
			continue
		}
		a := Answer{b, h}
		if b.Digest != h.Digest {
			p.Answers = append(p.Answers, a)
		}
		if !p.alike() {
			continue
		}
		t := c.tool(b.Tool)
		t.Compared++
		if b.Digest == h.Digest {
			continue
		}
		t.Reworded++
		same := func(r Rewording) bool { return r.Base.Digest == b.Digest && r.Head.Digest == h.Digest }
		if n := slices.IndexFunc(t.Examples, same); n >= 0 {
			t.Examples[n].Count++
		} else if len(t.Examples) < maxWays {
			t.Examples = append(t.Examples, Rewording{Answer: a, Episode: p.Name, Count: 1})
		}
	}
}

// maxWays is how many ways of rewording are counted for a tool, and maxExamples how many
// are kept.
const (
	maxWays     = 100
	maxExamples = 3
)

// alike reports whether both sides passed, or neither did.
func (p *Pair) alike() bool {
	return (outcomeOf(p.Base) == passed) == (outcomeOf(p.Head) == passed)
}

func kind(c *report.Call) string {
	switch {
	case c.Digest == "":
		return "none: " + c.Failure
	case c.Error:
		return "an error"
	}
	return "no error"
}

func call(c *report.Call) string {
	if c.Args == "" {
		return c.Tool
	}
	return c.Tool + " " + display.Cut(c.Args, 200)
}
