package format

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/compare"
	"github.com/openchrome/bench/harness/internal/tell/explain"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/tell/stats"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// Markdown writes the report for people: the verdict, what was driven, why episodes did
// not pass, figures, then the episodes. It is GitHub's Markdown, whose <details> keep a
// report of hundreds of episodes short. Texts of pages, answers, logs and task files are
// escaped, so they cannot become markup.
func Markdown(w io.Writer, r *report.Report) error {
	m := markdown{bufio.NewWriter(w)}
	m.head(r)
	m.failures(r.Episodes)
	m.untrue(r)
	if f := r.Figures.Policies; f != nil {
		m.policies(f.Lines(), compare.Tables(f, report.PolicyEpisodes(r)))
	}
	m.tasks(r.Figures.Tasks)
	m.tools(r)
	m.changed(r.Episodes)
	m.remarks(r.Episodes)
	m.episodes(r)
	return m.Flush()
}

type markdown struct{ *bufio.Writer }

func (m markdown) printf(format string, args ...any) { fmt.Fprintf(m, format, args...) }

// fold begins a collapsed part; unfold ends it. The summary is HTML.
func (m markdown) fold(open bool, summary string) {
	m.printf("\n<details%s><summary>%s</summary>\n\n", map[bool]string{true: " open"}[open], summary)
}

func (m markdown) unfold() { m.printf("\n</details>\n") }

func (m markdown) head(r *report.Report) {
	t := r.Totals
	m.printf("# Run %s\n\n**%s.** Success rate %s.\n", plain(r.RunID), t.Verdict(), t.Rate())
	for _, note := range r.Notes {
		m.printf("\n> Note: %s\n", plain(note))
	}
	m.printf("\n- **Driven:** %s\n", plain(r.Server.Words()))
	if r.Package != nil {
		m.printf("- **Package:** %s\n", describePackage(r.Package))
	}
	if r.Profile != nil {
		m.printf("- **Profile:** %s\n", plain(r.Profile.String()))
	}
	m.printf("- **How:** adapter %s%s, %s, %s web", code(r.Adapter), strict(r.Drift), plain(report.DescribeSeed(r)), plain(r.Web.Mode))
	if r.Server != nil {
		m.printf(", facts %s", r.Server.Reader())
	}
	for _, line := range explain.Agent(r) {
		m.printf("\n- **%s:** %s", strings.ToUpper(line[0][:1])+line[0][1:], plain(line[1]))
	}
	m.printf("\n- **In all:** %s, %s, %s, %s in %s\n", display.Count(t.Steps, "step"), display.Count(t.ToolCalls, "tool call"),
		display.Count(t.Errors, "error"), display.Count(t.ChangedAnswers, "changed answer"), duration(t.DurationMs))
	m.printf("- **Harness:** %s\n", plain(r.Harness.String()))
	if r.Shard != "" {
		m.printf("- **Shard:** %s\n", r.Shard)
	}
	for _, line := range r.History {
		m.printf("- **History:** %s\n", plain(line))
	}
	if r.Missing != nil {
		m.printf("- **Not done:** %s\n", plain(r.NotDone()))
	}
	m.printf("- **Digest:** %s\n", code(r.Digest))
}

// policies writes figures of policies, and why the tables have no single figure.
func (m markdown) policies(lines []string, tables []compare.Table) {
	m.printf("\n## Figures of the policies\n\nThe script of a task does the thinking: they measure the server, not a model.\n\n")
	for _, line := range lines {
		m.printf("- %s\n", plain(line))
	}
	for _, t := range tables {
		if t.Rows != nil {
			m.table(t.Title, t.Header, t.Rows)
		}
	}
}

// describePackage names the package, and the state of its checkout.
func describePackage(p *record.Package) string {
	s := code(p.Path)
	if p.Commit != "" {
		s += ", commit " + code(p.Commit)
	}
	if p.Dirty {
		s += ", with changes that are not committed"
	}
	return s
}

// strict says that a changed answer ended episodes.
func strict(drift string) string {
	if drift == record.DriftStrict {
		return ", a changed answer ends an episode"
	}
	return ""
}

// maxTasks is how many tasks a report shows without a click, beside the tasks with an
// episode that did not pass.
const maxTasks = 30

// tasks writes a row for each task. If there are many, the tasks that passed are folded.
func (m markdown) tasks(tasks []report.TaskFigures) {
	if len(tasks) == 0 {
		return
	}
	m.printf("\n## Tasks\n\n")
	var good, bad []report.TaskFigures
	for _, t := range tasks {
		if t.Failed+t.Void > 0 {
			bad = append(bad, t)
		} else {
			good = append(good, t)
		}
	}
	if len(tasks) <= maxTasks {
		good, bad = nil, tasks
	}
	if len(bad) > 0 {
		m.taskTable(bad)
	}
	m.printf("\nSteps, calls, errors and tokens are means per episode, without void episodes. A task whose episodes all ended alike has no interval.\n")
	if len(good) > 0 {
		m.fold(false, "All episodes passed of "+display.Count(len(good), "more task"))
		m.taskTable(good)
		m.unfold()
	}
}

func (m markdown) taskTable(tasks []report.TaskFigures) {
	m.printf("| task | passed | void | 95 %% interval | median | p95 | steps | calls | errors | changed answers | tokens |\n")
	m.printf("| --- | ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n")
	for _, t := range tasks {
		n := t.Passed + t.Failed
		passed := fmt.Sprintf("%d of %d", t.Passed, n)
		if t.Failed > t.KnownDefects {
			passed = "**" + passed + "**"
		}
		if t.KnownDefects > 0 {
			passed += ", known defect"
		}
		if n == 0 { // nothing is known of it
			m.printf("| %s | – | %d | – | – | – | – | – | – | %d | – |\n", cell(t.TaskID), t.Void, t.ChangedAnswers)
			continue
		}
		m.printf("| %s | %s | %d | %s | %s | %s | %s | %s | %s | %d | %s |\n", cell(t.TaskID), passed, t.Void, interval(t.Interval),
			duration(t.DurationP50), duration(t.DurationP95), mean(t.Steps), mean(t.ToolCalls), mean(t.Errors), t.ChangedAnswers, mean(t.Tokens))
	}
}

// tools writes what the tools were called for, and what came of hints and errors.
func (m markdown) tools(r *report.Report) {
	f := &r.Figures
	var shares []string
	if f.Recovery.Of > 0 {
		shares = append(shares, share(f.Recovery)+" with an error passed all the same")
	}
	var hints []string
	for _, h := range f.Hints {
		hints = append(hints, fmt.Sprintf("%s %d×", code(h.Rule), h.Count))
	}
	if len(hints) > 0 {
		shares = append(shares, "hints: "+strings.Join(hints, ", "))
	}
	for i, s := range shares {
		if i == 0 {
			m.printf("\n")
		}
		m.printf("- %s\n", strings.ToUpper(s[:1])+s[1:])
	}
	if len(f.Tools) == 0 {
		return
	}
	calls, tokens := 0, 0
	for _, t := range f.Tools {
		calls, tokens = calls+t.Calls, tokens+t.ArgTokens+t.AnswerTokens
	}
	m.fold(false, fmt.Sprintf("By tool: %s, %s, %s", display.Count(len(f.Tools), "tool"), display.Count(calls, "call"), display.Count(tokens, "token")))
	m.printf("| tool | calls | errors | median | p95 | tokens sent | received | per answer |\n")
	m.printf("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n")
	for _, t := range f.Tools {
		m.printf("| %s | %d | %d | %s | %s | %d | %d | %.0f |\n", cell(t.Tool), t.Calls, t.Errors, duration(t.P50), duration(t.P95),
			t.ArgTokens, t.AnswerTokens, float64(t.AnswerTokens)/float64(max(t.Calls, 1)))
	}
	m.printf("\nTokens of arguments (sent) and of answers (received) are counted with o200k_base.\n")
	m.unfold()
}

func share(s report.Share) string {
	return fmt.Sprintf("%d of %s", s.N, display.Count(s.Of, "episode"))
}

// interval writes a range of a rate. Rounding never makes it 0 % or 100 %.
func interval(i *stats.Interval) string {
	if i == nil {
		return "–"
	}
	const tiny = 1e-9
	return fmt.Sprintf("%g%% to %g%%", display.Percent(math.Floor(100*i.Low+tiny), i.Low), display.Percent(math.Ceil(100*i.High-tiny), i.High))
}

// mean writes a mean with one digit, if it has one.
func mean(v float64) string {
	if v >= 100 {
		return fmt.Sprintf("%.0f", v)
	}
	return strconv.FormatFloat(math.Round(10*v)/10, 'f', -1, 64)
}

// duration writes a time in the unit that a person reads best, chosen after rounding.
func duration(ms float64) string {
	switch {
	case ms < 999.5:
		return fmt.Sprintf("%.0f ms", ms)
	case ms < 59_950:
		return fmt.Sprintf("%.1f s", ms/1000)
	}
	s := math.Round(ms / 1000)
	return fmt.Sprintf("%.0f min %02.0f s", math.Floor(s/60), math.Mod(s, 60))
}
