package explain

import (
	"slices"

	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/report"
)

// Untrue counts the answers of a tool that said something else than what the page got.
type Untrue struct {
	Tool, Word string
	N          int
	Episodes   []*report.Episode // each once
	Steps      []int             // of the first such answer of each episode
}

// UntrueOf counts the untrue answers of a run, the most frequent first. Known is false if no trace says of
// any answer whether it was true.
func UntrueOf(r *report.Report) (all []Untrue, known bool) {
	for _, e := range r.Episodes.All() {
		for i := range e.Calls {
			var words []record.Word
			for _, p := range e.Calls[i].Parts {
				known = known || p.Word != record.NotKnown
				if !p.Untrue || slices.Contains(words, p.Word) {
					continue
				}
				words = append(words, p.Word)
				at := slices.IndexFunc(all, func(u Untrue) bool { return u.Tool == e.Calls[i].Tool && u.Word == string(p.Word) })
				if at < 0 {
					at, all = len(all), append(all, Untrue{Tool: e.Calls[i].Tool, Word: string(p.Word)})
				}
				u := &all[at]
				if u.N++; len(u.Episodes) == 0 || u.Episodes[len(u.Episodes)-1] != e {
					u.Episodes, u.Steps = append(u.Episodes, e), append(u.Steps, e.Calls[i].Step)
				}
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Untrue) int { return b.N - a.N })
	return all, known
}
