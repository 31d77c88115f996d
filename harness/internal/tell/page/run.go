package page

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/compare"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/tell/stats"
	"github.com/openchrome/bench/harness/internal/tell/why"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// How many lines of each kind a document shows without a click, or at all.
const (
	maxCauses = 10
	maxWhys   = 3
	maxLinks  = 8
	maxTasks  = 30
	maxOpen   = 20 // episodes that did not pass
	// maxSummary is how many characters of a reason a folded episode shows. The list of causes has the whole.
	maxSummary = 160
)

// Run is the document of a run, with its episodes.
func Run(r *report.Report) Document {
	d := overview(r)
	d.Blocks = append(d.Blocks, episodes(r)...)
	return d
}

// overview is the document of a run without its episodes.
func overview(r *report.Report) Document {
	t := r.Totals
	d := Document{Name: "Run " + r.RunID, Tone: Pass, Verdict: Say(t.Verdict())}
	switch {
	case t.Unexpected() > 0:
		d.Tone = Fail
	case t.Passed == 0 || t.Passed+t.Failed < max(t.Planned, t.Finished):
		d.Tone = Void
	}
	f := r.Figures.Policies
	var ofPolicies []Block
	if f != nil {
		ofPolicies = policies(f.Lines(), compare.Tables(f, r.OfPolicies()))
	}
	d.Blocks = slices.Concat([]Block{Header(r)}, causes(r), untrue(r), ofPolicies, tasks(r.Figures.Tasks),
		tools(r), changedAnswers(r), remarks(r))
	return d
}

// Summary is what a terminal shows at the end of a run. The verdict comes after it. out is the folder of the run.
func Summary(r *report.Report, out string) []Block {
	f := Header(r)
	if p := r.Figures.Policies; p != nil {
		for _, row := range p.Rows {
			f.Add("policy", row.String())
		}
		for _, line := range p.Lines() {
			f.Add("figure", line)
		}
	}
	f.Add("report", filepath.Join(out, report.ReportsDir, r.RunID+".md"), " (and .html, for a browser)")
	f.Add("events", filepath.Join(out, report.EventsDir, r.RunID+".jsonl"))
	if e := why.FirstFailure(r); e != nil {
		f.Add("why", show(r, e, out))
	}
	return slices.Concat(causes(r), untrue(r), []Block{Text{}, f})
}

// show is the command that shows an episode on a terminal.
func show(r *report.Report, e *report.Episode, out string) string {
	run, episode := "-run="+r.RunID, "-episode="+e.Name
	return display.Command(display.Program, "report:show", run, episode, display.Setting("out", out, "."))
}

// Header is what was run, how, and what came of it.
func Header(r *report.Report) (f Facts) {
	t := r.Totals
	f.Add("server", r.Server.Words())
	f.Add("totals", t.Passed, " passed, ", t.FailedWords(), ", ", t.Void, " void; success rate ", t.Rate(), "; ",
		Counts(t.Steps, t.ToolCalls, t.Errors, t.ChangedAnswers))
	f.Add("time", display.Duration(t.DurationMs), ", the sum of all episodes")
	for _, note := range r.Notes {
		f.Add("note", note)
	}
	f.Add("not done", r.NotDone())
	for _, line := range r.History {
		f.Add("history", line)
	}
	f.Add("shard", r.Shard)
	if p := r.Package; p != nil {
		commit := ""
		if p.Commit != "" {
			commit = ", commit " + p.Commit
		}
		f.Add("package", In(Code, p.Path), commit, map[bool]string{true: ", with changes that are not committed"}[p.Dirty])
	}
	if s := r.Server; s != nil {
		f.Add("content", s.Package)
		f.Add("facts", s.Reader())
	}
	f.Add("adapter", r.Adapter, map[bool]string{true: ", a changed answer ends an episode"}[r.Drift == record.DriftStrict])
	if r.Profile != nil {
		f.Add("profile", r.Profile.String())
	}
	for _, line := range why.Agent(r) {
		f.Add(line[0], line[1])
	}
	f.Add("values", fmt.Sprintf("seed %d", r.Seed))
	f.Add("web", r.Web.Mode)
	if h := r.Host; h.OS != "" {
		f.Add("machine", fmt.Sprintf("%s/%s, %d CPUs, %s", h.OS, h.Arch, h.CPUs, h.Go))
	}
	f.Add("harness", r.Harness.String())
	f.Add("digest", r.Digest)
	name := url.PathEscape(r.RunID)
	f.whole("files", Part{Text: "Event log", Link: logOf(r)}, " · ", Part{Text: "JSON", Link: name + ".json"}, " · ",
		Part{Text: "Markdown", Link: name + ".md"}, " · ", Part{Text: "Canonical report", Link: name + ".canonical.json"})
	return f
}

// logOf is the address of the event log, from the folder of the reports.
func logOf(r *report.Report) string { return beside(report.EventsDir + "/" + r.RunID + ".jsonl") }

// causes says why episodes did not pass, the most frequent cause first.
func causes(r *report.Report) []Block {
	list := List{Max: maxCauses}
	for _, c := range why.Causes(r.Episodes) {
		words, ways := c.Group, map[string]int{}
		for _, e := range c.Episodes {
			ways[why.Line(e)]++
		}
		if len(ways) == 1 {
			words = why.Line(c.Episodes[0])
		}
		status := c.Episodes[0].Status
		count := fmt.Sprintf("%d %s:", len(c.Episodes), Status(status, ""))
		link := linked(Tone(status.Class()), count, address("cause", c.Group))
		under := list.Add(link, " ", words, " – ", names(c.Episodes))
		if len(ways) == 1 {
			continue
		}
		most := func(a, b string) int { return cmp.Or(cmp.Compare(ways[b], ways[a]), strings.Compare(a, b)) }
		for i, line := range slices.SortedFunc(maps.Keys(ways), most) {
			if i == maxWhys {
				under.Add("and ", len(ways)-i, " other ways")
				break
			}
			under.Add(ways[line], "×: ", line)
		}
	}
	return section("Why episodes did not pass", list)
}

// names names episodes, with links. Those in which the same happened have one.
func names(all []*report.Episode) Text {
	list := alike(all)
	return links(len(list), func(i int) Part { return linked(Code, list[i].name(), toEpisode(list[i].Name)) })
}

// links are the first of n links.
func links(n int, link func(i int) Part) (t Text) {
	for i := range min(n, maxLinks) {
		if i > 0 {
			t = append(t, Part{Text: ", "})
		}
		t = append(t, link(i))
	}
	if n > maxLinks {
		t = append(t, Part{Text: fmt.Sprintf(" and %d more", n-maxLinks)})
	}
	return t
}

// untrue counts the false successes and the unreported side effects, by tool and word.
func untrue(r *report.Report) []Block {
	all, _ := why.UntrueOf(r)
	list := List{Max: maxCauses}
	for _, u := range all {
		such := links(len(u.Episodes), func(i int) Part {
			return linked(Code, u.Episodes[i].Name, toStep(u.Episodes[i].Name, u.Steps[i]))
		})
		list.Add(In(Strong, fmt.Sprintf("%d of %d×", u.N, u.Of)), " ", In(Code, u.Tool), ": ", u.Word, " – ", such)
	}
	return section("False successes and unreported side effects", Say(why.Apart(r)), list)
}

// policies are figures of policies, and their tables.
func policies(lines []string, all []compare.Table) []Block {
	var list List
	for _, line := range lines {
		list.Add(line)
	}
	legend := Say("The script of a task does the thinking: they measure the server, not a model.")
	return append(section("Figures of the policies", legend, list), tables(all)...)
}

func tables(all []compare.Table) (blocks []Block) {
	for _, t := range all {
		blocks = append(blocks, section(t.Title, plainTable(t.Header, t.Rows))...)
	}
	return blocks
}

// tasks has a row for each task.
func tasks(all []report.TaskFigures) []Block {
	table := Table{Header: []string{"task", "passed", "void", "95 % interval", "median", "p95", "steps", "calls", "errors",
		"changed answers", "tokens"}}
	for _, t := range all {
		table.task(t)
	}
	legend := Say(In(Faint, "Steps, calls, errors and tokens are means per episode, without void episodes. "+
		"A task whose episodes all ended alike has no interval."))
	if len(all) > maxTasks {
		title := Say("Tasks: ", len(all))
		return []Block{Section{Title: title, Folded: true, Blocks: []Block{table, legend}}}
	}
	return section("Tasks", table, legend)
}

func (t *Table) task(f report.TaskFigures) {
	n := f.Passed + f.Failed
	id := linked(Code, f.TaskID, address("task", f.TaskID))
	if n == 0 { // nothing is known of it
		t.Add(id, "–", f.Void, "–", "–", "–", "–", "–", "–", f.ChangedAnswers, "–")
		return
	}
	passed := Say(fmt.Sprintf("%d of %d", f.Passed, n))
	if f.Failed > f.KnownDefects {
		passed[0].Tone = Fail
	}
	if f.KnownDefects > 0 {
		passed = append(passed, Part{Text: ", known defect"})
	}
	t.Add(id, passed, f.Void, interval(f.Interval, float64(f.Passed)/float64(n)), display.Duration(f.DurationP50),
		display.Duration(f.DurationP95), mean(f.Steps), mean(f.ToolCalls), mean(f.Errors), f.ChangedAnswers, mean(f.Tokens))
}

// interval writes a range of a rate. Rounding never makes it 0 % or 100 %.
func interval(i *stats.Interval, rate float64) Text {
	if i == nil {
		return Say("–")
	}
	const tiny = 1e-9
	low, high := display.Percent(math.Floor(100*i.Low+tiny), i.Low), display.Percent(math.Ceil(100*i.High-tiny), i.High)
	bars := []Bar{{i.Low, i.High, Faint}, {rate, rate, Plain}}
	return Say(Part{Text: fmt.Sprintf("%g%% to %g%%", low, high), Bars: bars})
}

// tools says what the tools were called for, and what came of hints and errors.
func tools(r *report.Report) []Block {
	f := &r.Figures
	var list List
	if f.Recovery.Of > 0 {
		list.Add(f.Recovery.N, " of ", display.Count(f.Recovery.Of, "episode"), " with an error passed all the same")
	}
	for _, h := range f.Hints {
		list.Add("Hint ", In(Code, h.Rule), ": ", h.Count, "×")
	}
	table := Table{Header: []string{"tool", "calls", "errors", "median", "p95", "tokens sent", "received", "per answer"}}
	for _, t := range f.Tools {
		each := math.Round(float64(t.AnswerTokens) / float64(max(t.Calls, 1)))
		table.Add(linked(Code, t.Tool, address("tool", t.Tool)), t.Calls, t.Errors, display.Duration(t.P50),
			display.Duration(t.P95), t.ArgTokens, t.AnswerTokens, each)
	}
	legend := In(Faint, "Tokens of arguments (sent) and of answers (received) are counted with o200k_base.")
	return section("Tools", list, table, Say(legend))
}

// tallied is a list of what several episodes have in common, the most frequent first. of says it of one.
func tallied(r *report.Report, title string, of func(*report.Episode) []Text) []Block {
	members := map[string][]*report.Episode{}
	var all []Text
	for _, e := range r.Episodes.All() {
		for _, text := range of(e) {
			key := text.String()
			if members[key] == nil {
				all = append(all, text)
			}
			members[key] = append(members[key], e)
		}
	}
	list := List{Max: maxCauses}
	often := func(a, b Text) int { return len(members[b.String()]) - len(members[a.String()]) }
	slices.SortStableFunc(all, often)
	for _, text := range all {
		of := members[text.String()]
		list.Add(In(Strong, fmt.Sprintf("%d×", len(of))), " ", text, " – ", names(of))
	}
	return section(title, list)
}

// changedAnswers counts the answers that differ from the expected ones, whatever the status.
func changedAnswers(r *report.Report) []Block {
	return tallied(r, "Changed answers", func(e *report.Episode) (all []Text) {
		for _, d := range e.ChangedAnswers {
			all = append(all, Say(In(Code, d.Tool), " answered ", In(Code, d.Actual), ", expected ", In(Code, d.Expected)))
		}
		return all
	})
}

// remarks shows what decided nothing and a person should know.
func remarks(r *report.Report) []Block {
	return tallied(r, "Remarks", func(e *report.Episode) (all []Text) {
		if e.ServerEnded != "" {
			all = append(all, Say("the server ended after its last answer: ", e.ServerEnded))
		}
		for _, s := range []string{e.Waited.Words(), e.PageMissing, strings.Join(e.Earlier(), "; ")} {
			if s != "" {
				all = append(all, Say(s))
			}
		}
		return all
	})
}

// group are episodes of one task in which the same happened, by their digest. Its numbers are repetitions.
type group struct {
	*report.Episode // the first
	numbers         []int
}

// alike puts episodes in groups. Episodes without a digest stay alone.
func alike(all []*report.Episode) (list []*group) {
	at := map[string]*group{}
	for _, e := range all {
		key := e.TaskID + "\x00" + string(e.Status) + "\x00" + e.Digest
		if at[key] == nil || e.Digest == "" {
			at[key] = &group{Episode: e}
			list = append(list, at[key])
		}
		at[key].numbers = append(at[key].numbers, e.Repetition)
	}
	return list
}

// name is of one episode its name, and of more also their numbers, as in a#1-3,5.
func (g *group) name() string {
	if len(g.numbers) == 1 {
		return g.Name
	}
	return g.TaskID + "#" + record.Ranges(g.numbers)
}

// episodes are the documents of those that did not pass, one for several in which the same happened. The
// table of tasks has the figures of the others.
func episodes(r *report.Report) []Block {
	var lost []*report.Episode
	for _, e := range r.Episodes.All() {
		if e.Status.Class() != record.Pass {
			lost = append(lost, e)
		}
	}
	var all []Block
	for _, g := range alike(lost) {
		line := In(Code, display.Cut(why.Line(g.Episode), maxSummary))
		title := Say(In(Code, g.name()), " ", Status(g.Status, string(g.Outcome)), ": ", line)
		d := Episode(r, g.Episode, View{})
		all = append(all, Section{Title: title, Folded: true, Blocks: d.Blocks})
	}
	if more := len(all) - maxOpen; more > 0 {
		all = append(all[:maxOpen:maxOpen], Section{Title: Say(more, " more"), Folded: true, Blocks: all[maxOpen:]})
	}
	return section("Episodes that did not pass", all...)
}
