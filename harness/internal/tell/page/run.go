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
	"time"

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
	// maxSummary is how many characters of a reason a line shows. The episode has the whole.
	maxSummary = 160
)

// Run is the document of a run, with its episodes.
func Run(r *report.Report) Document {
	d := overview(r)
	d.Blocks = slices.Concat(d.Blocks, tasks(r), rest(r), episodes(r))
	return d
}

// overview is the first screen of a run: what was driven, when, how good it was, and what to look at.
func overview(r *report.Report) Document {
	t := r.Totals
	d := Document{Name: "Run " + r.RunID, Tone: Pass, Verdict: Say(t.Verdict())}
	switch {
	case t.Unexpected() > 0:
		d.Tone = Fail
	case t.Passed == 0 || t.Passed+t.Failed < max(t.Planned, t.Finished):
		d.Tone = Void
	}
	how := Section{Title: Say("How it was run"), Folded: true, Blocks: []Block{conditions(r)}}
	d.Blocks = slices.Concat([]Block{answer(r)}, families(r), causes(r), untrue(r), []Block{how})
	return d
}

// rest is what a run says beside its tasks.
func rest(r *report.Report) []Block {
	return slices.Concat(policiesOf(r), tools(r), changedAnswers(r), remarks(r))
}

// Planned is what a terminal shows before the first episode.
func Planned(start *record.RunStart) Facts {
	var fold report.Fold
	if err := fold.Add(record.Event{TS: time.Now(), Body: start}); err != nil {
		return nil // the log says it, too
	}
	r, _ := fold.Report() // it has a plan
	r.Notes, r.Missing = start.Notes, nil
	return answer(r)
}

// Summary is what a terminal shows at the end of a run. The verdict comes after it. resume is the command that
// runs the rest.
func Summary(r *report.Report, resume string) []Block {
	var f Facts
	f.Add("report", filepath.Join(r.Out, report.ReportsDir, r.RunID+".md"), " (and .html, for a browser)")
	f.Add("events", filepath.Join(r.Out, report.EventsDir, r.RunID+".jsonl"))
	f.Add("resume", map[bool]string{true: resume}[r.Missing != nil])
	f.Add("why", whyOf(r))
	all := []Block{Text{}, answer(r)}
	if r.Totals.Passed < r.Totals.Finished {
		all = append(all, families(r)...)
	}
	return slices.Concat(all, causes(r), untrue(r), policiesOf(r), []Block{Text{}, f})
}

// Shown is what a terminal shows of a stored run.
func Shown(r *report.Report) []Block {
	d := Run(r)
	var f Facts
	f.Add("why", whyOf(r))
	return slices.Concat([]Block{Say(d.Name, "  ", Part{Text: d.Verdict.String(), Tone: d.Tone})}, d.Blocks, []Block{Text{}, f})
}

// whyOf is the command that shows an episode of the most frequent cause; empty if nothing needs a look.
func whyOf(r *report.Report) string {
	for _, c := range why.Causes(r.Episodes) {
		for _, e := range c.Episodes {
			if !e.KnownDefect && e.Status != record.Interrupted {
				return show(r, e, r.Out)
			}
		}
	}
	return ""
}

// show is the command that shows an episode on a terminal.
func show(r *report.Report, e *report.Episode, out string) string {
	run, episode := "-run="+r.RunID, "-episode="+e.Name
	return display.Command(display.Program, "report:show", run, episode, display.Setting("out", out, "."))
}

// Header is what was run, how, and what came of it.
func Header(r *report.Report) Facts { return append(answer(r), conditions(r)...) }

// answer is what a reader looks for first. Of a run in which nothing ended it is the plan.
func answer(r *report.Report) (f Facts) {
	server := r.Server.Brief()
	if r.Server == nil && r.Totals.Finished == 0 {
		server = r.Launcher
	}
	f.Add("server", In(Strong, server))
	f.Add("package", build(r))
	f = append(f, asked(r)...)
	for _, line := range why.Agent(r) {
		f.Add(line[0], line[1])
	}
	if r.Totals.Finished > 0 {
		f.Add("success", success(r))
		f.Add("tokens", read(r))
	}
	for i, note := range r.Notes {
		f.Add("note", In(map[bool]Tone{true: Fail}[i < len(r.NoTools)], note))
	}
	f.Add("not done", r.NotDone())
	for _, line := range r.History {
		f.Add("history", line)
	}
	return f
}

// build is which build of a server was driven: as git describes it, its commit with its date, what its package.json
// says, and its folder.
func build(r *report.Report) (t Text) {
	p := r.Package
	if p == nil {
		return nil
	}
	date, _, _ := strings.Cut(p.Date, "T")
	words := strings.Fields(p.Describe + " " + p.Commit[:min(len(p.Commit), shortCommit)] + " " + date)
	parts := []string{strings.Join(words, " "), map[bool]string{true: "version " + p.Version}[p.Version != ""], p.Path}
	t = Say(strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ", "))
	if p.Dirty {
		t = append(t, Say(", ", In(Void, "with changes that are not committed"))...)
	}
	return t
}

// began is when a run began, and how busy the machine was; empty if that is not known.
func began(r *report.Report) Text {
	if r.Began.IsZero() {
		return nil
	}
	return Say(r.Began.UTC().Format("2006-01-02 15:04 UTC"), load(r.Host))
}

// asked is when a run began, and what of.
func asked(r *report.Report) (f Facts) {
	f.Add("began", began(r))
	adapter := r.Adapter + ", " + display.Count(cmp.Or(r.Planned, len(r.Tasks)), "task")
	if n := r.Options.Repetitions; n > 1 {
		adapter += fmt.Sprintf(", %d repetitions", n)
	}
	if r.Shard != "" {
		adapter += ", shard " + r.Shard
	}
	f.Add("adapter", adapter, ", seed ", r.Seed)
	return f
}

// shortCommit is how many digits of a commit a reader compares.
const shortCommit = 10

// load says whether other programs made a run slow.
func load(h record.Host) Text {
	if h.Load == 0 {
		return nil
	}
	busy := map[bool]Text{true: Say(": ", In(Void, "busy, so times are too long"))}[h.Load >= float64(h.CPUs)]
	return Say(fmt.Sprintf("; load %.1f on %s", h.Load, display.Count(h.CPUs, "CPU")), busy)
}

// success is the rate of a run, and of what it is one.
func success(r *report.Report) Text {
	t, rate := r.Totals, Part{Text: r.Totals.Rate(), Tone: Strong}
	of := ""
	if t.Complete() && t.Passed+t.Failed > 0 {
		of = " of " + display.Count(t.Planned, "episode")
	}
	if p := r.Figures.Policies; t.Complete() && p != nil && p.Headline != nil {
		h := p.Headline
		rate.Text, of = display.Rate(h.Success), " of "+display.Count(h.Tasks, "core task")
		if h.Interval != nil {
			of += fmt.Sprintf(" (95 %% interval %s to %s)", display.Rate(h.Interval.Low), display.Rate(h.Interval.High))
		}
	}
	wrong := Part{Text: "no wrong side effect"}
	if n := t.WrongSideEffects; n > 0 {
		wrong = Part{Text: "a wrong side effect in " + display.Count(n, "episode"), Tone: Fail}
	}
	changed := ""
	if t.ChangedAnswers > 0 {
		changed = "; " + display.Count(t.ChangedAnswers, "changed answer")
	}
	return Say(rate, of, "; ", wrong, changed)
}

// read says how many tokens a model would have read.
func read(r *report.Report) string {
	if p := r.Figures.Policies; p != nil {
		var all *report.InputTokens
		for _, row := range p.Rows {
			all = row.InputTokens.Plus(all)
		}
		if all == nil {
			return ""
		}
		part := 100 * float64(all.Listed.O200k) / float64(max(1, all.Read.O200k))
		return fmt.Sprintf("%s for a model to read in the passed episodes, %.0f %% of it the list of tools",
			report.Thousands(all.Read.O200k), part)
	}
	n := 0
	for _, e := range r.Episodes.All() {
		n += e.Tokens()
	}
	return report.Thousands(n) + " in arguments and answers"
}

// families has a bar for each family of tasks, which filters the list of episodes.
func families(r *report.Report) []Block {
	list := List{Columns: true}
	for _, f := range r.Totals.Families {
		n := f.Passed + f.Failed + f.Void
		passed, failed := float64(f.Passed)/float64(n), float64(f.Passed+f.Failed)/float64(n)
		bars := []Bar{{0, passed, Pass}, {passed, failed, Fail}}
		bars = slices.DeleteFunc(bars, func(b Bar) bool { return b.From == b.To })
		share := Part{Text: fmt.Sprintf("%d of %d ", f.Passed, n), Bars: bars}
		list.Add(share, linked(Plain, f.Family, address("tag", f.Family)))
	}
	return section("Passed in each family", list)
}

// conditions are what a reader needs only to doubt a run or to repeat it.
func conditions(r *report.Report) (f Facts) {
	t := r.Totals
	f.Add("calls", Counts(t.Steps, t.ToolCalls, t.Errors, t.ChangedAnswers))
	f.Add("time", display.Duration(t.DurationMs), ", the sum of all episodes")
	if s := r.Server; s != nil {
		f.Add("started", s.Started())
		f.Add("content", s.Package)
		f.Add("facts", s.Reader())
	}
	f.Add("strict", map[bool]string{true: "a changed answer ends an episode"}[r.Drift == record.DriftStrict])
	if r.Profile != nil {
		f.Add("profile", r.Profile.String())
	}
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
		under := list.Add(link, " ", display.Cut(words, maxSummary), " – ", names(c.Episodes))
		if len(ways) == 1 {
			continue
		}
		most := func(a, b string) int { return cmp.Or(cmp.Compare(ways[b], ways[a]), strings.Compare(a, b)) }
		for i, line := range slices.SortedFunc(maps.Keys(ways), most) {
			if i == maxWhys {
				under.Add("and ", len(ways)-i, " more")
				break
			}
			times := map[bool]string{true: fmt.Sprintf("%d×: ", ways[line])}[ways[line] > 1]
			under.Add(times, display.Cut(line, maxSummary))
		}
	}
	whose := In(Faint, "Each line begins with whose the failure was. A void episode counts against nobody.")
	return section("Why episodes did not pass", Say(whose), list)
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

// policiesOf are the figures of the policies of a run. A single one has those of the run.
func policiesOf(r *report.Report) []Block {
	f := r.Figures.Policies
	if f == nil || len(f.Rows) < 2 {
		return nil
	}
	return policies(f.Lines()[1:], compare.Tables(f, r.OfPolicies()))
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
func tasks(r *report.Report) []Block {
	all := r.Figures.Tasks
	table := Table{Header: []string{"task", "passed", "void", "95 % interval", "median", "p95", "steps", "calls", "errors",
		"changed answers", "tokens"}}
	for _, t := range all {
		if !r.Totals.Complete() {
			t.Interval = nil
		}
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
		d := Episode(r, g.Episode, View{Out: r.Out})
		all = append(all, Section{Title: title, Folded: true, Blocks: d.Blocks})
	}
	if more := len(all) - maxOpen; more > 0 {
		all = append(all[:maxOpen:maxOpen], Section{Title: Say(more, " more"), Folded: true, Blocks: all[maxOpen:]})
	}
	return section("Episodes that did not pass", all...)
}
