package page

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/tell/why"
	"github.com/openchrome/bench/harness/internal/text/display"
	"github.com/openchrome/bench/harness/internal/text/regular"
)

// View says how an episode is shown. The zero value is for a document that also has the others.
type View struct {
	Alone bool   // it names the run
	Out   string // the folder of the run, for commands and paths; empty: the current one
	Pages string // the folder below which pages are read that the run kept; empty: the document links to them
}

// said is the name of the line with what a server said.
const said = "said"

// Episode is the document of an episode: why it did not pass, its contract, its steps, its last page, and how
// to run it again.
func Episode(r *report.Report, e *report.Episode, v View) Document {
	class := Tone(e.Status.Class())
	word := words[e.Status.Class()]
	verdict := strings.ToUpper(word) + strings.TrimPrefix(Status(e.Status, string(e.Outcome)), word)
	var story Facts
	for _, line := range why.Story(e) {
		story.Add(line[0], line[1])
	}
	kept, shots := v.kept(e)
	untold := why.Untold(e)
	if len(e.Calls) == 0 {
		untold = "none: no call was made"
	}
	var commands List
	if !v.Alone {
		commands.Add(In(Box, show(r, e, v.Out)))
	}
	for _, command := range why.Again(r, e, v.Out) {
		commands.Add(In(Box, command))
	}
	hint := ""
	if r.Server != nil && !slices.Contains([]string{"standin", "local", "container"}, r.Server.Launcher) {
		hint = "if the server's name alone does not start it, add the options of the run"
	}
	d := Document{Name: e.Name, Tone: class, Verdict: Say(In(class, verdict), "  ", e.Name)}
	d.Blocks = slices.Concat([]Block{Say(why.Line(e)), story, Text{}, particulars(r, e, v)},
		section("Contract", Contract(e)), section("Steps", Say(In(Faint, untold)), steps(e, shots)),
		section("Page at the end", kept), section("Run it again", commands, Say(In(Faint, hint))))
	return d
}

// particulars are the task, what the episode needed, and what else is known of it.
func particulars(r *report.Report, e *report.Episode, v View) (f Facts) {
	f.Add("task", e.Title)
	for _, t := range r.Tasks {
		if t.ID == e.TaskID {
			f.whole("goal", t.Goal)
			f.whole("start", t.StartURL)
		}
	}
	f.whole("tags", strings.Join(e.Tags, ", "))
	if v.Alone {
		f.Add("run", r.RunID, ", ", r.Server.Brief())
	}
	took := []string{
		fmt.Sprintf("%s of at most %d", display.Count(e.Steps, "step"), e.MaxSteps), display.Count(e.ToolCalls, "call"),
		display.Count(e.OpenchromeErrors, "error"), display.Count(len(e.ChangedAnswers), "changed answer"),
		display.Count(e.Tokens(), "token"),
	}
	if n := e.NoProgressEpisodes; n > 0 {
		took = append(took, display.Times(n)+" without progress")
	}
	most := display.Duration(float64(e.MaxDurationMs))
	f.Add("took", strings.Join(took, ", "), ", ", display.Duration(e.DurationMs), " of at most ", most)
	f.Add("ended at", In(Code, e.FinalURL))
	f.Add("note", e.ServerEnded)
	f.Add("note", e.Waited.Words())
	f.Add("earlier", strings.Join(e.Earlier(), "; "))
	f.whole("log", Part{Text: "Event log of the run", Link: logOf(r)})
	return f
}

// Contract says what became of each part of the contract of an episode.
func Contract(e *report.Episode) (l List) {
	for i, n := range why.Checks(e) {
		l.check(e, fmt.Sprint(i+1), n)
	}
	return l
}

// check says what became of a part of the contract.
func (l *List) check(e *report.Episode, number string, n *judge.Node) {
	under := l
	switch n.Verdict {
	case judge.Pass:
		l.Add(In(Pass, "holds"), " ", number, " ", n.Expected)
		return
	case judge.Fail:
		under = l.Add(In(Fail, "FAILED"), " ", number, " expected: ", n.Expected)
	case judge.Inconclusive:
		under = l.Add(In(Void, "?"), " ", number, " cannot be judged: ", n.Expected)
	default:
		words := " not judged: " + n.Expected
		switch {
		case n.Would == judge.Pass:
			words = " not judged, would hold: " + n.Expected
		case n.Would != "" && n.Words != "":
			words = " not judged, would fail: " + n.Words
		}
		l.Add(In(Faint, "- "+number+words))
		return
	}
	if n.Observed != "" {
		under.Add("observed: ", In(Code, n.Observed))
	}
	if note := why.Note(n); note != "" {
		under.Add(note)
	}
	if f := e.FailedContract; f != nil && f.Path == n.Path {
		if under.Add(In(Faint, n.Kind+" "+n.Path)); f.TextPreview != nil {
			under.Add("text on the page: ", In(Code, *f.TextPreview))
		}
	}
	for i := range n.Children {
		under.check(e, fmt.Sprintf("%s.%d", number, i+1), &n.Children[i])
	}
}

// steps are what was asked, said and done. shots are the screenshots after steps.
func steps(e *report.Episode, shots map[int]string) (all Steps) {
	d := why.Diagnose(e)
	for i := range e.Calls {
		c := &e.Calls[i]
		s := Step{Number: c.Step, Tool: c.Tool, Args: c.Args, Took: c.DurationMs}
		if c == d.Call && !e.Success {
			s.Wrong = d.Because
		}
		s.flags(c)
		s.lines(e, c, shots[c.Step])
		s.Open = s.Wrong != "" || len(e.Calls) == 1 || e.Success && s.Flags != nil
		all = append(all, s)
	}
	return all
}

func (s *Step) flags(c *report.Call) {
	s.Did = In(Plain, why.Did(c))
	switch {
	case c.Failure != "":
		s.Flags = append(s.Flags, In(Fail, "no answer"))
	case c.Error:
		s.Flags = append(s.Flags, In(Fail, "error"))
	}
	switch {
	case c.Untrue():
		for _, is := range []string{record.FalseSuccess, record.UnreportedSide} {
			if c.Has(is) {
				s.Flags = append(s.Flags, In(Fail, is))
			}
		}
	case !c.Error && slices.ContainsFunc(c.Parts, func(p record.Part) bool { return p.Word == record.Refused }):
		s.Flags = append(s.Flags, In(Fail, "says what failed"))
	case slices.ContainsFunc(c.Parts, why.IsOther): // and the answer says so
		s.Flags = append(s.Flags, In(Fail, "not as asked"))
	default:
		return
	}
	s.Did.Tone = Fail
}

func (s *Step) lines(e *report.Episode, c *report.Call, shot string) {
	f := &s.Lines
	switch {
	case c.Omitted:
		f.Add(said, In(Faint, "the texts were left out: the run has too many"))
	case c.Failure != "":
		f.Add(said, In(Fail, "no answer:"), " ", In(Code, c.Failure))
	case c.Error:
		f.Add(said, In(Fail, "error:"), " ", In(Code, c.Answer))
	default:
		*f = append(*f, Fact{Name: said, Text: Say(In(Code, c.Answer))})
	}
	f.Add("says", In(Code, c.Partial)) // whatever a writer cuts of the answer
	for _, d := range e.ChangedAnswers {
		if d.Step == c.Step {
			at := In(Faint, " ("+d.At+")")
			f.Add("changed answer", "expected ", In(Code, d.Expected), ", got ", In(Code, d.Actual), at)
			s.Flags = append(s.Flags, In(Void, "changed answer"))
		}
	}
	for _, line := range why.Step(c) {
		f.Add("did", In(Fail, line[0]), map[bool]string{true: " "}[line[0] != ""], line[1])
	}
	for i := range c.Requests {
		f.Add("sent", In(Code, why.Sent(&c.Requests[i])))
	}
	for _, row := range why.Unmet(e, c) {
		f.Add("wanted", In(Code, row[0]+" "+row[1]+", got "+row[2]))
	}
	if c.Hint != "" {
		f.Add("hint", c.Hint, ": ", In(Code, c.HintText))
	}
	if t := c.Trace; t != nil {
		for _, field := range t.Changed {
			was, is := In(Code, cmp.Or(field.Was, "(empty)")), In(Code, cmp.Or(field.Value, "(empty)"))
			f.whole("field", In(Code, field.Words()), ": before ", was, ", after ", is)
		}
		events := slices.Clone(t.Heard)
		for _, lost := range append(slices.Clone(t.Lost), t.Missing) {
			if lost != "" {
				events = append(events, "not known: "+lost)
			}
		}
		f.whole("events", In(Box, strings.Join(events, "\n")))
	}
	if shot != "" {
		s.Shot = Part{Text: fmt.Sprintf("Screenshot after step %d", c.Step), Image: shot, Link: beside(shot)}
	}
	f.whole("tokens", fmt.Sprintf("%d of arguments, %d of the answer", c.ArgTokens, c.AnswerTokens))
}

// few is how many lines of a kind are shown in brief.
const few = 3

// kept is what is known of the page at the end of an episode, and the screenshots after its steps.
func (v View) kept(e *report.Episode) (f Facts, shots map[int]string) {
	f.Add("not kept", e.PageMissing)
	if e.Page == "" {
		return f, nil
	}
	folder := path.Clean(e.Page)
	shown := filepath.Join(v.Out, filepath.FromSlash(folder))
	f.Add("folder", Part{Text: shown, Tone: Code, Link: beside(folder + "/")})
	if v.Pages == "" {
		return f, nil
	}
	root, err := record.OpenPage(filepath.Join(v.Pages, report.EventsDir), folder)
	if err != nil {
		f.Add("missing", fmt.Sprintf("%s cannot be read: %v", filepath.Join(shown, record.PageFile), err))
		return f, nil
	}
	defer root.Close()
	var page struct { // as harness/internal/drive/observer writes it
		URL, Title, Text  string
		Dialogs           []record.Dialog
		Console, Requests []string
		Missing           string
	}
	raw, err := regular.ReadIn(root, record.PageFile, record.MaxPage)
	if err = cmp.Or(err, json.Unmarshal(raw, &page)); err != nil {
		f.Add("missing", fmt.Sprintf("%s cannot be read: %v", filepath.Join(shown, record.PageFile), err))
	}
	f.Add("address", In(Code, page.URL))
	f.Add("title", In(Code, page.Title))
	var dialogs []string
	for _, d := range page.Dialogs {
		dialogs = append(dialogs, d.Kind+": "+d.Message)
	}
	lines := func(name string, all []string) {
		for i, line := range all {
			f = append(f, Fact{name, Say(In(Code, line)), i >= few})
		}
	}
	lines("dialog", dialogs)
	lines("console", page.Console)
	lines("request", page.Requests)
	f.Add("missing", page.Missing)
	shots = map[int]string{}
	for _, c := range e.Calls {
		if isPicture(root, record.StepShot(c.Step)) {
			shots[c.Step] = folder + "/" + record.StepShot(c.Step)
		}
	}
	if isPicture(root, record.ShotFile) {
		name := folder + "/" + record.ShotFile
		if last := len(e.Calls) - 1; last >= 0 && shots[e.Calls[last].Step] == "" {
			shots[e.Calls[last].Step] = name
		}
		f.Add("screenshot", Part{Text: filepath.Join(shown, record.ShotFile), Link: beside(name), Image: name})
	}
	f.Add("text", In(Box, page.Text))
	return f, shots
}

// beside is the address of a file of the run, from the folder of its reports.
func beside(name string) string { return "../" + (&url.URL{Path: name}).EscapedPath() }

func isPicture(root *os.Root, name string) bool {
	info, err := root.Lstat(name)
	return err == nil && info.Size() > 0 && info.Mode().IsRegular()
}
