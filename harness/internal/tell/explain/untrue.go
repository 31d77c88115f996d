package explain

import (
	"fmt"
	"slices"

	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/report"
)

// Untrue counts the answers of a tool that said something else than what the page got, in the same way.
type Untrue struct {
	Tool, Word string
	N, Of      int               // Of is how many answers of the tool are known to be true or not
	Episodes   []*report.Episode // each once
	Steps      []int             // of the first such answer of each episode
}

func (u Untrue) String() string {
	return fmt.Sprintf("%d of %d× %s: %s, such as %s", u.N, u.Of, u.Tool, u.Word, u.Episodes[0].Name)
}

// UntrueOf counts the untrue answers of a run, the most frequent first. Known is of each tool how many
// answers are known to be true or not; it is empty without traces.
func UntrueOf(r *report.Report) (all []Untrue, known map[string]int) {
	known = map[string]int{}
	for _, e := range r.Episodes.All() {
		for i := range e.Calls {
			c := &e.Calls[i]
			if c.Known() {
				known[c.Tool]++
			}
			var words []record.Word
			for _, p := range c.Parts {
				if !p.Untrue || slices.Contains(words, p.Word) {
					continue
				}
				words = append(words, p.Word)
				at := slices.IndexFunc(all, func(u Untrue) bool { return u.Tool == c.Tool && u.Word == string(p.Word) })
				if at < 0 {
					at, all = len(all), append(all, Untrue{Tool: c.Tool, Word: string(p.Word)})
				}
				u := &all[at]
				if u.N++; len(u.Episodes) == 0 || u.Episodes[len(u.Episodes)-1].Name != e.Name {
					u.Episodes, u.Steps = append(u.Episodes, e), append(u.Steps, c.Step)
				}
			}
		}
	}
	for i := range all {
		all[i].Of = known[all[i].Tool]
	}
	slices.SortStableFunc(all, func(a, b Untrue) int { return b.N - a.N })
	return all, known
}
