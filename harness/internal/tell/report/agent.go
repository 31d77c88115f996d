package report

import (
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/stats"
)

// AgentSaid is what is known of the agent of an episode after its end.
type AgentSaid struct {
	record.Agent
	Tools int `json:"tools"` // how many the server listed at the start
}

// AgentFigures add up what agents say of themselves. Nobody checks it. Void episodes count too,
// because they cost as much.
type AgentFigures struct {
	Episodes int `json:"episodes"` // that had an agent
	// The sums are over the episodes in which the agent says the number; absent: in none.
	Requests         *AgentSum `json:"requests,omitempty"`
	InputTokens      *AgentSum `json:"inputTokens,omitempty"`
	CachedInput      *AgentSum `json:"cachedInputTokens,omitempty"`
	CacheWriteTokens *AgentSum `json:"cacheWriteTokens,omitempty"`
	OutputTokens     *AgentSum `json:"outputTokens,omitempty"`
	ReasoningTokens  *AgentSum `json:"reasoningTokens,omitempty"`
	CostUSD          *AgentSum `json:"costUsd,omitempty"`
	// CostPerPass is the cost of all episodes for each that passed. It is absent if the cost of an
	// episode is unknown, or none passed.
	CostPerPass *float64 `json:"costPerPassUsd,omitempty"`
	LateCalls   int      `json:"lateCalls"`
	Tools       int      `json:"tools"` // the most that a server listed at the start
	// PassAll says for k = 1, 2 and so on how likely k repetitions of a task pass all: the mean
	// over the tasks with k or more. An agent that failed did not pass; other void episodes are
	// left out.
	PassAll []PassAll `json:"passAll,omitempty"`
}

// AgentSum is a sum over some episodes.
type AgentSum struct {
	Sum   float64 `json:"sum"`
	Known int     `json:"known"` // episodes
}

// PassAll is an estimate of pass^k.
type PassAll struct {
	K     int     `json:"k"`
	Rate  float64 `json:"rate"`
	Tasks int     `json:"tasks"`
}

// Tried reports whether an episode counts for its agent, and whether it passed. An agent that
// failed did not pass. What the environment or a provider did says nothing of it.
func (e *Episode) Tried() (counts, passed bool) {
	return e.Status.Class() != record.Void || e.Status == record.AdapterError, e.Success
}

// maxPassAll is the highest k of [PassAll].
const maxPassAll = 100

func agentFigures(r *Report) *AgentFigures {
	if r.Agent == nil {
		return nil
	}
	f := new(AgentFigures)
	passed := 0
	var tasks []tries
	last := ""
	for i, e := range r.Episodes.All() { // they are sorted by task
		if i == 0 || e.TaskID != last {
			tasks, last = append(tasks, tries{}), e.TaskID
		}
		if counts, ok := e.Tried(); counts {
			t := &tasks[len(tasks)-1]
			if t.n++; ok {
				t.passed++
				passed++
			}
		}
		a := e.AgentSaid
		if a == nil {
			continue
		}
		f.Episodes++
		f.LateCalls += a.Late
		f.Tools = max(f.Tools, a.Tools)
		if a.CostUSD != nil {
			add(&f.CostUSD, *a.CostUSD)
		}
		if u := a.Usage; u != nil {
			for _, one := range []struct {
				to *(*AgentSum)
				n  *int
			}{
				{&f.Requests, u.Requests}, {&f.InputTokens, u.InputTokens}, {&f.CachedInput, u.CachedInput},
				{&f.CacheWriteTokens, u.CacheWriteTokens}, {&f.OutputTokens, u.OutputTokens}, {&f.ReasoningTokens, u.ReasoningTokens},
			} {
				if one.n != nil {
					add(one.to, float64(*one.n))
				}
			}
		}
	}
	if f.CostUSD != nil && f.CostUSD.Known == r.Episodes.Len() && passed > 0 {
		each := f.CostUSD.Sum / float64(passed)
		f.CostPerPass = &each
	}
	f.PassAll = passAll(tasks)
	return f
}

// tries are the episodes of a task that count for the agent.
type tries struct{ n, passed int }

func passAll(tasks []tries) (all []PassAll) {
	for k := 1; k <= maxPassAll; k++ {
		p := PassAll{K: k}
		for _, t := range tasks {
			if t.n >= k {
				p.Tasks++
				p.Rate += stats.PassAll(t.passed, t.n, k)
			}
		}
		if p.Tasks == 0 {
			break
		}
		p.Rate /= float64(p.Tasks)
		all = append(all, p)
	}
	return all
}

func add(to **AgentSum, n float64) {
	if *to == nil {
		*to = new(AgentSum)
	}
	(*to).Sum += n
	(*to).Known++
}
