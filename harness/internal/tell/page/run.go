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
	maxTasks  = 30 // beside the tasks with an episode that did not pass
	maxOpen   = 20 // episodes that did not pass, without a click on their task
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
	d := Document{Name: "Run " + r.RunID, Tone: Pass, Verdict: say(t.Verdict())}
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
	d.Blocks = slices.Concat([]Block{shares(t), Header(r)}, causes(r), untrue(r), ofPolicies, tasks(r.Figures.Tasks),
		tools(r), changedAnswers(r), remarks(r))
	return d
}

// Summary is what a terminal shows at the end of a run. The verdict comes after it. out is the folder of the run.
func Summary(r *report.Report, out string) []Block {
	f := Header(r)
	if p := r.Figures.Policies; p != nil {
		for _, row := range p.Rows {
			f.add("policy", row.String())
		}
		for _, line := range p.Lines() {
			f.add("figure", line)
		}
	}
	f.add("report", filepath.Join(out, report.ReportsDir, r.RunID+".md"), " (and .html, for a browser)")
	f.add("events", filepath.Join(out, report.EventsDir, r.RunID+".jsonl"))
	if e := why.FirstFailure(r); e != nil {
		f.add("why", show(r, e, out))
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
	f.add("server", r.Server.Words())
	f.add("totals", t.Passed, " passed, ", t.FailedWords(), ", ", t.Void, " void; success rate ", t.Rate(), "; ",
		Counts(t.Steps, t.ToolCalls, t.Errors, t.ChangedAnswers))
	f.add("time", display.Duration(t.DurationMs), ", the sum of all episodes")
	for _, note := range r.Notes {
		f.add("note", note)
	}
	f.add("not done", r.NotDone())
	for _, line := range r.History {
		f.add("history", line)
	}
	f.add("shard", r.Shard)
	if p := r.Package; p != nil {
		commit := ""
		if p.Commit != "" {
			commit = ", commit " + p.Commit
		}
		f.add("package", in(Code, p.Path), commit, map[bool]string{true: ", with changes that are not committed"}[p.Dirty])
	}
	if s := r.Server; s != nil {
		f.add("content", s.Package)
		f.add("facts", s.Reader())
	}
	f.add("adapter", r.Adapter, map[bool]string{true: ", a changed answer ends an episode"}[r.Drift == record.DriftStrict])
	if r.Profile != nil {
		f.add("profile", r.Profile.String())
	}
	for _, line := range why.Agent(r) {
		f.add(line[0], line[1])
	}
	f.add("values", fmt.Sprintf("seed %d", r.Seed))
	f.add("web", r.Web.Mode)
	if h := r.Host; h.OS != "" {
		f.add("machine", fmt.Sprintf("%s/%s, %d CPUs, %s", h.OS, h.Arch, h.CPUs, h.Go))
	}
	f.add("harness", r.Harness.String())
	f.add("digest", r.Digest)
	name := url.PathEscape(r.RunID)
	f.whole("files", Part{Text: "Event log", Link: logOf(r)}, " · ", Part{Text: "JSON", Link: name + ".json"}, " · ",
		Part{Text: "Markdown", Link: name + ".md"}, " · ", Part{Text: "Canonical report", Link: name + ".canonical.json"})
	return f
}

// logOf is the address of the event log, from the folder of the reports.
func logOf(r *report.Report) string { return beside(report.EventsDir + "/" + r.RunID + ".jsonl") }

// shares is a bar of how the episodes ended. Those that are planned and did not end are left blank.
func shares(t report.Totals) Block {
	all, from := float64(max(t.Planned, t.Finished, 1)), 0.0
	var bars []Bar
	for _, part := range []struct {
		n    int
		tone Tone
	}{{t.Passed, Pass}, {t.Failed, Fail}, {t.Void, Void}} {
		if to := from + float64(part.n)/all; part.n > 0 {
			bars = append(bars, Bar{from, to, part.tone})
			from = to
		}
	}
	return say(Part{Bars: bars})
}

// causes says why episodes did not pass, the most frequent cause first.
func causes(r *report.Report) []Block {
	list := List{Max: maxCauses}
	for _, c := range why.Causes(r.Episodes) {
		cause(&list, c.Group, c.Episodes)
	}
	return section("Why episodes did not pass", list)
}

func cause(list *List, group string, all []*report.Episode) {
	first, ways := all[0], map[string]int{}
	for _, e := range all {
		ways[why.Line(e)]++
	}
	words := group
	if len(ways) == 1 {
		words = why.Line(first)
	}
	count := fmt.Sprintf("%d %s:", len(all), Status(first.Status, ""))
	under := list.add(linked(Tone(first.Status.Class()), count, address("cause", group)), " ", words, " – ", names(all))
	if len(ways) == 1 {
		return
	}
	most := func(a, b string) int { return cmp.Or(cmp.Compare(ways[b], ways[a]), strings.Compare(a, b)) }
	for i, why := range slices.SortedFunc(maps.Keys(ways), most) {
		if i == maxWhys {
			under.add("and ", len(ways)-i, " other ways")
			break
		}
		under.add(ways[why], "×: ", why)
	}
}

// names names episodes, with links. Those in which the same happened have one.
func names(all []*report.Episode) (t Text) {
	list := alike(all)
	for i, g := range list {
		if i == maxLinks {
			return append(t, Part{Text: fmt.Sprintf(" and %d more", len(list)-i)})
		}
		if i > 0 {
			t = append(t, Part{Text: ", "})
		}
		t = append(t, linked(Code, g.name(), toEpisode(g.Name)))
	}
	return t
}

// untrue counts the false successes and the unreported side effects, by tool and word.
func untrue(r *report.Report) []Block {
	all, _ := why.UntrueOf(r)
	list := List{Max: maxCauses}
	for _, u := range all {
		var links Text
		for i, e := range u.Episodes[:min(len(u.Episodes), maxLinks)] {
			if i > 0 {
				links = append(links, Part{Text: ", "})
			}
			links = append(links, linked(Code, e.Name, address("episode", e.Name, "step", fmt.Sprint(u.Steps[i]))))
		}
		if more := len(u.Episodes) - maxLinks; more > 0 {
			links = append(links, Part{Text: fmt.Sprintf(" and %d more", more)})
		}
		list.add(in(Strong, fmt.Sprintf("%d of %d×", u.N, u.Of)), " ", in(Code, u.Tool), ": ", u.Word, " – ", links)
	}
	return section("False successes and unreported side effects", list)
}

// policies are figures of policies, and their tables.
func policies(lines []string, tables []compare.Table) []Block {
	var list List
	for _, line := range lines {
		list.add(line)
	}
	legend := say("The script of a task does the thinking: they measure the server, not a model.")
	all := section("Figures of the policies", legend, list)
	for _, t := range tables {
		all = append(all, section(t.Title, plainTable(t.Header, t.Rows))...)
	}
	return all
}

// tasks has a row for each task. If there are many, the tasks that passed are folded.
func tasks(all []report.TaskFigures) []Block {
	header := []string{"task", "passed", "void", "95 % interval", "median", "p95", "steps", "calls", "errors",
		"changed answers", "tokens"}
	good, bad := Table{Header: header}, Table{Header: header}
	for _, t := range all {
		to := &good
		if t.Failed+t.Void > 0 || len(all) <= maxTasks {
			to = &bad
		}
		to.task(t)
	}
	blocks := []Block{bad, say(in(Faint, "Steps, calls, errors and tokens are means per episode, without void episodes. "+
		"A task whose episodes all ended alike has no interval."))}
	if n := len(good.Rows); n > 0 {
		title := say("All episodes passed of ", display.Count(n, "more task"))
		blocks = append(blocks, Section{Title: title, Folded: true, Blocks: []Block{good}})
	}
	return section("Tasks", blocks...)
}

func (t *Table) task(f report.TaskFigures) {
	n := f.Passed + f.Failed
	id := linked(Code, f.TaskID, address("task", f.TaskID))
	if n == 0 { // nothing is known of it
		t.add(id, "–", f.Void, "–", "–", "–", "–", "–", "–", f.ChangedAnswers, "–")
		return
	}
	passed, tone := say(fmt.Sprintf("%d of %d", f.Passed, n)), Pass
	if f.Failed > f.KnownDefects {
		tone, passed[0].Tone = Fail, Fail
	}
	if f.KnownDefects > 0 {
		passed = append(passed, Part{Text: ", known defect"})
	}
	t.add(id, passed, f.Void, interval(f.Interval, float64(f.Passed)/float64(n)), display.Duration(f.DurationP50),
		display.Duration(f.DurationP95), mean(f.Steps), mean(f.ToolCalls), mean(f.Errors), f.ChangedAnswers, mean(f.Tokens))
	t.Rows[len(t.Rows)-1].Tone = tone
}

// interval writes a range of a rate. Rounding never makes it 0 % or 100 %.
func interval(i *stats.Interval, rate float64) Text {
	if i == nil {
		return say("–")
	}
	const tiny = 1e-9
	low, high := display.Percent(math.Floor(100*i.Low+tiny), i.Low), display.Percent(math.Ceil(100*i.High-tiny), i.High)
	bars := []Bar{{i.Low, i.High, Faint}, {rate, rate, Plain}}
	return say(Part{Text: fmt.Sprintf("%g%% to %g%%", low, high), Bars: bars})
}

// tools says what the tools were called for, and what came of hints and errors.
func tools(r *report.Report) (blocks []Block) {
	f := &r.Figures
	var list List
	if f.Recovery.Of > 0 {
		list.add(f.Recovery.N, " of ", display.Count(f.Recovery.Of, "episode"), " with an error passed all the same")
	}
	for _, h := range f.Hints {
		list.add("Hint ", in(Code, h.Rule), ": ", h.Count, "×")
	}
	if list.Items != nil {
		blocks = append(blocks, list)
	}
	table := Table{Header: []string{"tool", "calls", "errors", "median", "p95", "tokens sent", "received", "per answer"}}
	calls, tokens := 0, 0
	for _, t := range f.Tools {
		calls, tokens = calls+t.Calls, tokens+t.ArgTokens+t.AnswerTokens
		each := math.Round(float64(t.AnswerTokens) / float64(max(t.Calls, 1)))
		table.add(linked(Code, t.Tool, address("tool", t.Tool)), t.Calls, t.Errors, display.Duration(t.P50),
			display.Duration(t.P95), t.ArgTokens, t.AnswerTokens, each)
	}
	if table.Rows == nil {
		return blocks
	}
	title := say("By tool: ", display.Count(len(f.Tools), "tool"), ", ", display.Count(calls, "call"), ", ",
		display.Count(tokens, "token"))
	legend := in(Faint, "Tokens of arguments (sent) and of answers (received) are counted with o200k_base.")
	return append(blocks, Section{Title: title, Folded: true, Blocks: []Block{table, say(legend)}})
}

// tallied is a list of what several episodes have in common, the most frequent first. of gives the keys of an
// episode, and words the text of a key.
func tallied(r *report.Report, title string, of func(*report.Episode) []string, words func(key string) Text) []Block {
	members := map[string][]*report.Episode{}
	var keys []string
	for _, e := range r.Episodes.All() {
		for _, key := range of(e) {
			if members[key] == nil {
				keys = append(keys, key)
			}
			members[key] = append(members[key], e)
		}
	}
	slices.SortStableFunc(keys, func(a, b string) int { return len(members[b]) - len(members[a]) })
	list := List{Max: maxCauses}
	for _, key := range keys {
		list.add(in(Strong, fmt.Sprintf("%d×", len(members[key]))), " ", words(key), " – ", names(members[key]))
	}
	return section(title, list)
}

// changedAnswers counts the answers that differ from the expected ones, whatever the status.
func changedAnswers(r *report.Report) []Block {
	return tallied(r, "Changed answers", func(e *report.Episode) (keys []string) {
		for _, d := range e.ChangedAnswers {
			keys = append(keys, d.Tool+"\x00"+d.Actual+"\x00"+d.Expected)
		}
		return keys
	}, func(key string) Text {
		d := strings.SplitN(key, "\x00", 3)
		return say(in(Code, d[0]), " answered ", in(Code, d[1]), ", expected ", in(Code, d[2]))
	})
}

// remarks shows what decided nothing and a person should know.
func remarks(r *report.Report) []Block {
	return tallied(r, "Remarks", func(e *report.Episode) []string {
		ended := ""
		if e.ServerEnded != "" {
			ended = "the server ended after its last answer: " + e.ServerEnded
		}
		all := []string{ended, e.Waited.Words(), e.PageMissing, strings.Join(e.Earlier(), "; ")}
		return slices.DeleteFunc(all, func(s string) bool { return s == "" })
	}, func(key string) Text { return say(key) })
}

// group are episodes of one task in which the same happened, by their digest. Its numbers are repetitions.
type group struct {
	*report.Episode // the first
	numbers         []int
	low, high       float64 // durations
}

// alike puts episodes in groups. Episodes without a digest stay alone.
func alike(all []*report.Episode) (list []*group) {
	at := map[string]*group{}
	for _, e := range all {
		key := e.TaskID + "\x00" + string(e.Status) + "\x00" + e.Digest
		g := at[key]
		if g == nil || e.Digest == "" {
			g = &group{Episode: e, low: e.DurationMs, high: e.DurationMs}
			at[key] = g
			list = append(list, g)
		}
		g.numbers = append(g.numbers, e.Repetition)
		g.low, g.high = min(g.low, e.DurationMs), max(g.high, e.DurationMs)
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

// took is how long they took.
func (g *group) took() string {
	low, high := display.Duration(g.low), display.Duration(g.high)
	if low == high {
		return low
	}
	return low + " to " + high
}

// episodes are those that did not pass, by task, and the others in one table.
func episodes(r *report.Report) []Block {
	var all []*report.Episode
	for _, e := range r.Episodes.All() {
		all = append(all, e)
	}
	var blocks []Block
	passed := Table{Header: []string{"episode", "steps", "calls", "errors", "changed answers", "no progress", "duration",
		"final URL"}}
	var others []*group
	n := 0
	for _, g := range alike(all) {
		if g.Status.Class() == record.Pass {
			passed.add(in(Code, g.name()), g.Steps, g.ToolCalls, g.OpenchromeErrors, len(g.ChangedAnswers), g.NoProgressEpisodes,
				g.took(), in(Code, g.FinalURL))
			n += len(g.numbers)
		} else {
			others = append(others, g)
		}
	}
	many := len(others) > maxOpen
	for len(others) > 0 {
		end := slices.IndexFunc(others, func(g *group) bool { return g.TaskID != others[0].TaskID })
		if end < 0 {
			end = len(others)
		}
		blocks = append(blocks, ofTask(r, others[:end], many)...)
		others = others[end:]
	}
	if passed.Rows != nil {
		title := say(display.Count(n, "episode"), " passed")
		blocks = append(blocks, Section{Title: title, Folded: true, Blocks: []Block{passed}})
	}
	if blocks == nil {
		return nil
	}
	return section("Episodes", blocks...)
}

// maxSummary is how many characters of a reason a folded episode shows. The list of causes has the whole.
const maxSummary = 160

// ofTask shows the episodes of a task that did not pass; behind one click if there are many.
func ofTask(r *report.Report, groups []*group, many bool) (blocks []Block) {
	n := 0
	for _, g := range groups {
		line := in(Code, display.Cut(why.Line(g.Episode), maxSummary))
		title := say(in(Code, g.name()), " ", Status(g.Status, string(g.Outcome)), ": ", line)
		d := Episode(r, g.Episode, View{})
		blocks = append(blocks, Section{Title: title, Link: toEpisode(g.Name), Folded: true, Blocks: d.Blocks})
		n += len(g.numbers)
	}
	if many {
		title := say(in(Code, groups[0].TaskID), ": ", display.Count(n, "episode"), " that did not pass")
		blocks = []Block{Section{Title: title, Folded: true, Blocks: blocks}}
	}
	return blocks
}
