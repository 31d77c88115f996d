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

// UntrueOf counts the false successes and the unreported side effects of a run, the most frequent first.
// Known is of each tool how many answers are known to be true or not; it is empty without traces.
func UntrueOf(r *report.Report) (all []Untrue, known map[string]int) {
	known = map[string]int{}
	watched := r.Server != nil && r.Server.Facts == record.FactsObserver // else no answer is known
	for _, e := range r.Episodes.All() {
		for i := range e.Calls {
			c := &e.Calls[i]
			var words []string
			if watched && c.Cancelled() {
				words = []string{noAnswer}
			}
			if c.Known() || words != nil {
				known[c.Tool]++
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
				at := slices.IndexFunc(all, func(u Untrue) bool { return u.Tool == c.Tool && u.Word == word })
				if at < 0 {
					at, all = len(all), append(all, Untrue{Tool: c.Tool, Word: word})
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

// Apart counts the false successes and the unreported side effects of a run each for itself; an answer can be
// both.
func Apart(r *report.Report) string {
	var untrue, silent, known int
	for _, e := range r.Episodes.All() {
		for i := range e.Calls {
			c := &e.Calls[i]
			if c.Has(record.FalseSuccess) {
				untrue++
			}
			if c.Has(record.UnreportedSide) {
				silent++
			}
			if c.Known() {
				known++
			}
		}
	}
	return fmt.Sprintf("false successes: %d, unreported side effects: %d, of %s",
		untrue, silent, display.Count(known, "answer"))
}

// BothUntrue is the [Untrue] answers of a tool with one word on two sides.
type BothUntrue struct {
	Tool, Word string
	Base, Head Untrue
}

// Change says how their share changed. No test says whether that is chance.
func (u *BothUntrue) Change() string {
	switch b, h := &u.Base, &u.Head; {
	case b.Of == 0 || h.Of == 0:
		return "one side only"
	case b.N*h.Of < h.N*b.Of:
		return "worse"
	case b.N*h.Of > h.N*b.Of:
		return "better"
	}
	return "same"
}

// CompareUntrue lists the [Untrue] answers of both sides. The note says why there are none; it is empty
// if there are some, or if nothing is known of both sides.
func CompareUntrue(of, with *report.Report) (rows []BothUntrue, note string) {
	base, ofBase := UntrueOf(of)
	head, ofHead := UntrueOf(with)
	switch {
	case len(ofBase)+len(ofHead) == 0:
		return nil, ""
	case len(ofBase) == 0:
		return nil, "false successes are not compared: the base has no traces"
	case len(ofHead) == 0:
		return nil, "false successes are not compared: the head has no traces"
	}
	for _, u := range slices.Concat(base, head) {
		isRow := func(b BothUntrue) bool { return b.Tool == u.Tool && b.Word == u.Word }
		if slices.ContainsFunc(rows, isRow) {
			continue
		}
		of := func(side []Untrue, known map[string]int) Untrue {
			for _, s := range side {
				if s.Tool == u.Tool && s.Word == u.Word {
					return s
				}
			}
			return Untrue{Of: known[u.Tool]}
		}
		rows = append(rows, BothUntrue{u.Tool, u.Word, of(base, ofBase), of(head, ofHead)})
	}
	slices.SortFunc(rows, func(a, b BothUntrue) int {
		return cmp.Or(b.Base.N+b.Head.N-a.Base.N-a.Head.N, cmp.Compare(a.Tool, b.Tool), cmp.Compare(a.Word, b.Word))
	})
	if rows == nil {
		note = "neither side has a false success or an unreported side effect, as far as the traces show"
	}
	return rows, note
}
