// Package suitecheck proves the tasks of a suite: the right way passes, and no wrong way
// does.
//
//  1. [Run] reads the tasks and starts the server (suite.go).
//  2. Each check is a row of the table in check.go. It says which episodes it needs, and
//     reads them. Checks that need the same episode share it (play.go).
//  3. episodes.go, mutants.go and the package ways make episodes, ends.go looks how they
//     ended, and text.go at the texts of tasks.
//  4. signoff.go reads the checks.json of a task, which signs off faults that cannot be
//     fixed.
//
// Only the checks oracle and seeds use the status of an episode. All others use only the
// judgement of the last page, so that a refused call proves nothing.
package suitecheck

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/openchrome/bench/harness/internal/command/program"
	"github.com/openchrome/bench/harness/internal/command/run"
	"github.com/openchrome/bench/harness/internal/drive/policy"
	"github.com/openchrome/bench/harness/internal/read/server"
	"github.com/openchrome/bench/harness/internal/read/transcript"
	"github.com/openchrome/bench/harness/internal/text/display"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
)

// repetitions is how often the oracle is played by default.
const repetitions = 10

// Run makes the checks. The error is nil if every task passes every check. Otherwise it is
// a [*program.ExitError].
func Run(ctx context.Context, o run.Options) error {
	o.Repetitions = cmp.Or(o.Repetitions, repetitions)
	var err error
	if o, err = o.WithDefaults(); err != nil {
		return err
	}
	peer := o.Choice().Describe().IsPeer()
	if peer { // it has no transcripts
		o.Adapter = policy.Prefix + "form"
	}
	chosen, err := choose(o.Check)
	if err != nil {
		return program.Usage(err)
	}
	ctx, stop := program.Interruptible(ctx, false)
	defer stop()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	out := program.NewConsole(o.Stdout, o.Stderr, cancel)
	defer out.Close(ctx)
	on, err := run.OpenStage(ctx, o, out.Say)
	if err != nil {
		return err
	}
	defer func() { out.Warn(on.Close()) }()
	s := &suite{options: o, peer: peer, checks: chosen, out: out, stage: on, slots: make(chan struct{}, o.Parallel)}
	proofs, err := s.proofs(on.Tasks)
	if err != nil {
		return err
	}
	s.run(ctx, proofs)
	return s.summary(ctx)
}

func choose(list string) ([]check, error) {
	if list == "" {
		return checks, nil
	}
	var chosen []check
	for name := range strings.SplitSeq(list, ",") {
		name = strings.TrimSpace(name)
		i := slices.Index(names(), name)
		if i < 0 {
			return nil, fmt.Errorf("-check: is %s, want %s%s", display.Quote(name), strings.Join(names(), ", "), display.DidYouMean(name, names()))
		}
		chosen = append(chosen, checks[i])
	}
	return chosen, nil
}

type suite struct {
	options run.Options
	peer    bool // the oracle is the policy form, which carries out the intents
	stage   *run.Stage
	slots   chan struct{} // one for each running episode
	checks  []check
	out     *program.Console

	mu       sync.Mutex
	ids      []string // of all tasks
	results  []result // of the tasks that are done
	progress program.Progress
}

func (s *suite) server() *server.Server { return s.options.Choice().Describe() }

type result struct {
	task     string
	defect   string             // why the server has no path to the goal; "": it has one
	findings map[string]finding // by check
}

func (r result) isDefect() bool { return r.defect != "" }

func (r result) made() (n int) {
	for _, f := range r.findings {
		if f.skipped == "" {
			n++
		}
	}
	return n
}

// proved reports whether the task passes all checks that there are.
func (r result) proved() bool { return !r.failed() && r.made() == len(checks) }

func (r result) failed() bool {
	for _, f := range r.findings {
		if f.failed() {
			return true
		}
	}
	return false
}

// In a run of killTasks tasks or more, at least killShare of all mutants must be killed,
// signed off or not. In fewer tasks, a single survivor could be a larger share.
const (
	killShare = 0.95
	killTasks = 10
)

// proofs reads the sign-offs of the tasks. It prints every fault of every file.
func (s *suite) proofs(tasks []transcript.Prepared) ([]*proof, error) {
	var faults jsonfile.Faults
	var out []*proof
	for _, t := range tasks {
		p := &proof{id: cmp.Or(t.Of, t.ID), suite: s, task: t, oracle: t.Lines, played: make(map[string]func() played)}
		if len(p.oracle) > 0 && p.oracle[0].Unsupported != "" { // as in record.Stop.KnownDefect
			p.oracle, p.defect = nil, p.oracle[0].Unsupported
		}
		if !s.peer {
			p.forbids = t.Forbidden
		}
		var more jsonfile.Faults
		p.signed, more = readSigned(t.Folder)
		faults = append(faults, more...)
		out = append(out, p)
	}
	if err := faults.Err(); err != nil {
		fmt.Fprintln(s.options.Stderr, err)
		return nil, program.Usage(fmt.Errorf("%s in task files: nothing was run", display.Count(len(faults), "fault")))
	}
	return out, nil
}

// manyTasks is how many tasks are checked at the same time on the stand-in. Most of them
// wait, and the slots bound how many episodes run.
const manyTasks = 64

func (s *suite) run(ctx context.Context, proofs []*proof) {
	s.progress.Start(time.Now())
	for _, p := range proofs {
		s.ids = append(s.ids, p.id)
	}
	room := s.options.Parallel
	if s.stage.Standin() {
		room = max(room, manyTasks)
	}
	places := make(chan struct{}, room)
	var tasks sync.WaitGroup
	for _, p := range proofs {
		places <- struct{}{}
		tasks.Go(func() {
			r := s.prove(ctx, p) // at once if ctx has ended
			<-places
			if ctx.Err() == nil {
				s.done(r)
			}
		})
	}
	tasks.Wait()
}

func (s *suite) prove(ctx context.Context, p *proof) result {
	r := result{task: p.id, defect: p.defect, findings: make(map[string]finding)}
	for _, c := range s.checks {
		if ctx.Err() != nil {
			return r
		}
		s.status(p.id, c.name)
		f := finding{skipped: "a known defect of the server"}
		switch {
		case s.peer && c.needs >= exist && c.name != oracleCheck:
			f.skipped = "it needs a transcript, which peers do not have"
		case c.needs < exist || p.defect == "":
			f = c.find(ctx, p)
		}
		f.exempt = p.signed.Exempt[c.name] != "" && len(f.problems) > 0
		r.findings[c.name] = f
	}
	return r
}
