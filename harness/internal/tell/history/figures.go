package history

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/why"
)

// Family is what the tasks of a family add up to in a version: those with an episode that counts in all versions of its
// line; without one, all is 0. Each is a mean over tasks, of the episodes that count; a task under two policies is two.
// Calls and Tokens are of the tasks that passed in all versions of the line.
type Family struct {
	Name             string  `json:"name"`
	Tasks            int     `json:"tasks"`
	Success          float64 `json:"success"`
	WrongSideEffects float64 `json:"harm"`
	FalseSuccesses   float64 `json:"falseSuccesses"` // an episode
	Tokens           float64 `json:"read"`           // input tokens, o200k_base; 0: not known
	Calls            float64 `json:"calls"`
}

// taskSums adds up the episodes of a task.
type taskSums struct {
	family                                 string
	n, passed, wrong, false, tokens, calls float64
}

// figures adds up the families of each version, line by line.
func (s *Server) figures() {
	for i := 0; i < len(s.Versions); {
		end := i + 1
		for end < len(s.Versions) && s.Versions[end].Breaks == nil {
			end++
		}
		var all []map[string]*taskSums
		for _, v := range s.Versions[i:end] {
			all = append(all, v.sums(s.Versions[end-1].line))
		}
		counted := maps.Clone(all[0]) // the tasks that count in all versions of the line
		for _, tasks := range all {
			maps.DeleteFunc(counted, func(id string, _ *taskSums) bool { return tasks[id] == nil })
		}
		always := maps.Clone(counted) // those that passed in all
		for _, tasks := range all {
			maps.DeleteFunc(always, func(id string, _ *taskSums) bool { return tasks[id].passed == 0 })
		}
		for k, v := range s.Versions[i:end] {
			v.Families = families(all[k], counted, always)
		}
		i = end
	}
}

func (v *Version) sums(tasks map[string]bool) map[string]*taskSums {
	all := map[string]*taskSums{}
	for _, e := range v.report.Episodes.All() {
		if e.Status.Class() == record.Void || !tasks[e.TaskID] {
			continue
		}
		t := all[e.TaskID]
		if t == nil {
			t = &taskSums{family: record.Family(e.Tags, e.Category)}
			all[e.TaskID] = t
		}
		k := why.Keep(v.report, e)
		t.n++
		t.false += float64(k.False)
		if len(e.WrongSideEffects) > 0 && !e.Success {
			t.wrong++
		}
		if e.Success {
			t.passed++
			t.tokens += float64(k.Read)
			t.calls += float64(e.ToolCalls)
		}
	}
	return all
}

func families(tasks, counted, always map[string]*taskSums) []Family {
	all := []Family{{}}
	passed := map[string]float64{}
	for _, id := range slices.Sorted(maps.Keys(counted)) { // sums depend on the order
		t := tasks[id]
		for _, name := range []string{"", t.family} {
			i := slices.IndexFunc(all, func(f Family) bool { return f.Name == name })
			if i < 0 {
				i, all = len(all), append(all, Family{Name: name})
			}
			f := &all[i]
			f.Tasks++
			f.Success += t.passed / t.n
			f.WrongSideEffects += t.wrong / t.n
			f.FalseSuccesses += t.false / t.n
			if always[id] != nil {
				passed[name]++
				f.Tokens += t.tokens / t.passed
				f.Calls += t.calls / t.passed
			}
		}
	}
	for i := range all {
		f := &all[i]
		n, of := max(1, float64(f.Tasks)), max(1, passed[f.Name])
		f.Success, f.WrongSideEffects, f.FalseSuccesses = f.Success/n, f.WrongSideEffects/n, f.FalseSuccesses/n
		f.Tokens, f.Calls = f.Tokens/of, f.Calls/of
	}
	slices.SortFunc(all[1:], func(a, b Family) int {
		return cmp.Or(record.FamilyRank(a.Name)-record.FamilyRank(b.Name), strings.Compare(a.Name, b.Name))
	})
	return all
}

// Best is the version with the highest success, and then the fewest wrong side effects, of the last line; the newest of
// equals.
func (s *Server) Best() *Version {
	best := s.Versions[len(s.Versions)-1]
	for _, v := range slices.Backward(s.Versions) {
		f, b := v.Families[0], best.Families[0]
		if cmp.Or(cmp.Compare(f.Success, b.Success), cmp.Compare(b.WrongSideEffects, f.WrongSideEffects)) > 0 {
			best = v
		}
		if v.Breaks != nil {
			break
		}
	}
	return best
}

// Episodes is how many episodes a version has.
func (v *Version) Episodes() int { return v.report.Episodes.Len() }
