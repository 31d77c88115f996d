package report

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/stats"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// PolicyAdapter is how the name of an adapter begins that carries out intents by policies.
const PolicyAdapter = "policy:"

// check is how the name of a policy ends that looks at what each call did.
const check = "+check"

// PolicyFigures are what the episodes of policies on one server add up to. Each mean is over tasks of the mean over
// policies, so that no task counts more because it has more repetitions. Void episodes are left out.
type PolicyFigures struct {
	Rows []PolicyRow `json:"rows"` // by policy
	// Headline is nil if a core task or a policy is missing. Missing then says which.
	Headline *Headline `json:"headline,omitempty"`
	Missing  string    `json:"missing,omitempty"`
	Void     []string  `json:"void,omitempty"` // the episodes that were left out
}

// PolicyRow is a policy.
type PolicyRow struct {
	Policy           string  `json:"policy"`
	Tasks            int     `json:"tasks"` // that have an episode that counts
	Success          float64 `json:"success"`
	WrongSideEffects float64 `json:"harm"`
	OutcomeCounts
	Calls  float64 `json:"calls"`  // mean
	Tokens float64 `json:"tokens"` // mean, of arguments and answers in o200k_base
	// Looked is for how many targets of intents the policy looked in answers, and Found is how many
	// of them an answer named.
	Looked int `json:"looked"`
	Found  int `json:"found"`
	// InputTokens is the sum of the episodes that passed; null if it is not known.
	InputTokens *InputTokens `json:"bill,omitempty"`
}

// Headline is the answer to "how good is this server?", never without the wrong side effects. It is of the
// core tasks alone.
type Headline struct {
	Tasks            int             `json:"tasks"`
	List             string          `json:"list"` // the digest of their ids
	Policies         int             `json:"policies"`
	Success          float64         `json:"success"`
	Interval         *stats.Interval `json:"interval"` // 95 %; null: the tasks are too few
	WrongSideEffects float64         `json:"harm"`
	Best             string          `json:"best"` // policy
	Worst            string          `json:"worst"`
	Check            *Price          `json:"check,omitempty"` // of the policies that ran in both ways
}

// Price is check minus trust. What checking gains is the price of false successes.
type Price struct {
	Success          float64 `json:"success"`
	WrongSideEffects float64 `json:"harm"`
	Calls            float64 `json:"calls"`  // of an episode
	Tokens           float64 `json:"tokens"` // likewise
}

// What is added up of episodes.
const (
	ofSuccess = iota
	ofWrong   // side effects
	ofCalls
	ofTokens
)

// cell adds up the episodes of one task under one policy.
type cell struct {
	record.Under
	family string
	core   bool
	n      float64
	of     [4]float64
}

func (c *cell) add(e *Episode) {
	c.n++
	c.of[ofCalls] += float64(e.Steps)
	c.of[ofTokens] += float64(e.Tokens())
	switch e.Outcome {
	case Passed:
		c.of[ofSuccess]++
	case WrongSideEffect:
		c.of[ofWrong]++
	}
}

// PolicyFiguresOf adds up the episodes of policies; nil if there is none. core is how many tasks the core
// suite has; 0: it is not known.
func PolicyFiguresOf(all Episodes, core int) *PolicyFigures {
	if all.Len() == 0 {
		return nil
	}
	f := new(PolicyFigures)
	rows, cells, inCore := map[string]*PolicyRow{}, map[record.Under]*cell{}, map[string]bool{}
	for _, e := range all.All() {
		inCore[e.Of] = record.InCore(e.Tags)
		row := rows[e.Policy]
		if row == nil {
			row = &PolicyRow{Policy: e.Policy}
			rows[e.Policy] = row
		}
		*row.of(e.Outcome)++
		if e.Outcome == "" {
			f.Void = append(f.Void, e.Name)
			continue
		}
		if e.Outcome == Passed {
			row.InputTokens = e.InputTokens.Plus(row.InputTokens)
		}
		row.Looked += e.Looked
		row.Found += e.Found
		if cells[e.Under] == nil {
			cells[e.Under] = &cell{Under: e.Under, family: record.Family(e.Tags, e.Category), core: inCore[e.Of]}
			row.Tasks++
		}
		cells[e.Under].add(e)
	}
	list := slices.SortedFunc(maps.Values(cells), func(a, b *cell) int {
		return cmp.Or(
			cmp.Compare(record.FamilyRank(a.family), record.FamilyRank(b.family)), strings.Compare(a.family, b.family),
			strings.Compare(a.Of, b.Of), strings.Compare(a.Policy, b.Policy),
		)
	})
	for _, p := range slices.Sorted(maps.Keys(rows)) {
		row := rows[p]
		of := slices.DeleteFunc(slices.Clone(list), func(c *cell) bool { return c.Policy != p })
		row.Success, row.WrongSideEffects = mean(of, ofSuccess), mean(of, ofWrong)
		row.Calls, row.Tokens = mean(of, ofCalls), mean(of, ofTokens)
		f.Rows = append(f.Rows, *row)
	}
	if f.Missing = f.missing(cells, inCore, core); f.Missing != "" {
		return f
	}
	bySuccess := func(a, b PolicyRow) int { return cmp.Compare(a.Success, b.Success) }
	list = slices.DeleteFunc(list, func(c *cell) bool { return !c.core })
	f.Headline = &Headline{
		Tasks: core, List: listDigest(list), Policies: len(rows),
		Success: mean(list, ofSuccess), Interval: stats.Stratified(families(list, ofSuccess)),
		WrongSideEffects: mean(list, ofWrong),
		Best:             slices.MaxFunc(f.Rows, bySuccess).Policy, Worst: slices.MinFunc(f.Rows, bySuccess).Policy,
	}
	if d := checkMinusTrust(list, cells); d != nil {
		f.Headline.Check = &Price{mean(d, ofSuccess), mean(d, ofWrong), mean(d, ofCalls), mean(d, ofTokens)}
	}
	return f
}

// missing says why there is no headline.
func (f *PolicyFigures) missing(cells map[record.Under]*cell, inCore map[string]bool, core int) string {
	n := 0
	var lack []string
	for task, is := range inCore {
		if !is {
			continue
		}
		n++
		for _, r := range f.Rows {
			if cells[record.Under{Of: task, Policy: r.Policy}] == nil {
				lack = append(lack, record.PolicyID(task, r.Policy))
			}
		}
	}
	slices.Sort(lack)
	switch {
	case core == 0:
		return "the run does not say how many core tasks there are"
	case n < core:
		return fmt.Sprintf("%d of %d core tasks ran", n, core)
	case len(lack) > 0:
		return "no episode counts of " + Named(lack)
	}
	return ""
}

// checkMinusTrust are the differences of the policies that ran in both ways.
func checkMinusTrust(list []*cell, cells map[record.Under]*cell) (both []*cell) {
	for _, trust := range list {
		if checked := cells[record.Under{Of: trust.Of, Policy: trust.Policy + check}]; checked != nil {
			d := &cell{Under: trust.Under, family: trust.family, n: 1}
			for i := range d.of {
				d.of[i] = checked.of[i]/checked.n - trust.of[i]/trust.n
			}
			both = append(both, d)
		}
	}
	return both
}

// families returns the values of the tasks of each family. The value of a task is the mean over policies.
// The cells are sorted.
func families(list []*cell, what int) (all [][]float64) {
	var policies []float64
	for i, c := range list {
		if i == 0 || list[i-1].family != c.family {
			all = append(all, nil)
		}
		policies = append(policies, c.of[what]/c.n)
		if i+1 == len(list) || list[i+1].Of != c.Of {
			last := &all[len(all)-1]
			*last, policies = append(*last, average(policies)), nil
		}
	}
	return all
}

// mean is over the tasks; 0 if there is none.
func mean(list []*cell, what int) float64 { return average(slices.Concat(families(list, what)...)) }

func average(list []float64) (total float64) {
	for _, v := range list {
		total += v
	}
	return total / max(1, float64(len(list)))
}

// listDigest names a list of tasks, in eight letters.
func listDigest(list []*cell) string {
	sum := sha256.New()
	for i, c := range list {
		if i == 0 || list[i-1].Of != c.Of {
			fmt.Fprintln(sum, c.Of)
		}
	}
	return fmt.Sprintf("%.4x", sum.Sum(nil))
}

// Lines says the figures in words, a line for each.
func (f *PolicyFigures) Lines() (lines []string) {
	if h := f.Headline; h != nil {
		policies := "1 policy"
		if h.Policies > 1 {
			policies = fmt.Sprintf("%d policies", h.Policies)
		}
		text := fmt.Sprintf("%s (list %s), %s: success %s",
			display.Count(h.Tasks, "core task"), h.List, policies, display.Rate(h.Success))
		if h.Interval != nil {
			text += fmt.Sprintf(" (95 %% interval %s to %s)", display.Rate(h.Interval.Low), display.Rate(h.Interval.High))
		}
		text += ", wrong side effects " + display.Rate(h.WrongSideEffects)
		if h.Policies > 1 {
			text += fmt.Sprintf("; best policy %s, worst %s", h.Best, h.Worst)
		}
		lines = append(lines, text)
		if p := h.Check; p != nil {
			lines = append(lines, fmt.Sprintf("check minus trust: success %s, wrong side effects %s; "+
				"it costs %+.1f calls and %+.0f tokens an episode",
				display.Points(p.Success), display.Points(p.WrongSideEffects), p.Calls, p.Tokens))
		}
	} else {
		lines = append(lines, "no single figure: "+f.Missing)
	}
	if len(f.Void) > 0 {
		lines = append(lines, "left out void episodes: "+Named(f.Void))
	}
	return lines
}

// Table returns a row for each policy.
func (f *PolicyFigures) Table() (header []string, rows [][]string) {
	header = []string{"policy", "tasks", "success", "wrong side effects", "episodes", "calls", "tokens", "coverage",
		"a model would read in passed episodes (o200k_base)"}
	for _, r := range f.Rows {
		input := "not known"
		if r.InputTokens != nil {
			input = r.InputTokens.String()
		}
		coverage := "–" // it looked for nothing
		if r.Looked > 0 {
			coverage = fmt.Sprintf("%d of %d", r.Found, r.Looked)
		}
		rows = append(rows, []string{
			r.Policy, fmt.Sprint(r.Tasks), display.Rate(r.Success), display.Rate(r.WrongSideEffects), r.OutcomeCounts.String(),
			fmt.Sprintf("%.1f", r.Calls), fmt.Sprintf("%.0f", r.Tokens), coverage, input,
		})
	}
	return header, rows
}
