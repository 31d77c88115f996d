package compare

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/internal/read/server"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// ended is how the episodes of each task under each policy ended on a server.
type ended map[record.Under]Counts

// always is 1 if all episodes passed, -1 if none did, else 0.
func (e ended) always(u record.Under) int {
	switch c := e[u]; {
	case c.N() == 0 || c.Varies():
		return 0
	case c.Lost == 0:
		return 1
	}
	return -1
}

// Suites has how each server did on each suite, and says how many tasks tell servers apart. A report is of a server's
// users if a repository of the server has it.
func Suites(names []string, runs ...*report.Report) (Table, []string) {
	t := Table{Header: []string{"server", "core", "reported by its users", "reported by users of others", "fixed"}}
	all := make([]ended, len(runs))
	for i, r := range runs {
		all[i] = ended{}
		var suites [5]map[string]bool // the tasks of each column
		for _, e := range r.Episodes.All() {
			u := record.Under{Of: cmp.Or(e.Of, e.TaskID), Policy: e.Policy}
			c := all[i][u]
			c.add(e)
			all[i][u] = c
			if at := suite(r, e.Tags); suites[at] == nil {
				suites[at] = map[string]bool{u.Of: true}
			} else {
				suites[at][u.Of] = true
			}
		}
		row := []string{names[i]}
		for _, of := range suites[1:] {
			row = append(row, all[i].success(of))
		}
		t.Rows = append(t.Rows, row)
	}
	return t, apart(names, all)
}

// suite is the column of a task with these tags; 0: it has none.
func suite(r *report.Report, tags []string) int {
	switch {
	case record.InCore(tags):
		return 1
	case slices.Contains(tags, "fixed"):
		return 4
	case !slices.Contains(tags, "reported"):
		return 0
	}
	for _, tag := range tags { // such as owner/repo#7
		repository, _, ok := strings.Cut(tag, "#")
		if ok && r.Server != nil && slices.Contains(server.Repositories(r.Server.Name), repository) {
			return 2
		}
	}
	return 3
}

// success is the mean over tasks of the mean over policies.
func (e ended) success(tasks map[string]bool) string {
	sums, n := map[string]float64{}, map[string]float64{}
	for _, u := range slices.SortedFunc(maps.Keys(e), byPolicy) {
		if c := e[u]; tasks[u.Of] && c.N() > 0 {
			sums[u.Of], n[u.Of] = sums[u.Of]+c.Rate(), n[u.Of]+1
		}
	}
	sum := 0.0
	for _, task := range slices.Sorted(maps.Keys(n)) {
		sum += sums[task] / n[task]
	}
	if len(n) == 0 {
		return "–"
	}
	return fmt.Sprintf("%s of %s", display.Rate(sum/float64(len(n))), display.Count(len(n), "task"))
}

func byPolicy(a, b record.Under) int {
	return cmp.Or(strings.Compare(a.Policy, b.Policy), strings.Compare(a.Of, b.Of))
}

// apart says how many tasks every server passes, and how many separate servers: all episodes pass on one of them, and
// none does on the other.
func apart(names []string, all []ended) (lines []string) {
	passed, tasks := map[string]int{}, map[string]int{} // by policy
	best, worst, either := map[string]bool{}, map[string]bool{}, 0
	pairs := map[[2]int]map[string]bool{}
	union := maps.Clone(all[0]) // a server may lack a policy
	for _, e := range all {
		maps.Copy(union, e)
	}
	for u := range union {
		every := true
		for i := range all {
			at := all[i].always(u)
			every = every && at > 0
			best[u.Of], worst[u.Of] = best[u.Of] || at > 0, worst[u.Of] || at < 0
			for k := range i {
				pair := [2]int{k, i}
				if pairs[pair] == nil {
					pairs[pair] = map[string]bool{}
				}
				pairs[pair][u.Of] = pairs[pair][u.Of] || at*all[k].always(u) < 0
			}
		}
		tasks[u.Policy]++
		passed[u.Policy] += count(every)
	}
	for _, policy := range slices.Sorted(maps.Keys(tasks)) {
		line := fmt.Sprintf("every server passes %d of %s, so they separate no servers",
			passed[policy], display.Count(tasks[policy], "task"))
		if policy != "" {
			line = policy + ": " + line
		}
		lines = append(lines, line)
	}
	for i := range all {
		for k := range i {
			n := 0
			for _, is := range pairs[[2]int{k, i}] {
				n += count(is)
			}
			lines = append(lines, fmt.Sprintf("tasks that separate %s and %s: %d",
				display.Visible(names[k]), display.Visible(names[i]), n))
		}
	}
	for task := range best {
		either += count(best[task] && worst[task])
	}
	return append(lines,
		fmt.Sprintf("tasks that separate some server or policy from another: %d of %d", either, len(best)))
}
