package why

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// noAnswer is the word for a call that was cancelled at the time cap. It counts beside the false
// successes: a server that freezes is no more truthful than one that answers.
const noAnswer = "no answer"

// Untrue counts the answers of a tool that are false successes, or leave a side effect unreported, in the
// same way.
type Untrue struct {
	Tool, Word string            // Word is such as "false success: other element"
	N, Of      int               // Of is how many answers of the tool are known to be true or not
	Episodes   []*report.Episode // each once
	Steps      []int             // of the first such answer of each episode
}

// Keep is what is known of the answers of an episode, without its calls.
func Keep(r *report.Report, e *report.Episode) *report.Kept {
	if e.Kept != nil {
		return e.Kept
	}
	k := &report.Kept{Known: map[string]int{}, Tokens: e.Tokens()}
	if e.InputTokens != nil {
		k.Read = e.InputTokens.Read.O200k
	}
	watched := r.Server != nil && r.Server.Facts == record.FactsObserver // else no answer is known
	for i := range e.Calls {
		c := &e.Calls[i]
		var words []string
		if watched && c.Cancelled() {
			words = []string{noAnswer}
		}
		if c.Known() || words != nil {
			k.Known[c.Tool]++
		}
		if words != nil || c.Has(record.FalseSuccess) {
			k.False++
		}
		if c.Has(record.UnreportedSide) {
			k.Silent++
		}
		for _, p := range c.Parts {
			word := p.Untruth()
			if word == record.FalseSuccess {
				word += ": " + string(p.Word)
			}
			if p.Untrue && !slices.Contains(words, word) {
				words = append(words, word)
			}
		}
		for _, word := range words {
			at := slices.IndexFunc(k.Untrue, func(u report.Untrue) bool { return u.Tool == c.Tool && u.Word == word })
			if at < 0 {
				at = len(k.Untrue)
				k.Untrue = append(k.Untrue, report.Untrue{Tool: c.Tool, Word: word, Step: c.Step})
			}
			k.Untrue[at].N++
		}
	}
	return k
}

// UntrueOf counts the false successes and the unreported side effects of a run, the most frequent first.
// Known is of each tool how many answers are known to be true or not; it is empty without traces.
func UntrueOf(r *report.Report) (all []Untrue, known map[string]int) {
	known = map[string]int{}
	for _, e := range r.Episodes.All() {
		k := Keep(r, e)
		for tool, n := range k.Known {
			known[tool] += n
		}
		for _, one := range k.Untrue {
			at := slices.IndexFunc(all, func(u Untrue) bool { return u.Tool == one.Tool && u.Word == one.Word })
			if at < 0 {
				at, all = len(all), append(all, Untrue{Tool: one.Tool, Word: one.Word})
			}
			u := &all[at]
			u.N += one.N
			u.Episodes, u.Steps = append(u.Episodes, e), append(u.Steps, one.Step)
		}
	}
	for i := range all {
		all[i].Of = known[all[i].Tool]
	}
	slices.SortStableFunc(all, func(a, b Untrue) int { return b.N - a.N })
	return all, known
}

// Untruths counts the answers of a run that are false successes or did not come, those that leave a side effect
// unreported, and all of which this is known. An answer can be both.
func Untruths(r *report.Report) (untrue, silent, known int) {
	for _, e := range r.Episodes.All() {
		k := Keep(r, e)
		untrue, silent = untrue+k.False, silent+k.Silent
		for _, n := range k.Known {
			known += n
		}
	}
	return untrue, silent, known
}

// Apart says the [Untruths] of a run.
func Apart(r *report.Report) string {
	untrue, silent, known := Untruths(r)
	return fmt.Sprintf("false successes or no answer: %d, unreported side effects: %d, of %s",
		untrue, silent, display.Count(known, "answer"))
}

// BothUntrue is the [Untrue] answers of a tool with one word on two sides.
type BothUntrue struct {
	Tool, Word string
	Sides      [2]Untrue // base, head
}

// CompareUntrue lists the [Untrue] answers of both sides. The note says why there are none; it is empty
// if there are some, or if nothing is known of both sides.
func CompareUntrue(of, with *report.Report) (rows []BothUntrue, note string) {
	base, ofBase := UntrueOf(of)
	head, ofHead := UntrueOf(with)
	switch {
	case len(ofBase)+len(ofHead) == 0:
		return nil, ""
	case len(ofBase) == 0 || len(ofHead) == 0:
		return nil, "false successes are not compared: one side has no traces"
	}
	for i, side := range [][]Untrue{base, head} {
		for _, u := range side {
			at := slices.IndexFunc(rows, func(b BothUntrue) bool { return b.Tool == u.Tool && b.Word == u.Word })
			if at < 0 {
				none := [2]Untrue{{Of: ofBase[u.Tool]}, {Of: ofHead[u.Tool]}}
				at, rows = len(rows), append(rows, BothUntrue{u.Tool, u.Word, none})
			}
			rows[at].Sides[i] = u
		}
	}
	slices.SortFunc(rows, func(a, b BothUntrue) int {
		return cmp.Or(b.Sides[0].N+b.Sides[1].N-a.Sides[0].N-a.Sides[1].N, cmp.Compare(a.Tool, b.Tool), cmp.Compare(a.Word, b.Word))
	})
	if rows == nil {
		note = "neither side has a false success or an unreported side effect, as far as the traces show"
	}
	return rows, note
}
