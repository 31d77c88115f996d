package page

import (
	"bufio"
	"fmt"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/tell/why"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// list is what page.js needs to show and filter the list of episodes.
type list struct {
	Log   string          `json:"-"`     // relative to the page
	Tasks map[string]task `json:"tasks"` // by id
	Rows  []row           `json:"rows"`
	Left  int             `json:"-"` // rows without details, so that the page stays small
}

type task struct {
	Title string   `json:"title"`
	Tags  []string `json:"tags"`
}

type row struct {
	Key    string   `json:"key"`  // the name as addresses have it
	Name   string   `json:"name"` // as it is shown
	Task   string   `json:"task"`
	Class  string   `json:"class"`
	Status string   `json:"status"`
	Why    string   `json:"why,omitempty"`
	Cause  string   `json:"cause,omitempty"`
	Tools  []string `json:"tools"`
	Cells  [6]any   `json:"cells"` // of columns
	Chunk  int      `json:"chunk"` // which has its details; -1: none
	At     int      `json:"at"`    // its place there
}

var columns = [6]string{"Steps", "Calls", "Errors", "Changed answers", "Tokens", "Time"}

func newList(r *report.Report, order []int) *list {
	l := &list{Log: logOf(r), Tasks: map[string]task{}}
	for _, place := range order {
		e := r.Episodes.At(place)
		if _, ok := l.Tasks[e.TaskID]; !ok {
			l.Tasks[e.TaskID] = task{display.Visible(e.Title), append([]string{}, e.Tags...)}
		}
		row := row{
			Key: e.Name, Name: display.Visible(e.Name), Task: e.TaskID, Class: string(e.Status.Class()), Tools: []string{},
			Status: display.Visible(Status(e.Status, string(e.Outcome))), Why: display.Visible(why.Line(e)),
			Cause: why.Group(e),
		}
		took := display.Duration(e.DurationMs)
		row.Cells = [6]any{e.Steps, e.ToolCalls, e.OpenchromeErrors, len(e.ChangedAnswers), e.Tokens(), took}
		for i := range e.Calls {
			if tool := e.Calls[i].Tool; !slices.Contains(row.Tools, tool) {
				row.Tools = append(row.Tools, tool)
			}
		}
		l.Rows = append(l.Rows, row)
	}
	return l
}

// inOrder returns the places of the episodes in the order of the page: the ones that failed
// first, then void ones, then the ones that passed.
func inOrder(episodes report.Episodes) []int {
	var ranked [3][]int
	for i, e := range episodes.All() {
		rank := slices.Index([]record.Class{record.Fail, record.Void, record.Pass}, e.Status.Class())
		ranked[rank] = append(ranked[rank], i)
	}
	return slices.Concat(ranked[:]...)
}

// write writes the filters, and the table that page.js fills.
func (l *list) write(w *bufio.Writer) {
	statuses, lost, changed := map[string]int{}, 0, 0
	var tasks, tags, tools, names []string
	for _, r := range l.Rows {
		statuses[r.Status]++
		if r.Class != string(record.Pass) {
			lost++
		}
		if r.Cells[3] != 0 {
			changed++
		}
		tasks, tools = append(tasks, r.Task), append(tools, r.Tools...)
		names = append(names, r.Status)
		tags = append(tags, l.Tasks[r.Task].Tags...)
	}
	status := choice("status", "All statuses", nil)
	option := func(value, words string, n int) {
		if n > 0 {
			status.with(el("option", "value", value).with(fmt.Sprintf("%s (%d)", words, n)))
		}
	}
	option("not-passed", "not passed", lost)
	for _, name := range unique(names) {
		option(name, name, statuses[name])
	}
	option("drift", "with changed answers", changed)
	search := el("input", "type", "search", "id", "q", "placeholder", "Search", "aria-label", "Search episodes")
	title := el("h2", "id", "episodes").with("Episodes")
	filters := el("div", "class", "filters", "role", "search").with(title, search, status,
		choice("task", "All tasks", tasks), choice("tag", "All tags", tags), choice("tool", "All tools", tools),
		el("button", "type", "button", "id", "clear").with("Clear"), el("span", "id", "found", "role", "status"))
	head := el("tr").with(el("th", "scope", "col").with("Status"), el("th", "scope", "col").with("Episode"))
	for _, name := range columns {
		head.with(el("th", "scope", "col", "class", "num").with(name))
	}
	keys := el("p", "class", "keys").with("Keys: / searches; j, k, ↓ and ↑ move; Enter opens; Esc goes back")
	none := el("noscript").with(el("p").with("The list of episodes needs JavaScript. The Markdown report has it, too."))
	table := el("table", "class", "episodes", "id", "rows").with(el("thead").with(head), el("tbody"))
	all := el("section").with(filters, keys, none, el("p", "class", "note", "id", "trouble", "hidden", "hidden"))
	if l.Left > 0 {
		log := el("a", "href", l.Log).with("the event log")
		left := "To keep this page small, the details of " + display.Count(l.Left, "episode") + " are only in "
		all.with(el("p", "class", "note").with(left, log, "."))
	}
	all.with(table, el("div", "id", "more")).write(w)
	fmt.Fprint(w, "</main>\n<main id=\"episode\" hidden></main>\n")
}

// choice makes a filter.
func choice(id, all string, values []string) *node {
	every := el("option").with(all)
	every.attributes["value"] = ""
	e := el("select", "id", id, "aria-label", upper(id)).with(every)
	for _, v := range unique(values) {
		e.with(el("option", "value", v).with(display.Visible(v)))
	}
	return e
}

func unique(texts []string) []string {
	sorted := slices.Clone(texts)
	slices.SortFunc(sorted, strings.Compare)
	return slices.Compact(sorted)
}
