package page

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/internal/tell/compare"
	"github.com/openchrome/bench/harness/internal/tell/history"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// History is the document of servers over time, what changed last first. It links to the page of a run where pageOf
// has an address.
func History(h *history.History, gate compare.Result, pageOf func(run string) string) Document {
	d := Document{Name: "History", Verdict: Say("no run fits")}
	var below []string
	for _, s := range h.Servers[min(1, len(h.Servers)):] {
		below = append(below, s.Name)
	}
	for i, s := range h.Servers {
		if i > 0 {
			d.Blocks = append(d.Blocks, Section{Title: Say(s.Name), Blocks: []Block{Say(In(Strong, s.Sentence()))}})
		} else {
			d.Verdict, d.Blocks = Say(s.Name, ": ", s.Sentence()), gates(gate)
			if s.Changes != nil {
				d.Tone = toneOf(s.Changes[0])
			}
		}
		d.Blocks = slices.Concat(d.Blocks, best(s, below), changed(s, pageOf), versionGrid(s, pageOf), trends(s), versions(s, pageOf))
		below = nil
	}
	var left, unused List
	for _, l := range h.LeftOut {
		left.Add(In(Code, l.Run), ": ", l.Reason)
	}
	for _, commit := range h.Unused {
		unused.Add(commit)
	}
	d.Blocks = append(append(d.Blocks, section("Runs that do not fit", left)...), section("Commits that changed nothing here", unused)...)
	return d
}

func toneOf(c history.Change) Tone { return map[bool]Tone{true: Pass, false: Fail}[c.Rose] }

func best(s *history.Server, others []string) []Block {
	var facts Facts
	if best := s.Best(); best.Families[0].Tasks > 0 {
		f := best.Families[0]
		facts.Add("best", In(Strong, best.Name), fmt.Sprintf(": success %s, wrong side effects %s, of %s",
			display.Rate(f.Success), display.Rate(f.WrongSideEffects), display.Count(f.Tasks, "task")))
	}
	facts.Add("versions", "ordered by "+s.Order)
	if others != nil {
		facts.Add("further down", strings.Join(others, ", "))
	}
	return []Block{facts}
}

// changed has the changes, the newest first. Tasks that changed alike share a row.
func changed(s *history.Server, pageOf func(run string) string) []Block {
	type row struct {
		history.Change
		tasks []Part
	}
	rows, order := map[string]*row{}, []*row(nil)
	for _, c := range s.Changes {
		alike := fmt.Sprintln(c.To, c.From, c.Before, c.After, c.Why, commitOf(c))
		if rows[alike] == nil {
			rows[alike] = &row{Change: c}
			order = append(order, rows[alike])
		}
		rows[alike].tasks = append(rows[alike].tasks, linked(Code, c.Task, episodeOf(c.Episode, pageOf)))
	}
	table := Table{Header: []string{"version", "since", "passed", "how it failed", "commit", "tasks"}}
	for _, r := range order {
		passed := Say(In(toneOf(r.Change), r.Verb()),
			fmt.Sprintf(": %d of %d to %d of %d episodes", r.Before[0], r.Before[1], r.After[0], r.After[1]))
		if !r.Sure {
			passed = Say(passed, ", ", In(Void, r.Seen()))
		}
		why := r.Why
		if r.Rose {
			why = "before: " + why
		}
		tasks := Say(display.Count(len(r.tasks), "task"), ": ", links(len(r.tasks), func(i int) Part { return r.tasks[i] }))
		table.Add(r.To, r.From, passed, why, commitOf(r.Change), tasks)
	}
	return section("What changed", table)
}

func commitOf(c history.Change) Text {
	if c.Found == nil {
		return Say("–")
	}
	return Say(In(Code, c.Found.Commit), " ", c.Found.Subject)
}

func episodeOf(e *report.Episode, pageOf func(run string) string) string {
	if to := pageOf(e.RunID); to != "" {
		return to + toEpisode(e.Name)
	}
	return ""
}

// versionGrid has the tasks that changed, and how they ended in each version.
func versionGrid(s *history.Server, pageOf func(run string) string) []Block {
	table := Table{Header: append([]string{"task"}, s.Grid.Names...)}
	for _, row := range s.Grid.Rows[:min(len(s.Grid.Rows), maxPairs)] {
		cells := []any{In(Code, row.ID)}
		for _, c := range row.Cells {
			if c.Episode == nil {
				cells = append(cells, "–")
				continue
			}
			words := Status(c.Episode.Status, string(c.Episode.Outcome))
			if n := c.N(); c.Passed > 0 && c.Passed < n {
				words = fmt.Sprintf("%d of %d passed", c.Passed, n)
			}
			cells = append(cells, linked(Tone(c.Episode.Status.Class()), words, episodeOf(c.Episode, pageOf)))
		}
		table.Add(cells...)
	}
	note := "A task is named with its policy, and a cell says how it ended. No change was found in " +
		display.Count(s.Same, "other task") + "."
	if more := len(s.Grid.Rows) - maxPairs; more > 0 {
		note = fmt.Sprintf("%d more are left out, to keep this page small. ", more) + note
	}
	return section("Tasks that changed", table, Say(In(Faint, note)))
}

// measure is what is plotted.
type measure struct {
	name  string
	top   float64 // the scale; 0: up to the largest value
	of    func(f history.Family) float64
	words func(v float64) string
}

var measures = []measure{
	{"success", 1, func(f history.Family) float64 { return f.Success }, display.Rate},
	{"wrong side effects", 1, func(f history.Family) float64 { return f.WrongSideEffects }, display.Rate},
	{"false successes", 0, func(f history.Family) float64 { return f.FalseSuccesses }, mean},
	{"input tokens", 0, func(f history.Family) float64 { return known(f.Tokens) },
		func(v float64) string { return report.Thousands(int(math.Round(v))) }},
	{"calls", 0, func(f history.Family) float64 { return known(f.Calls) }, mean},
}

// known is a value of which 0 says that it is not known, as NaN then.
func known(v float64) float64 {
	if v == 0 {
		return math.NaN()
	}
	return v
}

// in is the value in a family; NaN if none of its tasks counts.
func (m measure) in(f history.Family) float64 {
	if f.Tasks == 0 {
		return math.NaN()
	}
	return m.of(f)
}

func (m measure) say(v float64) string {
	if math.IsNaN(v) {
		return "–"
	}
	return m.words(v)
}

// trends has a small plot of each measure for each family.
func trends(s *history.Server) []Block {
	table, done := Table{Header: measured("family")}, map[string]bool{}
	for _, v := range s.Versions {
		for _, f := range v.Families {
			if done[f.Name] {
				continue
			}
			done[f.Name] = true
			cells := []any{f.Name}
			if f.Name == "" {
				cells[0] = "all"
			}
			for _, m := range measures {
				cells = append(cells, plot(s, f.Name, m))
			}
			table.Add(cells...)
		}
	}
	legend := "Oldest version first. Each number is a mean over the tasks that count in all versions of a line; a task " +
		"under two policies is two. The numbers are the first and the last of the newest line. Calls and input tokens " +
		"are of the tasks that passed in all of them. A line breaks where the table of versions says why."
	return section("Over time", table, Say(In(Faint, legend)))
}

// measured is a header with all measures.
func measured(header ...string) []string {
	for _, m := range measures {
		header = append(header, m.name)
	}
	return header
}

// plot has a dot for each version that has the family, and the first and the last value of the last line in words.
func plot(s *history.Server, family string, m measure) Part {
	var dots []Dot
	broken, top := false, m.top
	for _, v := range s.Versions {
		broken = broken || v.Breaks != nil
		for _, f := range v.Families {
			if y := m.in(f); f.Name == family && !math.IsNaN(y) {
				dots, broken, top = append(dots, Dot{y, broken}), false, max(top, y)
			}
		}
	}
	if dots == nil {
		return Part{Text: "–"}
	}
	first, last := 0, len(dots)-1 // of the last line
	for i, d := range dots {
		if d.Break {
			first = i
		}
	}
	text := m.say(dots[first].Y)
	if first < last {
		text += " → " + m.say(dots[last].Y)
	}
	for i := range dots {
		dots[i].Y /= max(top, math.SmallestNonzeroFloat64)
	}
	return Part{Text: text, Trend: dots}
}

// versions has the numbers of each version, the newest first.
func versions(s *history.Server, pageOf func(run string) string) []Block {
	table := Table{Header: append(measured("version", "date", "tasks", "episodes"), "time", "runs", "what else changed")}
	for _, v := range slices.Backward(s.Versions) {
		date, _, _ := strings.Cut(v.Date, "T")
		cells := []any{v.Name, date, v.Families[0].Tasks, v.Episodes()}
		for _, m := range measures {
			cells = append(cells, m.say(m.in(v.Families[0])))
		}
		took, breaks := "–", v.Breaks
		if v.Took > 0 {
			took = fmt.Sprintf("%.2f times %s", v.Took, v.Beside)
		}
		if v.Changed != nil {
			breaks = append(slices.Clone(breaks), "left out, because the task or its pages changed: "+report.Named(v.Changed))
		}
		runs := links(len(v.Runs), func(i int) Part { return linked(Plain, v.Runs[i], pageOf(v.Runs[i])) })
		table.Add(append(cells, took, runs, strings.Join(breaks, "; "))...)
	}
	return section("Versions", table)
}
