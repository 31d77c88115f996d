package compare

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// Turned is a hint of OpenChrome, or an error, that one side has more often, in the calls of a task that both sides
// made alike. It decides nothing unless both runs have -drift=strict.
type Turned struct {
	Task    string `json:"task"`
	Tool    string `json:"tool"`
	Hint    string `json:"hint,omitempty"` // its rule; empty: errors are counted
	Base    int    `json:"base"`           // answers that have it
	Head    int    `json:"head"`
	Of      int    `json:"of"`      // answers of the tool, on each side
	Episode string `json:"episode"` // where the sides differ first
	Step    int    `json:"step"`
}

// turn counts the hints and errors of a task, in each pair as long as both sides made the same calls. A void
// episode counts only if a changed answer ended it.
func (c *Comparison) turn(t *Task) {
	type kind struct{ tool, hint string }
	rows := map[kind]*Turned{}
	says := func(p *Pair, b *report.Call, hint string, base, head bool) {
		k := kind{b.Tool, hint}
		if rows[k] == nil {
			rows[k] = &Turned{Task: t.ID, Tool: b.Tool, Hint: hint}
		}
		row := rows[k]
		if base != head && row.Episode == "" {
			row.Episode, row.Step = p.Base.Name, b.Step
		}
		row.Base, row.Head, row.Of = row.Base+count(base), row.Head+count(head), row.Of+1
	}
	ended := func(e *report.Episode) bool { return outcomeOf(e) == void && e.Cause != record.CauseChangedAnswer }
	for i := range t.pairs {
		p := &t.pairs[i]
		for k := range min(len(p.Base.Calls), len(p.Head.Calls)) {
			b, h := &p.Base.Calls[k], &p.Head.Calls[k]
			if ended(p.Base) || ended(p.Head) || !sameCall(b, h) {
				break
			}
			says(p, b, "", b.Error, h.Error)
			for _, rule := range slices.Compact([]string{b.Hint, h.Hint}) {
				if rule != "" {
					says(p, b, rule, b.Hint == rule, h.Hint == rule)
				}
			}
		}
	}
	for _, k := range slices.SortedFunc(maps.Keys(rows), func(a, b kind) int {
		return cmp.Or(strings.Compare(a.hint, b.hint), strings.Compare(a.tool, b.tool))
	}) {
		if row := rows[k]; row.Base != row.Head {
			row.Of = rows[kind{k.tool, ""}].Of
			c.Turned = append(c.Turned, *row)
		}
	}
}

// Change says what became of it.
func (t *Turned) Change() string {
	switch {
	case t.Head == 0 && t.Hint == "":
		return "gone"
	case t.Head == 0:
		return "fires no more"
	case t.Base == 0:
		return "new"
	case t.Head < t.Base:
		return "less often"
	}
	return "more often"
}

// What is the kind of answer that is counted, in words.
func (t *Turned) What() string {
	if t.Hint == "" {
		return "error"
	}
	return "hint " + t.Hint
}

// turned says the first of them in words.
func turned(of []Turned) string {
	var words sentence
	for _, t := range of[:min(len(of), maxListed)] {
		words.add(true, "%s of %s %s in %s (%d to %d of %d)", display.Visible(t.What()), display.Visible(t.Tool),
			t.Change(), display.Visible(t.Task), t.Base, t.Head, t.Of)
	}
	words.add(len(of) > maxListed, "and %d more", len(of)-maxListed)
	return strings.Join(words, ", ")
}

// strictRule names the rule of runs whose changed answers decide.
const strictRule = "-drift=" + string(record.DriftStrict)

// strict is why runs with -drift=strict breach that option, or why it cannot be judged. Two records are not judged.
func (c *Comparison) strict() (breach, unknown string) {
	if c.Base.Report.Drift != record.DriftStrict || c.Base.Report.Kept && c.Head.Report.Kept {
		return "", ""
	}
	if len(c.Turned) > 0 {
		breach = fmt.Sprintf("%s of hints and errors: %s", display.Count(len(c.Turned), "change"), turned(c.Turned))
	}
	if c.Base.Report.Kept || c.Head.Report.Kept {
		unknown = "a record has no answers; report:compare of both event logs judges it"
	}
	return breach, unknown
}
