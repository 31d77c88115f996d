package report

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/openchrome/bench/harness/display"
	"github.com/openchrome/bench/harness/event"
)

// canonicalElement is what only the elements of a canonical report have, and their size.
type canonicalElement struct {
	Repetitions string
	bytes       int
}

// UnmarshalJSON also keeps how long the element is.
func (c *canonicalElement) UnmarshalJSON(raw []byte) error {
	type plain canonicalElement
	c.bytes = len(raw)
	return json.Unmarshal(raw, (*plain)(c))
}

// A small file can stand for many repetitions. maxExpandedBytes bounds them, as if each
// were written out, with at least minEpisodeBytes.
const (
	maxExpandedBytes = 256 << 20
	minEpisodeBytes  = 1 << 10
)

// expandAll returns an episode for each repetition of each element.
func expandAll(elements []Episode, canonical []canonicalElement) ([]Episode, error) {
	all := make([]Episode, 0, len(elements))
	room := maxExpandedBytes
	for i, e := range elements {
		if canonical[i].Repetitions == "" {
			all = append(all, e)
			continue
		}
		numbers, err := expand(canonical[i].Repetitions)
		if err != nil {
			return nil, fmt.Errorf("episode %d: %w", i+1, err)
		}
		if room -= len(numbers) * max(canonical[i].bytes, minEpisodeBytes); room < 0 {
			return nil, fmt.Errorf("episode %d: up to here there are too many repetitions for a canonical report; use the event log", i+1)
		}
		for _, n := range numbers {
			e.Repetition, e.Name = n, fmt.Sprintf("%s#%d", e.TaskID, n)
			all = append(all, e)
		}
	}
	return all, nil
}

// check returns the first contradiction in a report whose episodes are sorted.
func (r *Report) check() error {
	tasks := map[string]bool{}
	for i := range r.Tasks {
		id := r.Tasks[i].ID
		if tasks[id] {
			return fmt.Errorf("task %s occurs twice", display.Quote(id))
		}
		tasks[id] = true
	}
	for i := range r.Episodes {
		e := &r.Episodes[i]
		name := fmt.Sprintf("%s, repetition %d", display.Quote(e.TaskID), e.Repetition)
		known := func(rule event.Rule) bool { return rule.Status == e.Status }
		switch {
		case !tasks[e.TaskID]:
			return fmt.Errorf("episode %s: its task is not in tasks", name)
		case i > 0 && e.TaskID == r.Episodes[i-1].TaskID && e.Repetition == r.Episodes[i-1].Repetition:
			return fmt.Errorf("episode %s occurs twice", name)
		case !slices.ContainsFunc(event.Rules, known):
			return fmt.Errorf("episode %s: there is no status %s", name, display.Quote(string(e.Status)))
		case e.Repetition < 1 || e.Steps < 0 || e.ToolCalls < 0 || e.OpenchromeErrors < 0 || e.DurationMs < 0:
			return fmt.Errorf("episode %s: a number is too low", name)
		}
	}
	if n := len(r.Episodes); n != r.Totals.Finished {
		return fmt.Errorf("totals: finished is %d, but there are %d episodes", r.Totals.Finished, n)
	}
	return nil
}
