package policy

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Table is a table of texts. A page or a server may have written some of them.
type Table struct {
	ID, Title string
	Header    []string
	Rows      [][]string
}

// Tables are the policies of a run, and how each task ended under each policy.
func Tables(f *Figures, all []Episode) []Table {
	header, rows := f.Table()
	return []Table{{"policies", "Policies", header, rows}, Matrix(all)}
}

// Matrix has a row for each task and a column for each policy. Where two sides ended alike, a cell
// says it once.
func Matrix(sides ...[]Episode) Table {
	cells := map[string]map[string][][]Episode{}
	policies := map[string]bool{}
	for side, all := range sides {
		for _, e := range all {
			policies[e.Policy] = true
			if cells[e.Task] == nil {
				cells[e.Task] = map[string][][]Episode{}
			}
			if cells[e.Task][e.Policy] == nil {
				cells[e.Task][e.Policy] = make([][]Episode, len(sides))
			}
			cells[e.Task][e.Policy][side] = append(cells[e.Task][e.Policy][side], e)
		}
	}
	names := slices.Sorted(maps.Keys(policies))
	t := Table{"outcomes", "Task by policy", append([]string{"task"}, names...), nil}
	if len(sides) > 1 {
		t.Title, t.Header[0] = "Task by policy: base | head", "task (base | head)"
	}
	for _, task := range slices.Sorted(maps.Keys(cells)) {
		row := []string{task}
		for _, name := range names {
			var texts []string
			for _, of := range cells[task][name] {
				texts = append(texts, cell(of))
			}
			texts = slices.Compact(texts)
			row = append(row, cmp.Or(strings.Join(texts, " | "), "–"))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func cell(all []Episode) string {
	counts := map[Outcome]int{}
	for _, e := range all {
		counts[e.Outcome]++
	}
	switch every, _ := Counted(all); {
	case len(all) == 0:
		return "–"
	case len(counts) == 1:
		return cmp.Or(string(all[0].Outcome), "void")
	case every:
		return string(Passed) // and void
	}
	return fmt.Sprintf("%d of %d passed", counts[Passed], len(all)-counts[""])
}

// Counted reports whether all episodes that count passed, and whether none of them did. Both are
// false if none counts.
func Counted(all []Episode) (every, none bool) {
	n, of := 0, 0
	for _, e := range all {
		if e.Outcome != "" {
			of++
		}
		if e.Outcome == Passed {
			n++
		}
	}
	return of > 0 && n == of, of > 0 && n == 0
}
