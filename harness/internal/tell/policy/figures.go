package policy

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/stats"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// Figures are what the episodes of one server add up to. Each mean is over families of the mean over
// tasks of the mean over policies, so that neither a large family nor a task with many repetitions
// counts more. Void episodes are left out.
type Figures struct {
	Rows []Row `json:"rows"` // by policy
	// Headline is nil if a core task or a policy is missing. Missing then says which.
	Headline *Headline `json:"headline,omitempty"`
	Missing  string    `json:"missing,omitempty"`
	Void     []string  `json:"void,omitempty"` // the episodes that were left out
}

// Row is a policy.
type Row struct {
	Policy           string  `json:"policy"`
	Tasks            int     `json:"tasks"` // that have an episode that counts
	Success          float64 `json:"success"`
	WrongSideEffects float64 `json:"harm"`
	Counts
	Calls  float64 `json:"calls"`  // mean
	Tokens float64 `json:"tokens"` // mean, of arguments and answers in o200k_base
	// Looked is for how many targets of intents the policy looked in answers, and Found is how many
	// of them an answer named.
	Looked int `json:"looked"`
	Found  int `json:"found"`
	// InputTokens is the sum of the episodes that passed; null if it is not known.
	InputTokens *InputTokens `json:"bill,omitempty"`
}

// Headline is the answer to "how good is this server?", never without the wrong side effects.
type Headline struct {
	Tasks            int             `json:"tasks"`
	Policies         int             `json:"policies"`
	Success          float64         `json:"success"`
	Interval         *stats.Interval `json:"interval"` // 95 %; null: the tasks of each family do not differ
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

// sum adds up the episodes of one task under one policy.
type sum struct{ n, passed, wrong, calls, tokens float64 }

func (s *sum) success() float64 { return s.passed / s.n }

// table holds the sums by task, then policy.
type table struct {
	sums     map[string]map[string]*sum
	families map[string][]string // tasks, sorted
}

// FiguresOf adds up episodes; nil if there is none. core is how many tasks the core suite has; 0: it
// is not known.
func FiguresOf(all []Episode, core int) *Figures {
	if len(all) == 0 {
		return nil
	}
	t := table{map[string]map[string]*sum{}, map[string][]string{}}
	f := new(Figures)
	rows, cores := map[string]*Row{}, map[string]bool{}
	for _, e := range all {
		if rows[e.Policy] == nil {
			rows[e.Policy] = &Row{Policy: e.Policy}
		}
		rows[e.Policy].add(e.Outcome)
		if e.Outcome == Passed {
			rows[e.Policy].InputTokens = e.InputTokens.Plus(rows[e.Policy].InputTokens)
		}
		cores[e.Task] = e.Core
		if t.sums[e.Task] == nil {
			t.sums[e.Task] = map[string]*sum{}
			t.families[e.Family] = append(t.families[e.Family], e.Task)
		}
		if e.Outcome == "" {
			f.Void = append(f.Void, e.Name)
			continue
		}
		s := t.sums[e.Task][e.Policy]
		if s == nil {
			s = new(sum)
			t.sums[e.Task][e.Policy] = s
		}
		rows[e.Policy].Looked += e.Looked
		rows[e.Policy].Found += e.Found
		s.n++
		s.calls += float64(e.Calls)
		s.tokens += float64(e.Tokens)
		switch e.Outcome {
		case Passed:
			s.passed++
		case WrongSideEffect:
			s.wrong++
		}
	}
	for _, tasks := range t.families {
		slices.Sort(tasks)
	}
	policies := slices.Sorted(maps.Keys(rows))
	for _, p := range policies {
		row := rows[p]
		one := func(value func(*sum) float64) float64 { return t.mean(over([]string{p}, value)) }
		for _, of := range t.sums {
			if of[p] != nil {
				row.Tasks++
			}
		}
		row.Success, row.WrongSideEffects = one((*sum).success), one(func(s *sum) float64 { return s.wrong / s.n })
		row.Calls, row.Tokens = one(func(s *sum) float64 { return s.calls / s.n }), one(func(s *sum) float64 { return s.tokens / s.n })
		f.Rows = append(f.Rows, *row)
	}
	if f.Missing = t.missing(cores, policies, core); f.Missing == "" {
		f.Headline = t.headline(f.Rows, policies)
	}
	return f
}

// missing says why there is no headline.
func (t table) missing(cores map[string]bool, policies []string, core int) string {
	n := 0
	var lack []string
	for task, is := range cores {
		if !is {
			continue
		}
		n++
		for _, p := range policies {
			if t.sums[task][p] == nil {
				lack = append(lack, task+"@"+p)
			}
		}
	}
	switch {
	case core == 0:
		return "the run does not say how many core tasks there are"
	case n < core:
		return fmt.Sprintf("%d of %d core tasks ran", n, core)
	case len(lack) > 0:
		slices.Sort(lack)
		return "no episode counts of " + Named(lack)
	}
	return ""
}

func (t table) headline(rows []Row, policies []string) *Headline {
	success := over(policies, (*sum).success)
	h := &Headline{Tasks: len(t.sums), Policies: len(policies), Success: t.mean(success), Interval: t.interval(success), WrongSideEffects: t.mean(over(policies, func(s *sum) float64 { return s.wrong / s.n }))}
	bySuccess := func(a, b Row) int { return cmp.Compare(a.Success, b.Success) }
	h.Best, h.Worst = slices.MaxFunc(rows, bySuccess).Policy, slices.MinFunc(rows, bySuccess).Policy
	var both []string
	for _, p := range policies {
		if slices.Contains(policies, p+Check) {
			both = append(both, p)
		}
	}
	if both == nil {
		return h
	}
	price := func(value func(*sum) float64) float64 {
		return t.mean(func(of map[string]*sum) (total float64, ok bool) {
			n := 0.0
			for _, p := range both {
				if trust, check := of[p], of[p+Check]; trust != nil && check != nil {
					total, n = total+value(check)/check.n-value(trust)/trust.n, n+1
				}
			}
			return total / n, n > 0
		})
	}
	h.Check = &Price{
		price(func(s *sum) float64 { return s.passed }), price(func(s *sum) float64 { return s.wrong }),
		price(func(s *sum) float64 { return s.calls }), price(func(s *sum) float64 { return s.tokens }),
	}
	return h
}

// A value is of one task; ok is false if it has none.
type value func(of map[string]*sum) (v float64, ok bool)

// over is the mean over policies.
func over(policies []string, of func(*sum) float64) value {
	return func(sums map[string]*sum) (total float64, ok bool) {
		n := 0.0
		for _, p := range policies {
			if s := sums[p]; s != nil {
				total, n = total+of(s), n+1
			}
		}
		return total / n, n > 0
	}
}

// values returns the values of the tasks of each family, families in their order.
func (t table) values(of value) (families [][]float64) {
	names := slices.SortedFunc(maps.Keys(t.families), func(a, b string) int {
		return cmp.Or(cmp.Compare(record.FamilyRank(a), record.FamilyRank(b)), strings.Compare(a, b))
	})
	for _, name := range names {
		var list []float64
		for _, task := range t.families[name] {
			if v, ok := of(t.sums[task]); ok {
				list = append(list, v)
			}
		}
		if list != nil {
			families = append(families, list)
		}
	}
	return families
}

// mean is over families of the mean over tasks; 0 if there is none.
func (t table) mean(of value) float64 {
	families := t.values(of)
	total := 0.0
	for _, list := range families {
		total += average(list)
	}
	return total / max(1, float64(len(families)))
}

func average(list []float64) (total float64) {
	for _, v := range list {
		total += v
	}
	return total / float64(len(list))
}

// resamples is how often the bootstrap draws.
const resamples = 2_000

// interval is the 95 % interval of [table.mean] by the bootstrap: each time, as many tasks of a family
// are drawn as it has. The seed is fixed, so the same values give the same interval. It is nil if no
// draw could give another mean.
func (t table) interval(of value) *stats.Interval {
	families := t.values(of)
	differ := func(list []float64) bool { return slices.Min(list) < slices.Max(list) }
	if !slices.ContainsFunc(families, differ) {
		return nil
	}
	random := rand.New(rand.NewPCG(26, 0))
	means := make([]float64, resamples)
	for i := range means {
		for _, list := range families {
			total := 0.0
			for range list {
				total += list[random.IntN(len(list))]
			}
			means[i] += total / float64(len(list)) / float64(len(families))
		}
	}
	slices.Sort(means)
	return &stats.Interval{Low: stats.Quantile(means, 0.025), High: stats.Quantile(means, 0.975)}
}

// Lines says the figures in words, a line for each.
func (f *Figures) Lines() (lines []string) {
	if h := f.Headline; h != nil {
		text := fmt.Sprintf("%s, %s: mean success of families %s", display.Count(h.Tasks, "task"), policiesWords(h.Policies), Percent(h.Success))
		if h.Interval != nil {
			text += fmt.Sprintf(" (95 %% interval %s to %s)", Percent(h.Interval.Low), Percent(h.Interval.High))
		}
		text += ", wrong side effects " + Percent(h.WrongSideEffects)
		if h.Policies > 1 {
			text += fmt.Sprintf("; best policy %s, worst %s", h.Best, h.Worst)
		}
		lines = append(lines, text)
		if p := h.Check; p != nil {
			lines = append(lines, fmt.Sprintf("check minus trust: success %s, wrong side effects %s; it costs %+.1f calls and %s tokens an episode", Points(p.Success), Points(p.WrongSideEffects), p.Calls, f.tokens("%+.0f", p.Tokens)))
		}
	} else {
		lines = append(lines, "no single figure: "+f.Missing)
	}
	if len(f.Void) > 0 {
		lines = append(lines, "left out void episodes: "+Named(f.Void))
	}
	return lines
}

func policiesWords(n int) string {
	if n == 1 {
		return "1 policy"
	}
	return fmt.Sprintf("%d policies", n)
}

// maxNamed is how many episodes a line names.
const maxNamed = 10

// Named names episodes, but not too many.
func Named(list []string) string {
	text := display.Visible(strings.Join(list[:min(len(list), maxNamed)], ", "))
	if n := len(list) - maxNamed; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return text
}

// Table returns a row for each policy.
func (f *Figures) Table() (header []string, rows [][]string) {
	header = []string{"policy", "tasks", "success", "wrong side effects", "episodes", "calls", "tokens", "coverage", "a model would read in passed episodes (o200k_base)"}
	for _, r := range f.Rows {
		input := "not known"
		if r.InputTokens != nil {
			input = r.InputTokens.String()
		}
		coverage := "–" // it looked for nothing
		if r.Looked > 0 {
			coverage = fmt.Sprintf("%d of %d", r.Found, r.Looked)
		}
		rows = append(rows, []string{r.Policy, fmt.Sprint(r.Tasks), Percent(r.Success), Percent(r.WrongSideEffects), r.Counts.String(), fmt.Sprintf("%.1f", r.Calls), f.tokens("%.0f", r.Tokens), coverage, input})
	}
	return header, rows
}

// tokens writes a number of tokens. Canonical reports have none.
func (f *Figures) tokens(format string, n float64) string {
	if !slices.ContainsFunc(f.Rows, func(r Row) bool { return r.Tokens > 0 }) {
		return "?"
	}
	return fmt.Sprintf(format, n)
}

// String writes the row in a line.
func (r Row) String() string {
	return fmt.Sprintf("%s: success %s, wrong side effects %s (%s)", r.Policy, Percent(r.Success), Percent(r.WrongSideEffects), r.Counts)
}
