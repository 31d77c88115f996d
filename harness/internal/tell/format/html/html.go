package html

import (
	"bufio"
	"io"
	"slices"

	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/report"
)

// Report writes the report as a page. out is the folder that the run wrote to: the pages
// that were kept are read below it, and links lead to out from out/reports. With an empty
// out the page has no kept pages.
func Report(w io.Writer, r *report.Report, out string) error {
	b := bufio.NewWriter(w)
	if err := templates.ExecuteTemplate(b, "report.html", newHead(r)); err != nil {
		return err
	}
	order := inOrder(r.Episodes)
	kept := openKept(out)
	chunks, left, err := writeDetails(b, r, order, kept)
	if err != nil {
		return err
	}
	list := newList(r, order)
	list.Chunks, list.Left = chunks, left
	if err := block(b, "list", list); err != nil {
		return err
	}
	if err := templates.ExecuteTemplate(b, "end", nil); err != nil {
		return err
	}
	return b.Flush()
}

// inOrder returns the places of the episodes in the order of the page: the ones that failed
// first, then void ones, then the ones that passed.
func inOrder(episodes report.Episodes) []int {
	var ranked [3][]int
	for i, e := range episodes.All() {
		rank := classRank(e.Status.Class())
		ranked[rank] = append(ranked[rank], i)
	}
	return slices.Concat(ranked[:]...)
}

func classRank(c record.Class) int {
	return slices.Index([]record.Class{record.Fail, record.Void, record.Pass}, c)
}
