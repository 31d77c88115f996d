package why

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// sum writes a sum of so many episodes, or that it is unknown.
func sum(s *report.AgentSum, format string, episodes int) string {
	switch {
	case s == nil:
		return "unknown"
	case s.Known < episodes:
		return fmt.Sprintf(format+" in %d of %d episodes, unknown in the others", s.Sum, s.Known, episodes)
	}
	return fmt.Sprintf(format, s.Sum)
}

// shownPassAll is how many rates of pass^k a person reads, and the last.
const shownPassAll = 9

// Agent says in words which agent decided the calls, and what it says of itself: a name
// and a text for each line. It is nil if the adapter is no agent.
func Agent(r *report.Report) (lines [][2]string) {
	a, f := r.Agent, r.Figures.Agent
	if a == nil || f == nil {
		return nil
	}
	models := map[string]bool{}
	for _, e := range r.Episodes.All() {
		if e.AgentSaid != nil && e.AgentSaid.Model != "" {
			models[display.Short(e.AgentSaid.Model)] = true
		}
	}
	model := cmp.Or(a.Model, "unknown")
	if len(models) > 0 {
		model += ", as it says " + strings.Join(slices.Sorted(maps.Keys(models)), ", ")
	}
	confined := "confined by " + a.Confinement
	if a.Confinement == "none" {
		confined = "not confined: it could read the tasks and change this log"
	}
	var rates []string
	tasks := 0 // of the last rate that is shown
	for i, p := range f.PassAll {
		if i >= shownPassAll && i < len(f.PassAll)-1 {
			continue
		}
		rate := fmt.Sprintf("k=%d %.1f%%", p.K, display.Percent(100*p.Rate, p.Rate))
		if p.Tasks != tasks {
			rate += " of " + display.Count(p.Tasks, "task")
		}
		tasks = p.Tasks
		rates = append(rates, rate)
	}
	n, perPass := f.Episodes, "unknown"
	if f.CostPerPass != nil {
		perPass = fmt.Sprintf("$%.4f", *f.CostPerPass)
	}
	lines = [][2]string{
		{"agent", fmt.Sprintf("%s, version %s, model %s; %s; %s listed; %s after the end", a.Name, cmp.Or(a.Version, "unknown"), model, confined,
			display.Count(f.Tools, "tool"), display.Count(f.LateCalls, "call"))},
		{"its tokens", fmt.Sprintf("as it says: requests %s; input %s; cached %s; written to a cache %s; output %s; reasoning %s",
			sum(f.Requests, "%.0f", n), sum(f.InputTokens, "%.0f", n), sum(f.CachedInput, "%.0f", n), sum(f.CacheWriteTokens, "%.0f", n),
			sum(f.OutputTokens, "%.0f", n), sum(f.ReasoningTokens, "%.0f", n))},
		{"its cost", fmt.Sprintf("as it says: %s; for each pass %s", sum(f.CostUSD, "$%.4f", n), perPass)},
	}
	if rates != nil {
		lines = append(lines, [2]string{"pass^k", "all of k repetitions pass: " + strings.Join(rates, ", ")})
	}
	return lines
}
