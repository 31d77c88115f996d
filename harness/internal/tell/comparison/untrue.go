package comparison

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/openchrome/bench/harness/internal/tell/explain"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// Untrue is the untrue answers of a tool with one word on both sides.
type Untrue struct {
	Tool, Word string
	Base, Head explain.Untrue
}

// Change says how the share of untrue answers changed. No test says whether that is chance.
func (u *Untrue) Change() string {
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

// Untrue lists the answers that were untrue on either side. The note says why there are none; it is empty
// if there are some, or if nothing is known of both sides.
func (c *Comparison) Untrue() (rows []Untrue, note string) {
	base, ofBase := explain.UntrueOf(c.Base.Report)
	head, ofHead := explain.UntrueOf(c.Head.Report)
	switch {
	case len(ofBase)+len(ofHead) == 0:
		return nil, ""
	case len(ofBase) == 0:
		return nil, "untrue answers are not compared: the base has no traces"
	case len(ofHead) == 0:
		return nil, "untrue answers are not compared: the head has no traces"
	}
	at := map[[2]string]*Untrue{}
	row := func(u explain.Untrue) *Untrue {
		key := [2]string{u.Tool, u.Word}
		if at[key] == nil {
			at[key] = &Untrue{u.Tool, u.Word, explain.Untrue{Of: ofBase[u.Tool]}, explain.Untrue{Of: ofHead[u.Tool]}}
		}
		return at[key]
	}
	for _, u := range base {
		row(u).Base = u
	}
	for _, u := range head {
		row(u).Head = u
	}
	for _, u := range slices.SortedFunc(maps.Values(at), func(a, b *Untrue) int {
		return cmp.Or(b.Base.N+b.Head.N-a.Base.N-a.Head.N, cmp.Compare(a.Tool, b.Tool), cmp.Compare(a.Word, b.Word))
	}) {
		rows = append(rows, *u)
	}
	if rows == nil {
		note = "no answer was untrue on either side, as far as the traces show"
	}
	return rows, note
}

// UntrueTable is [Comparison.Untrue] as a table of texts.
func (c *Comparison) UntrueTable() (header []string, cells [][]string) {
	header = []string{"tool", "word", "base", "head", "change", "such as"}
	rows, _ := c.Untrue()
	for _, u := range rows {
		first := u.Head
		if first.N == 0 {
			first = u.Base
		}
		of := func(u explain.Untrue) string { return fmt.Sprintf("%d of %s", u.N, display.Count(u.Of, "answer")) }
		cells = append(cells, []string{u.Tool, u.Word, of(u.Base), of(u.Head), u.Change(), fmt.Sprintf("%s, step %d", first.Episodes[0].Name, first.Steps[0])})
	}
	return header, cells
}
