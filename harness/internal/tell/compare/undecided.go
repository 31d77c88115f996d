package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/internal/tell/explain"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// A void episode has no outcome, but if it had ended it would have one. So a comparison is also
// made twice with every void episode counted: once in the worst way for the head, and once in
// the best way. What differs between the two, void episodes could decide.

// ends are the two comparisons with every void episode counted; nil if none is void.
type ends struct{ worst, best *Comparison }

func (c *Comparison) ends() *ends {
	if c.Base.Void+c.Head.Void == 0 {
		return nil
	}
	return &ends{c.counted(true), c.counted(false)}
}

// counted returns a copy for [Gate.Judge] and [Comparison.shown] in which every void episode
// counts. If worst, it passed in the base and failed in the head, where it changed, many times, and
// needed far more there.
func (c *Comparison) counted(worst bool) *Comparison {
	few, many := needing(1), needing(1<<40)
	extreme := Pair{Base: few, Head: many}
	if !worst {
		extreme = Pair{Base: many, Head: few}
	}
	out := *c
	out.Base.Counts, out.Head.Counts = c.Base.resolved(worst), c.Head.resolved(!worst)
	out.Counted, out.Success, out.Shifts = c.Pairs, Success{}, nil
	out.Tasks = slices.Clone(c.Tasks)
	for i := range out.Tasks {
		t := &out.Tasks[i]
		if worst {
			t.Head.ChangedAnswers += 1 << 40 * min(t.Head.Void, 1) // an episode can have many
		}
		t.Base.Counts, t.Head.Counts = t.Base.resolved(worst), t.Head.resolved(!worst)
		t.Success, t.Shifts = Success{}, nil
		t.same = slices.Concat(t.same, slices.Repeat([]Pair{extreme}, t.Pairs-t.Counted))
	}
	out.reversals()
	out.success()
	out.shifts()
	return &out
}

// needing is an episode that needed this much of each metric.
func needing(n int) *report.Episode {
	return &report.Episode{Steps: n, ToolCalls: n, OpenchromeErrors: n, DurationMs: float64(n), Calls: []report.Call{{ArgTokens: n}}}
}

// resolved counts every void episode as passed, or as lost.
func (c Counts) resolved(pass bool) Counts {
	if pass {
		c.Passed += c.Void
	} else {
		c.Lost += c.Void
		c.WrongSideEffects += c.Void
	}
	c.Void = 0
	return c
}

// undecided says that void episodes could change an answer: how many they are, and why.
func (c *Comparison) undecided(headOnly bool) string {
	var sides []string
	if c.Base.Void > 0 && !headOnly {
		sides = append(sides, "in the base "+c.Base.voidWords())
	}
	if c.Head.Void > 0 {
		sides = append(sides, "in the head "+c.Head.voidWords())
	}
	return "void episodes could change the answer: " + strings.Join(sides, "; ")
}

// voidWords says how many episodes are void, and the most frequent causes.
func (s *Side) voidWords() string {
	counts := map[string]int{}
	var causes []string
	for _, e := range s.Report.Episodes.All() {
		if outcomeOf(e) == void {
			cause := cmp.Or(explain.Group(e), string(e.Status))
			if counts[cause]++; counts[cause] == 1 {
				causes = append(causes, cause)
			}
		}
	}
	slices.SortFunc(causes, func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), strings.Compare(a, b))
	})
	var words []string
	for _, cause := range causes[:min(len(causes), maxListed)] {
		words = append(words, fmt.Sprintf("%d × %s", counts[cause], display.VisibleTo(cause, 200)))
	}
	if more := len(causes) - maxListed; more > 0 {
		words = append(words, fmt.Sprintf("and %s", display.Count(more, "more cause")))
	}
	return fmt.Sprintf("%d of %d (%s)", s.Void, s.Episodes, strings.Join(words, ", "))
}

// withVoid names the tasks with void episodes.
func (c *Comparison) withVoid(headOnly bool) []string {
	return ids(c.tasks(func(t *Task) bool { return t.Head.Void > 0 || t.Base.Void > 0 && !headOnly }))
}
