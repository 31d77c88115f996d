// Package suitecheck proves the tasks of a suite: that the right way passes, and that
// nothing else does.
//
//  1. [Run] reads the tasks and starts the subject (suite.go).
//  2. Each check is a row of the table in check.go. It says which episodes it needs, and
//     reads them. Checks that need the same episode share it (play.go).
//  3. mutants.go, wander.go and forge.go make the wrong episodes; text.go reads what tasks
//     say.
//  4. signoff.go reads the checks.json of a task, which signs off what cannot be mended.
//
// The checks use the judgement of the last page, and never the status of an episode or the
// answers that a transcript expects, so that a refused call proves nothing.
package suitecheck

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/display"
	"github.com/openchrome/bench/harness/event"
	"github.com/openchrome/bench/harness/internal/program"
	"github.com/openchrome/bench/harness/internal/run"
	"github.com/openchrome/bench/harness/internal/task"
	"github.com/openchrome/bench/harness/jsonfile"
	"github.com/openchrome/bench/harness/openchrome"
)

// Options are the options of a run, and which checks to make. Out, RunID, Format and Keep
// have no effect: nothing is written.
type Options struct {
	run.Options
	Checks string // names of checks, separated by commas; empty: all
}

// defaultRepetitions is how often the oracle is played.
const defaultRepetitions = 10

// Run makes the checks. The error is nil if every task passes every check. Otherwise it is
// a [*program.ExitError].
func Run(ctx context.Context, o Options) error {
	o.Repetitions = cmp.Or(o.Repetitions, new(defaultRepetitions))
	var err error
	if o.Options, err = o.Options.WithDefaults(); err != nil {
		return err
	}
	chosen, err := choose(o.Checks)
	if err != nil {
		return program.Usage(fmt.Errorf("options: %w", err))
	}
	ctx, stop := program.Interruptible(ctx, false)
	defer stop()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	out := program.NewConsole(o.Streams, cancel)
	defer out.Close(ctx)
	on, err := run.OpenStage(ctx, o.Options, out.Say)
	if err != nil {
		return err
	}
	defer func() { out.Warn(on.Close()) }()
	s := &suite{options: o, checks: chosen, out: out, stage: &stage{on, make(chan struct{}, *o.Parallel)}}
	tasks, err := on.Tasks(o.Seed)
	if err != nil {
		return err
	}
	proofs, err := s.proofs(tasks)
	if err != nil {
		return err
	}
	s.run(ctx, proofs)
	return s.summary(ctx)
}

// choose returns the checks with these names.
func choose(list string) ([]check, error) {
	if list == "" {
		return checks, nil
	}
	var chosen []check
	for name := range strings.SplitSeq(list, ",") {
		name = strings.TrimSpace(name)
		i := slices.Index(names(), name)
		if i < 0 {
			return nil, fmt.Errorf("check is %s, want %s%s", display.Quote(name), strings.Join(names(), ", "), display.DidYouMean(name, names()))
		}
		chosen = append(chosen, checks[i])
	}
	return chosen, nil
}

// suite is the state of a run of the checks.
type suite struct {
	options Options
	stage   *stage
	checks  []check
	out     *program.Console
	count   counter
	loads   sync.Map // of other draws

	mu      sync.Mutex
	total   int
	results []result // of the tasks that are done
	doing   map[string]string
}

func (s *suite) server() openchrome.Server { return s.options.Server() }

// result is what the checks found of one task.
type result struct {
	task   string
	unable string             // why the server has no path to the goal; "": it has one
	failed map[string]finding // by check
	all    map[string]finding
	exempt map[string]bool
}

// counter counts the mutants of all tasks.
type counter struct {
	mu                sync.Mutex
	killed, survivors int
}

func (c *counter) add(killed, survivors int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.killed, c.survivors = c.killed+killed, c.survivors+survivors
}

// At least killShare of all mutants must be killed, signed off or not, if the mutants of
// killTasks tasks or more are played. Of one task, a single survivor may be more.
const (
	killShare = 0.95
	killTasks = 10
)

// proofs reads the other files of the tasks. It prints every fault of every file.
func (s *suite) proofs(tasks []task.Spec) ([]*proof, error) {
	var faults jsonfile.Faults
	note := func(err error) {
		more, _ := errors.AsType[jsonfile.Faults](err)
		faults = append(faults, more...)
	}
	var out []*proof
	for _, spec := range tasks {
		p := &proof{suite: s, task: spec, played: make(map[string]func() played), forbids: make(map[string][]adapter.Line)}
		var err error
		p.oracle, err = adapter.ReadTranscript(spec, s.stage.Target, "")
		note(err)
		if i := slices.IndexFunc(p.oracle, func(l adapter.Line) bool { return l.Unsupported != "" }); i >= 0 {
			p.oracle, p.unable = nil, p.oracle[i].Unsupported
		}
		p.signed, err = readSigned(spec)
		note(err)
		if s.server().Name == "" {
			for _, name := range forbiddenFiles(spec) {
				p.forbids[name], err = adapter.ReadTranscript(spec, s.stage.Target, name)
				note(err)
			}
		}
		out = append(out, p)
	}
	if err := faults.Err(); err != nil {
		fmt.Fprintln(s.options.Stderr, err)
		return nil, program.Usage(fmt.Errorf("%s in task files: nothing was run", display.Count(len(faults), "fault")))
	}
	return out, nil
}

// manyTasks is how many tasks are checked at the same time on the stand-in, where most wait
// and the slots bound how many episodes run.
const manyTasks = 64

// run makes the checks of all tasks, and prints a line for each task.
func (s *suite) run(ctx context.Context, proofs []*proof) {
	s.total, s.doing = len(proofs), make(map[string]string)
	room := *s.options.Parallel
	if s.stage.Standin() {
		room = max(room, manyTasks)
	}
	places := make(chan struct{}, room)
	var tasks sync.WaitGroup
	for _, p := range proofs {
		select {
		case places <- struct{}{}:
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			break
		}
		tasks.Go(func() {
			r := s.prove(ctx, p)
			<-places
			if ctx.Err() == nil {
				s.done(r)
			}
		})
	}
	tasks.Wait()
}

// prove makes the checks of one task.
func (s *suite) prove(ctx context.Context, p *proof) result {
	r := result{task: p.task.ID, unable: p.unable, all: make(map[string]finding), failed: make(map[string]finding), exempt: make(map[string]bool)}
	for _, c := range s.checks {
		if ctx.Err() != nil {
			return r
		}
		s.status(p.task.ID, c.name)
		f := finding{skipped: "a known defect of the server"}
		if !c.oracle || p.unable == "" {
			f = c.run(ctx, p)
		}
		switch {
		case len(f.problems) > 0 && p.signed.exempt[c.name] != "":
			r.exempt[c.name] = true
		case len(f.problems) > 0:
			r.failed[c.name] = f
		case p.signed.exempt[c.name] != "" && f.skipped == "":
			f.remarks = append(f.remarks, fmt.Sprintf("%s exempts the task from %s, which it passes here; remove that", SignedFile, c.name))
		}
		r.all[c.name] = f
	}
	s.status(p.task.ID, "")
	return r
}

// status shows what is being checked; "" means that the task is done.
func (s *suite) status(id, check string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.doing, id)
	if check != "" {
		s.doing[id] = check
	}
	for id, check := range s.doing {
		s.out.Status(fmt.Sprintf("%d of %d tasks done; checking %s: %s", len(s.results), s.total, id, check))
		break
	}
}

// done prints the result of a task.
func (s *suite) done(r result) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.results = append(s.results, r)
	var words []string
	for _, c := range s.checks {
		f := r.all[c.name]
		word := c.name
		switch {
		case f.skipped != "":
			continue
		case r.exempt[c.name]:
			word += " exempt"
		case f.count != "":
			word += " " + f.count
		}
		if len(f.problems) > 0 && !r.exempt[c.name] {
			word = s.out.Class(event.Fail, word)
		}
		words = append(words, word)
	}
	verdict := s.out.Class(event.Pass, "proved    ")
	if len(r.failed) > 0 {
		verdict = s.out.Class(event.Fail, "not proved")
	}
	s.out.Line("%s %s  %s", verdict, r.task, strings.Join(words, ", "))
	for _, c := range s.checks {
		for _, problem := range r.failed[c.name].problems {
			s.out.Line("             %s: %s", c.name, display.Visible(problem))
		}
	}
	for _, c := range s.checks {
		for _, remark := range r.all[c.name].remarks {
			s.out.Say("             " + display.Visible(remark))
		}
	}
	if r.unable != "" {
		s.out.Line("             known defect: %s", display.VisibleTo(r.unable, 200))
	}
}

// summary prints what failed and what to do, and returns the error of the run.
func (s *suite) summary(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	slices.SortFunc(s.results, func(a, b result) int { return strings.Compare(a.task, b.task) })
	s.out.Line("")
	var failedTasks, failedChecks, unable, shortcuts []string
	for _, r := range s.results {
		if len(r.failed) > 0 {
			failedTasks = append(failedTasks, r.task)
		}
		if r.unable != "" {
			unable = append(unable, r.task)
		}
		if r.all["forged"].count == apiShortcut {
			shortcuts = append(shortcuts, r.task)
		}
	}
	for _, c := range s.checks {
		var failed []string
		passed := 0
		skipped := make(map[string]int)
		for _, r := range s.results {
			switch f := r.all[c.name]; {
			case f.skipped != "":
				skipped[f.skipped]++
			case r.failed[c.name].problems != nil:
				failed = append(failed, r.task)
			default:
				passed++
			}
		}
		line := fmt.Sprintf("%-10s %d of %d", c.name, passed, passed+len(failed))
		for _, why := range slices.Sorted(maps.Keys(skipped)) {
			line += fmt.Sprintf("; not run on %s: %s", display.Count(skipped[why], "task"), why)
		}
		s.out.Line("%s", line)
		if failed != nil {
			failedChecks = append(failedChecks, c.name)
			s.out.Line("           failed: %s", strings.Join(failed, ", "))
			s.out.Line("           to do: %s", c.advice)
		}
	}
	few := false
	if killed, all := s.count.killed, s.count.killed+s.count.survivors; all > 0 {
		share := float64(killed) / float64(all)
		few = share < killShare && len(s.results) >= killTasks
		s.out.Line("mutants    %d of %d killed, %.1f %%; at least %.0f %% are wanted", killed, all, 100*share, 100*killShare)
	}
	if unable != nil {
		s.out.Line("known defects, without an oracle: %s", strings.Join(unable, ", "))
	}
	if shortcuts != nil {
		s.out.Line("%s, a script can send the requests without the page: %s", apiShortcut, strings.Join(shortcuts, ", "))
	}
	if ctx.Err() != nil {
		return &program.ExitError{Code: program.ExitInterrupted, Err: fmt.Errorf("NOT FINISHED: %d of %s checked", len(s.results), display.Count(s.total, "task"))}
	}
	if failedTasks != nil {
		s.out.Line("again      %s", display.Visible(display.Command("mage", "suite:check", "-task="+strings.Join(failedTasks, ","), "-check="+strings.Join(failedChecks, ","))))
		return &program.ExitError{Code: program.ExitFailed, Err: fmt.Errorf("FAILED: %d of %s not proved", len(failedTasks), display.Count(s.total, "task"))}
	}
	if few {
		return &program.ExitError{Code: program.ExitFailed, Err: errors.New("FAILED: too many mutants survive, although all are signed off")}
	}
	s.out.Verdict("PASSED", fmt.Sprintf("%s proved", display.Count(s.total, "task")))
	return nil
}

// drawn returns the tasks with the values of another draw. It reads them once.
func (s *suite) drawn(n int) ([]task.Spec, error) {
	load, _ := s.loads.LoadOrStore(n, sync.OnceValues(func() ([]task.Spec, error) { return s.stage.Tasks(n) }))
	return load.(func() ([]task.Spec, error))()
}
