package html

import (
	"fmt"
	"math"
	"slices"

	"github.com/openchrome/bench/harness/internal/tell/explain"
	"github.com/openchrome/bench/harness/internal/tell/policy"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// list is what page.js needs to show and filter the list of episodes. Numbers that stand
// for a text are places in a list of texts.
type list struct {
	Run      string    `json:"run"`
	Log      string    `json:"log"` // relative to the page
	Tasks    []listed  `json:"tasks"`
	Statuses []status  `json:"statuses"`
	Tools    []string  `json:"tools"`
	Toolsets [][]int   `json:"toolsets"` // sets of tools that an episode called
	Whys     []string  `json:"whys"`
	Causes   []string  `json:"causes"`
	Rows     [][12]int `json:"rows"`
	Chunks   []int     `json:"chunks"` // the first row of each chunk of details, and the end of the last
	Left     leftOut   `json:"left"`
}

// The columns of a row.
const (
	rowTask = iota
	rowRepetition
	rowStatus
	rowWhy
	rowCause
	rowSteps
	rowCalls
	rowErrors
	rowChanged
	rowTokens
	rowMicroseconds
	rowTools
)

type listed struct {
	ID       string   `json:"id"`
	Key      string   `json:"key"` // the id as anchors have it
	Title    string   `json:"title"`
	Goal     string   `json:"goal"`
	Start    string   `json:"start"`
	Category string   `json:"category"`
	Tags     []string `json:"tags"`
	MaxSteps int      `json:"maxSteps"`
	MaxMs    int      `json:"maxMs"`
}

type status struct {
	Name  string `json:"name"`
	Class string `json:"class"` // pass, fail or void
}

// leftOut counts the episodes that have no details, so that the page stays small.
type leftOut struct {
	Passed int `json:"passed"`
	Others int `json:"others"`
}

// places gives each different text a number.
type places struct {
	at    map[string]int
	texts []string
	shown func(string) string
}

func newPlaces(shown func(string) string) *places {
	p := &places{at: map[string]int{}, shown: shown}
	p.of("") // 0, so that omitempty leaves it out
	return p
}

func (p *places) of(text string) int {
	n, ok := p.at[text]
	if !ok {
		n = len(p.texts)
		p.at[text] = n
		p.texts = append(p.texts, p.shown(text))
	}
	return n
}

func newList(r *report.Report, order []int) list {
	l := list{Run: display.Visible(r.RunID), Log: logFile(r), Rows: make([][12]int, len(order))}
	goals := map[string]report.Task{}
	for _, t := range r.Tasks {
		goals[t.ID] = t
	}
	tasks, statuses := map[string]int{}, map[string]int{}
	tools, whys := newPlaces(display.Visible), newPlaces(display.Visible)
	causes := newPlaces(func(s string) string { return s }) // page.js compares them with anchors
	toolsets := map[string]int{}
	for i, place := range order {
		e := r.Episodes.At(place)
		task, ok := tasks[e.TaskID]
		if !ok {
			task = len(l.Tasks)
			tasks[e.TaskID] = task
			goal := goals[e.TaskID]
			l.Tasks = append(l.Tasks, listed{
				ID: display.Visible(e.TaskID), Key: e.TaskID, Title: display.Visible(e.Title), Goal: display.Visible(goal.Goal), Start: display.Visible(goal.StartURL),
				Category: display.Visible(e.Category), Tags: visible(e.Tags), MaxSteps: e.MaxSteps, MaxMs: e.MaxDurationMs,
			})
		}
		name := string(e.Status)
		if e.Outcome != "" && e.Outcome != policy.Passed {
			name += ", " + string(e.Outcome)
		}
		st, ok := statuses[name]
		if !ok {
			st = len(l.Statuses)
			statuses[name] = st
			l.Statuses = append(l.Statuses, status{display.Visible(name), string(e.Status.Class())})
		}
		var set []int
		for j := range e.Calls {
			if n := tools.of(e.Calls[j].Tool); !slices.Contains(set, n) {
				set = append(set, n)
			}
		}
		slices.Sort(set)
		key := fmt.Sprint(set)
		toolset, ok := toolsets[key]
		if !ok {
			toolset = len(l.Toolsets)
			toolsets[key] = toolset
			l.Toolsets = append(l.Toolsets, append([]int{}, set...))
		}
		why, cause := 0, 0
		if !e.Success {
			why, cause = whys.of(explain.Why(e)), causes.of(explain.Group(e))
		}
		l.Rows[i] = [12]int{
			rowTask: task, rowRepetition: e.Repetition, rowStatus: st, rowWhy: why, rowCause: cause, rowSteps: e.Steps, rowCalls: e.ToolCalls,
			rowErrors: e.OpenchromeErrors, rowChanged: len(e.ChangedAnswers), rowTokens: e.Tokens(), rowMicroseconds: int(math.Round(1000 * e.DurationMs)), rowTools: toolset,
		}
	}
	l.Tools, l.Whys, l.Causes = tools.texts, whys.texts, causes.texts
	return l
}

func visible(texts []string) []string {
	all := make([]string, len(texts))
	for i, s := range texts {
		all[i] = display.Visible(s)
	}
	return all
}
