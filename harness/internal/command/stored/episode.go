package stored

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/internal/command/program"
	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/option"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/explain"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/text/display"
	"github.com/openchrome/bench/harness/internal/text/regular"
)

// showEpisode prints one episode: why it did not pass, its contract, its steps, where it
// went another way than one that passed, its last page, and how to run it again.
func showEpisode(ctx context.Context, o option.Values, r *report.Report) error {
	e, err := find(r, o.Episode)
	if err != nil {
		return program.Usage(err)
	}
	s := screen{Paint: program.PaintFor(o.Stdout)}
	s.verdict(r, e)
	s.contract(e)
	passed := passedLike(ctx, o, r, e)
	parted := passed.parted(e)
	s.steps(r, e, parted)
	s.compared(e, string(taskOf(r, e.TaskID).Contract), passed, parted)
	s.page(o.Out, e)
	s.section("run it again")
	for _, command := range explain.Again(r, e, o.Out) {
		s.line("  %s", command)
	}
	if r.Server != nil && !slices.Contains([]string{"standin", "local", "container"}, r.Server.Launcher) {
		s.line("  %s", s.Faint("if the server's name alone does not start it, add the options of the run"))
	}
	_, err = fmt.Fprint(o.Stdout, s.String())
	return err
}

// maxListed is how many episodes an error names.
const maxListed = 10

// find returns the episode with a name. The name of a task stands for its first episode that
// did not pass, else its first.
func find(r *report.Report, name string) (*report.Episode, error) {
	var names, failed []string
	var ofTask *report.Episode
	for _, e := range r.Episodes.All() {
		if e.Name == name {
			return e, nil
		}
		if e.TaskID == name && (ofTask == nil || ofTask.Success && !e.Success) {
			ofTask = e
		}
		names = append(names, e.Name)
		if !e.Success {
			failed = append(failed, display.Visible(e.Name))
		}
	}
	if ofTask != nil {
		return ofTask, nil
	}
	which := "all its episodes passed"
	if n := len(failed); n > 0 {
		which = "these did not pass: " + strings.Join(failed[:min(n, maxListed)], ", ")
		if n > maxListed {
			which += fmt.Sprintf(" and %d more", n-maxListed)
		}
	}
	if len(names) == 0 {
		which = "none of its episodes has ended"
	}
	return nil, fmt.Errorf("run %s has no episode %s (%s)%s", display.Visible(r.RunID), display.Quote(name), which, display.DidYouMean(name, names))
}

// screen is what a person sees. Every text that is not ours goes through package display.
type screen struct {
	program.Paint
	strings.Builder
}

func (s *screen) line(format string, args ...any) { fmt.Fprintf(&s.Builder, format+"\n", args...) }

func (s *screen) section(title string) { s.line("\n%s", s.Faint(title)) }

// maxShown is how many characters of a text a line shows, maxWrong at the step that matters.
const (
	maxShown = 110
	maxWrong = 600
)

func (s *screen) verdict(r *report.Report, e *report.Episode) {
	class := e.Status.Class()
	word := strings.ToUpper(string(class))
	if class != record.Void {
		word += "ED"
	}
	if e.Outcome != "" && class != record.Pass {
		word += " (" + display.Visible(string(e.Outcome)) + ")"
	} else if string(e.Status) != "passed" && string(e.Status) != "failed" {
		word += " (" + display.Visible(strings.ReplaceAll(string(e.Status), "_", " ")) + ")"
	}
	s.line("%s  %s", s.Class(class, word), display.Visible(e.Name))
	if why := explain.Why(e); why != "" {
		s.line("%s", display.Visible(why))
	}
	s.line("")
	for _, row := range [][2]string{
		{"task", e.Title}, {"run", r.RunID + ", " + r.Server.Words()},
		{"took", fmt.Sprintf("%s of at most %d, %s, %s, %s of at most %s", display.Count(e.Steps, "step"), e.MaxSteps,
			display.Count(e.OpenchromeErrors, "error"), display.Count(len(e.ChangedAnswers), "changed answer"), display.Duration(e.DurationMs), display.Duration(float64(e.MaxDurationMs)))},
		{"ended at", e.FinalURL}, {"note", e.ServerEnded}, {"note", e.ServerFacts}, {"note", e.Waited.Words()}, {"earlier", strings.Join(e.Earlier(), "; ")},
	} {
		if row[1] != "" {
			s.line("%-9s%s", row[0], display.VisibleTo(row[1], 2*maxShown))
		}
	}
}

func (s *screen) contract(e *report.Episode) {
	checks := explain.Checks(e)
	if len(checks) == 0 {
		return
	}
	s.section("contract")
	for i, n := range checks {
		s.check(fmt.Sprint(i+1), n, "  ")
	}
}

func (s *screen) check(number string, n *judge.Node, indent string) {
	switch verdict := n.Verdict; {
	case verdict == judge.Pass:
		s.line("%s%s %s %s", indent, s.Class(record.Pass, "holds "), number, n.Expected)
		return
	case verdict == judge.Fail:
		s.line("%s%s %s expected: %s", indent, s.Class(record.Fail, "FAILED"), number, n.Expected)
	case verdict == judge.Inconclusive:
		s.line("%s%s %s cannot be judged: %s", indent, s.Class(record.Void, "?     "), number, n.Expected)
	case n.Would == judge.Pass:
		s.line("%s%s", indent, s.Faint("-      "+number+" not judged, would hold: "+n.Expected))
		return
	case n.Would != "" && n.Words != "":
		s.line("%s%s %s", indent, s.Faint("-      "+number+" not judged, would fail:"), n.Words)
		return
	default:
		s.line("%s%s", indent, s.Faint("-      "+number+" not judged: "+n.Expected))
		return
	}
	under := indent + strings.Repeat(" ", 8+len(number))
	if n.Observed != "" {
		s.line("%sobserved: %s", under, display.VisibleTo(n.Observed, 2*maxShown))
	}
	if n.Note != "" {
		s.line("%s%s", under, n.Note)
	}
	for i := range n.Children {
		s.check(fmt.Sprintf("%s.%d", number, i+1), &n.Children[i], indent+"  ")
	}
}

// Steps that a screen shows without the ones between: the first and last few, and the ones
// around those that matter.
const (
	maxSteps   = 16
	atTheEnds  = 2
	aroundThem = 3
)

func (s *screen) steps(r *report.Report, e *report.Episode, parted int) {
	s.section("steps")
	if untold := explain.Untold(e); untold != "" {
		s.line("  %s", s.Faint(display.Visible(untold)))
	}
	wrong, why := explain.WrongStep(e)
	if e.Success {
		wrong = nil
	}
	at := slices.IndexFunc(e.Calls, func(c report.Call) bool { return wrong != nil && c.Step == wrong.Step })
	left := 0
	for i := range e.Calls {
		near := func(j int) bool { return j >= 0 && i >= j-aroundThem && i <= j+aroundThem }
		if len(e.Calls) > maxSteps && i >= atTheEnds && i < len(e.Calls)-atTheEnds && !near(at) && !near(parted) {
			left++
			continue
		}
		if left > 0 {
			s.line("      %s", s.Faint(fmt.Sprintf("… %s …", display.Count(left, "more step"))))
			left = 0
		}
		if i == at {
			s.step(e, &e.Calls[i], why)
		} else {
			s.step(e, &e.Calls[i], "")
		}
	}
	if len(e.Calls) == 0 {
		s.line("  none: no call was made")
	}
}

// step shows a call. why says why it is the one to look at, or is empty.
func (s *screen) step(e *report.Episode, c *report.Call, why string) {
	limit, mark := maxShown, "  "
	if why != "" {
		limit, mark = maxWrong, s.Class(record.Fail, "> ")
	}
	took := s.Faint(display.Duration(c.DurationMs))
	if why != "" {
		took += "  " + s.Class(record.Fail, why)
	}
	s.line("%s%3d %s %s  %s", mark, c.Step, display.Visible(c.Tool), display.VisibleTo(c.Args, limit), took)
	switch {
	case c.Omitted:
		s.line("      %s", s.Faint("the texts were left out: the run has too many"))
	case c.Failure != "":
		s.line("      %s %s", s.Class(record.Fail, "no answer:"), display.VisibleTo(c.Failure, limit))
	case c.Error:
		s.line("      %s %s", s.Class(record.Fail, "error:"), display.VisibleTo(c.Answer, limit))
	default:
		s.line("      %s", display.VisibleTo(c.Answer, limit))
	}
	for _, d := range e.ChangedAnswers {
		if d.Step == c.Step {
			s.line("      %s expected %s %s", s.Class(record.Void, "changed answer:"), display.VisibleTo(d.Expected, maxWrong), s.Faint("("+display.Visible(d.At)+")"))
		}
	}
	for _, line := range explain.Step(c) {
		line = display.VisibleTo(line, maxWrong)
		for _, begin := range explain.Untruths {
			if rest, ok := strings.CutPrefix(line, begin); ok {
				line = s.Class(record.Fail, begin) + rest
			}
		}
		s.line("      %s %s", s.Faint("did "), line)
	}
	for i := range c.Requests {
		s.line("      %s %s", s.Faint("sent"), display.VisibleTo(explain.Sent(&c.Requests[i]), maxWrong))
	}
	for _, row := range explain.Unmet(e, c) {
		s.line("      %s %s", s.Faint("wanted"), display.VisibleTo(row[0]+" "+row[1]+", got "+row[2], maxWrong))
	}
	if c.Hint != "" {
		s.line("      %s", s.Faint("hint "+display.Visible(c.Hint)+": "+display.VisibleTo(c.HintText, limit)))
	}
}

func (s *screen) page(out string, e *report.Episode) {
	if e.Page == "" && e.PageMissing == "" {
		return
	}
	s.section("page at the end")
	if e.PageMissing != "" {
		s.line("  %s", display.VisibleTo(e.PageMissing, 2*maxShown))
		return
	}
	dir := filepath.Join(out, filepath.FromSlash(e.Page))
	kept, err := record.OpenPage(filepath.Join(out, report.EventsDir), e.Page)
	if errors.Is(err, fs.ErrNotExist) {
		s.line("  %s no longer exists", display.Visible(dir))
		return
	}
	var raw []byte
	if err == nil {
		defer kept.Close()
		raw, err = regular.ReadIn(kept, record.PageFile, record.MaxPage)
	}
	if err != nil {
		s.line("  %s cannot be read: %s", display.Visible(filepath.Join(dir, record.PageFile)), display.Short(err.Error()))
		return
	}
	var page struct {
		Title, Text, Missing string
		Console, Requests    []string
	}
	if err := json.Unmarshal(raw, &page); err != nil {
		page.Missing = "page.json is damaged"
	}
	if _, err := kept.Lstat(record.ShotFile); err == nil {
		s.line("  screenshot  %s", display.Visible(filepath.Join(dir, record.ShotFile)))
	} else if !errors.Is(err, fs.ErrNotExist) {
		s.line("  screenshot  %s", display.Visible(err.Error()))
	}
	s.line("  all of it   %s", display.Visible(filepath.Join(dir, record.PageFile)))
	s.line("  title       %s", display.Short(page.Title))
	s.line("  text        %s", display.Line(page.Text, 2*maxShown))
	const few = 3
	for _, list := range []struct {
		what  string
		lines []string
	}{{"console", page.Console}, {"request", page.Requests}} {
		for _, line := range list.lines[:min(few, len(list.lines))] {
			s.line("  %-11s %s", list.what, display.VisibleTo(line, maxShown))
		}
	}
	if page.Missing != "" {
		s.line("  missing     %s", display.VisibleTo(page.Missing, maxShown))
	}
}
