// Package author helps to write the transcript of a task: it shows what each step saw, and
// accepts the answers of a run as the expected ones. It makes no report.
package author

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/command/program"
	"github.com/openchrome/bench/harness/internal/command/run"
	"github.com/openchrome/bench/harness/internal/drive/facts"
	"github.com/openchrome/bench/harness/internal/drive/policy"
	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/option"
	"github.com/openchrome/bench/harness/internal/read/transcript"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/page"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/tell/why"
	"github.com/openchrome/bench/harness/internal/text/display"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
	"github.com/openchrome/bench/harness/internal/text/regular"
)

// Try runs one task and shows each step: the call, what the server said, what a next call could name on the page,
// and where the contract stands. At the end it shows the episode as report:show does. It looks at the page between
// the steps, so that each call finds a settled page, and a dialog that stays open is dismissed. It writes no
// report. With -drift=accept it shows no step, but accepts the answers.
func Try(ctx context.Context, o run.Options) error {
	accepts := o.Drift == option.Accept
	if accepts && o.Tasks == "" {
		return program.Usage(errors.New("-drift: name the folder of the task, as in -tasks=my-tasks; in the project's own folder -tasks=fixtures"))
	}
	if o.Policy != "" {
		if accepts || strings.Contains(o.Policy, ",") || o.Policy == policy.All {
			return program.Usage(errors.New("-policy: name one policy, as in -policy=form, without -drift=accept"))
		}
		o.Adapter = policy.Prefix + o.Policy
		o.Found = func(f policy.Found) { found(o.Stdout, f) }
	}
	o, err := o.WithDefaults()
	if err != nil {
		return err
	}
	o.RunID = "not-stored" // as the document names it
	if err := o.OneTask(); err != nil {
		return err
	}
	ctx, stop := program.Interruptible(ctx, false)
	defer stop()
	stage, err := run.OpenStage(ctx, o, func(line string) { fmt.Fprintln(o.Stderr, line) })
	if err != nil {
		return err
	}
	defer func() {
		if err := stage.Close(); err != nil {
			fmt.Fprintln(o.Stderr, "warning:", display.Visible(err.Error()))
		}
	}()
	t := &trial{Options: o, ctx: ctx, stage: stage, task: stage.Tasks[0], answers: make(map[int]adapter.Result)}
	if accepts {
		return t.accept()
	}
	program.Print(t.Stdout, page.Say(t.task.Title), page.List{Items: []page.Item{{Text: page.Say("  ", t.task.Goal)}}})
	last, err := t.play(func(s session.Session, replay adapter.Adapter) adapter.Adapter {
		return &viewer{trial: t, source: facts.SourceOf(s), replay: replay}
	})
	if err != nil {
		return err
	}
	r, err := stage.Report(ctx, t.events)
	if err != nil {
		return err
	}
	d := page.Episode(r, r.Episodes.At(0), page.View{Alone: true, Out: o.Out})
	program.Print(t.Stdout, append([]page.Block{page.Text{}}, d.Blocks...)...)
	return t.verdict(last)
}

type trial struct {
	run.Options
	ctx   context.Context
	stage *run.Stage
	task  transcript.Prepared
	// answers are the answers of an episode by their step: 1 for the first line.
	answers map[int]adapter.Result
	events  []record.Event // of the episode
}

// play runs the episode, with the adapter that view makes of the one that replays the
// transcript. It keeps the answers.
func (t *trial) play(view func(session.Session, adapter.Adapter) adapter.Adapter) (*record.Stop, error) {
	events, _, err := t.stage.Play(t.ctx, t.task, func(s session.Session) adapter.Factory {
		replay, err := t.task.Adapter()
		if err == nil && s != nil {
			replay = view(s, replay)
		}
		return func() (adapter.Adapter, error) { return replay, err }
	})
	if err != nil {
		return nil, err
	}
	t.events = events
	var stop *record.Stop
	for _, e := range events {
		switch b := e.Body.(type) {
		case *record.ToolResult:
			if b.Step > 0 && b.Failure == "" {
				t.answers[b.Step] = b.Result
			}
		case *record.Stop:
			stop = b
		}
	}
	return stop, nil
}

// verdict prints how the episode ended, and returns the error for its exit code.
func (t *trial) verdict(stop *record.Stop) error {
	fmt.Fprintln(t.Stdout)
	text := strings.ToUpper(string(stop.Status))
	if ended := why.Ended(stop); ended != "" {
		text += ": " + display.VisibleTo(ended, 500)
	}
	code := map[record.Class]int{record.Fail: program.ExitFailed, record.Void: program.ExitVoid}[stop.Status.Class()]
	if code == 0 || stop.End == record.EndUnsupported && stop.Steps == 0 { // a known defect
		fmt.Fprintln(t.Stdout, text)
		return nil
	}
	return &program.ExitError{Code: code, Err: errors.New(text)}
}

// viewer shows each step after its answer, and lets the replay decide the next.
type viewer struct {
	*trial
	source facts.Source
	replay adapter.Adapter
	asked  time.Time // when the last call was decided
}

// Next implements [adapter.Adapter].
func (v *viewer) Next(ctx context.Context, s adapter.State) (adapter.Decision, error) {
	v.show(ctx, s)
	v.asked = time.Now()
	return v.replay.Next(ctx, s)
}

func found(w io.Writer, f policy.Found) {
	is := page.In(page.Fail, "NOT FOUND")
	if f.Is != "" {
		is = page.In(page.Plain, "found "+f.Is)
	}
	var list page.List
	under := list.Add(f.Intent.At, ": ", f.Intent.Verb, " ", display.Quote(f.Intent.Text), ": ", is)
	for _, other := range f.Others {
		under.Add("the same name has ", other)
	}
	program.Print(w, page.Text{}, list)
}

func (v *viewer) show(ctx context.Context, s adapter.State) {
	n := len(s.Steps) - 1
	step := s.Steps[n]
	name := fmt.Sprintf("step %d", n)
	if n > 0 && n <= len(v.task.Lines) {
		name += ", " + v.task.Lines[n-1].Expect.At
	}
	var list page.List
	v.answer(&list, step, n)
	v.page(ctx, &list, s.TabID)
	title := page.Say(name, ": ", step.Call.Tool, " ", string(step.Call.Args))
	program.Print(v.Stdout, page.Section{Title: title, Blocks: []page.Block{list}})
}

// maxLines is how many lines of an answer are shown.
const maxLines = 100

func some(list *page.List, lines []string, what string) {
	for _, line := range lines[:min(len(lines), maxLines)] {
		list.Add(line)
	}
	if more := len(lines) - maxLines; more > 0 {
		list.Add("and ", display.Count(more, "more "+what))
	}
}

func (v *viewer) answer(list *page.List, step adapter.Step, n int) {
	title := page.In(page.Plain, "answer")
	if step.Result.IsError() {
		title = page.In(page.Fail, "answer (an error)")
	}
	under := list.Add(title)
	some(under, strings.Split(strings.TrimSpace(step.Result.Text()), "\n"), "line")
	if n == 0 || n > len(v.task.Lines) {
		return
	}
	line := v.task.Lines[n-1]
	if d := line.Expect.Drift(step.Result); d != nil {
		under.Add(page.In(page.Void, "CHANGED ANSWER:"), " expected ", d.Expected)
	}
	saved := line.Saved(step.Result.Text())
	for _, name := range slices.Sorted(maps.Keys(saved)) {
		under.Add("saved ", name, ": ", display.QuoteTo(saved[name], 200))
	}
}

// settleLimit is how long a page may take to settle before it is shown as it is.
const settleLimit = 3 * time.Second

// page shows the address of the page and where the contract stands.
func (v *viewer) page(ctx context.Context, list *page.List, tab string) {
	c := v.task.Success.Live()
	request := facts.Request{Needs: c.Needs(), TabID: tab, Last: v.asked, LiveWeb: v.Web == option.Live}
	reading, err := v.source.Read(ctx, request)
	for deadline := time.Now().Add(settleLimit); err == nil && !reading.Settled && time.Now().Before(deadline); {
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
		}
		reading, err = v.source.Read(ctx, request)
	}
	if err != nil {
		list.Add("page: ", err)
		return
	}
	if f := reading.Facts; f.URL != nil {
		list.Add("page ", *f.URL)
	}
	in := judge.Input{
		Facts: reading.Facts, Provenance: judge.Provenance{TargetID: tab}, SessionID: facts.SessionID,
		Now: time.Now(), Classes: v.task.Classes, ClassesDir: facts.ClassesDir(),
	}
	j := judge.Judge(c, in)
	tree := judge.Explain(c, in, j)
	list.Add("contract: ", j.Verdict).Items = page.Contract(&report.Episode{Tree: &tree}).Items
}

// accept plays the task and writes its answers into the transcript, as the answers
// that later runs expect: whether each is an error, and a short text of it. It prints the
// lines that it changes, and leaves a line alone whose answer is as expected. Nothing is
// accepted if the contract does not hold.
func (t *trial) accept() error {
	stop, err := t.play(func(_ session.Session, replay adapter.Adapter) adapter.Adapter { return replay })
	if err != nil {
		return err
	}
	if stop.Status != record.Passed {
		fmt.Fprintln(t.Stdout, "nothing was accepted: the contract must hold; without -drift=accept, task:try shows each step")
		return t.verdict(stop)
	}
	return t.write()
}

func (t *trial) write() error {
	name, _, _ := strings.Cut(t.task.Lines[0].Expect.At, ":")
	file := filepath.Join(t.Tasks, t.task.ID, name)
	data, err := regular.Read(file, jsonfile.MaxSize)
	if err != nil {
		return err
	}
	lines := strings.SplitAfter(string(data), "\n")
	changed := 0
	for i, line := range t.task.Lines {
		answer, ok := t.answers[i+1]
		if !ok {
			continue
		}
		_, number, _ := strings.Cut(line.Expect.At, ":")
		at, err := strconv.Atoi(number)
		if err != nil || at < 1 || at > len(lines) {
			return fmt.Errorf("%s: no line %s", file, line.Expect.At)
		}
		if old := lines[at-1]; line.Expect.IsError == nil && line.Expect.Contains == nil || line.Expect.Drift(answer) != nil {
			lines[at-1] = withExpect(old, t.expect(answer))
			fmt.Fprintf(t.Stdout, "%s:%d\n- %s\n+ %s\n", file, at, display.Visible(strings.TrimSpace(old)), display.Visible(strings.TrimSpace(lines[at-1])))
			changed++
		}
	}
	if changed == 0 {
		fmt.Fprintln(t.Stdout, "nothing to accept: all answers are as expected")
		return nil
	}
	if err := regular.WriteFile(t.Tasks, filepath.Join(t.task.ID, name), []byte(strings.Join(lines, ""))); err != nil {
		return err
	}
	fmt.Fprintf(t.Stdout, "accepted %s in %s\n", display.Count(changed, "answer"), file)
	return nil
}

// expectation is the "expect" of a line.
type expectation struct {
	IsError  bool     `json:"isError"`
	Contains []string `json:"contains,omitempty"`
}

func (t *trial) expect(answer adapter.Result) expectation {
	e := expectation{IsError: answer.IsError()}
	if text := sample(answer.Text(), t.task.Values.All()); text != "" {
		e.Contains = []string{text}
	}
	return e
}

// withExpect returns a line of a transcript with another "expect". Its other bytes stay.
func withExpect(line string, e expectation) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.Encode(e) // it holds only a bool and texts
	expect := strings.TrimSpace(b.String())
	expect = strings.NewReplacer(`{"isError":`, `{"isError": `, `,"contains":`, `, "contains": `).Replace(expect)
	root := jsonfile.Loose("line", []byte(line)).Value()
	if old := root.Get("expect"); old != nil {
		return line[:old.Offset] + expect + line[old.End:]
	}
	return strings.TrimRight(line[:root.End-1], " ") + `, "expect": ` + expect + line[root.End-1:]
}

// lasting matches what an answer says on all servers and versions: an action that worked, up
// to a ref or a place, or the main heading of a page. 60 characters are enough to see that an answer changed.
var lasting = regexp.MustCompile(`(?m)^✓ [^\[(★\n]{1,60}|<h1\b[^\n]{1,60}`)

// sample returns a text that later answers should contain; "" if there is none. It has no
// drawn value, because another seed has another one.
func sample(answer string, drawn []string) string {
	text := strings.TrimSpace(lasting.FindString(answer))
	if slices.ContainsFunc(drawn, func(value string) bool { return len(value) > 1 && strings.Contains(text, value) }) {
		return ""
	}
	return text
}
