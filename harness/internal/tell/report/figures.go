package report

import (
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/stats"
)

// Figures are what a report's episodes add up to. They are not part of the canonical
// report.
type Figures struct {
	Tasks []TaskFigures `json:"tasks"`           // by id
	Tools []ToolFigures `json:"tools"`           // by name
	Hints []HintCount   `json:"hints,omitempty"` // by rule
	// Recovery counts the countable episodes with an error answer, and how many of them
	// passed.
	Recovery Share `json:"recovery"`
	// Policies are the figures of a run with policies; null without.
	Policies *PolicyFigures `json:"policies,omitempty"`
	// Agent adds up what the agent says of itself; nil if the adapter is none.
	Agent *AgentFigures `json:"agent,omitempty"`
}

// Share is a part of a number of episodes.
type Share struct {
	Of int `json:"of"`
	N  int `json:"n"`
}

// TaskFigures are the figures of a task's episodes.
type TaskFigures struct {
	TaskID string `json:"taskId"`
	Counts
	// Interval is that of the rate of passed episodes among those that passed or failed, see [stats.Wilson].
	Interval *stats.Interval `json:"interval"`
	// The rest is over the episodes that passed or failed, and all 0 if there is none.
	DurationP50    float64 `json:"durationP50Ms"`
	DurationP95    float64 `json:"durationP95Ms"`
	Steps          float64 `json:"steps"`            // mean
	ToolCalls      float64 `json:"toolCalls"`        // mean
	Errors         float64 `json:"openchromeErrors"` // mean
	ChangedAnswers int     `json:"drifts"`           // sum, over all episodes
	Tokens         float64 `json:"tokens"`           // mean, of arguments and answers
}

// ToolFigures are the figures of a tool's calls, over all episodes.
type ToolFigures struct {
	Tool         string  `json:"tool"`
	Calls        int     `json:"calls"`
	Errors       int     `json:"errors"` // error answers
	P50          float64 `json:"p50Ms"`
	P95          float64 `json:"p95Ms"`
	ArgTokens    int     `json:"argTokens"`    // o200k_base
	AnswerTokens int     `json:"answerTokens"` // o200k_base
}

func figures(r *Report) Figures {
	f := Figures{Tasks: []TaskFigures{}, Tools: []ToolFigures{}, Policies: PolicyFiguresOf(r.OfPolicies(), r.Core), Agent: agentFigures(r)}
	tools, times := map[string]*ToolFigures{}, map[string][]float64{}
	hints := map[string]int{}
	var task taskSums
	for i, e := range r.Episodes.All() { // they are sorted by task
		if i > 0 && e.TaskID != task.TaskID {
			f.Tasks = append(f.Tasks, task.figures())
			task = taskSums{}
		}
		task.add(e)
		if e.Status.Class() != record.Void && e.OpenchromeErrors > 0 {
			f.Recovery.Of++
			if e.Recovered {
				f.Recovery.N++
			}
		}
		for _, h := range e.Hints {
			hints[h.Rule] += h.Count
		}
		for j := range e.Calls {
			c := &e.Calls[j]
			t := tools[c.Tool]
			if t == nil {
				t = &ToolFigures{Tool: c.Tool}
				tools[c.Tool] = t
			}
			t.Calls++
			t.ArgTokens += c.ArgTokens
			t.AnswerTokens += c.AnswerTokens
			if c.Error {
				t.Errors++
			}
			times[c.Tool] = append(times[c.Tool], c.DurationMs)
		}
	}
	if r.Episodes.Len() > 0 {
		f.Tasks = append(f.Tasks, task.figures())
	}
	for name, t := range tools {
		slices.Sort(times[name])
		t.P50, t.P95 = stats.Quantile(times[name], 0.5), stats.Quantile(times[name], 0.95)
		f.Tools = append(f.Tools, *t)
	}
	slices.SortFunc(f.Tools, func(a, b ToolFigures) int { return strings.Compare(a.Tool, b.Tool) })
	for rule, n := range hints {
		f.Hints = append(f.Hints, HintCount{Rule: rule, Count: n})
	}
	slices.SortFunc(f.Hints, func(a, b HintCount) int { return strings.Compare(a.Rule, b.Rule) })
	return f
}

// OfPolicies are the episodes of policies.
func (r *Report) OfPolicies() Episodes {
	return r.Episodes.Where(func(e *Episode) bool { return e.Policy != "" })
}

// taskSums adds up the episodes of one task: its means are sums.
type taskSums struct {
	TaskFigures
	times []float64
}

func (f *taskSums) add(e *Episode) {
	f.TaskID = e.TaskID
	f.ChangedAnswers += len(e.ChangedAnswers)
	f.Counts.add(e)
	if e.Status.Class() == record.Void {
		return
	}
	f.times = append(f.times, e.DurationMs)
	f.Steps += float64(e.Steps)
	f.ToolCalls += float64(e.ToolCalls)
	f.Errors += float64(e.OpenchromeErrors)
	f.Tokens += float64(e.Tokens())
}

func (f *taskSums) figures() TaskFigures {
	t := f.TaskFigures
	t.Interval = stats.Wilson(t.Passed, t.Passed+t.Failed)
	if n := float64(len(f.times)); n > 0 {
		slices.Sort(f.times)
		t.DurationP50, t.DurationP95 = stats.Quantile(f.times, 0.5), stats.Quantile(f.times, 0.95)
		t.Steps, t.ToolCalls, t.Errors, t.Tokens = t.Steps/n, t.ToolCalls/n, t.Errors/n, t.Tokens/n
	}
	return t
}

// Tokens is the sum of the tokens of all arguments and answers.
func (e *Episode) Tokens() (n int) {
	if e.Kept != nil {
		return e.Kept.Tokens
	}
	for i := range e.Calls {
		n += e.Calls[i].ArgTokens + e.Calls[i].AnswerTokens
	}
	return n
}
