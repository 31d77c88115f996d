// Package run runs tasks: it reads and checks them, plans the episodes, launches sessions ahead,
// plays each episode, and leaves an event log and its report. It compares nothing.
package run

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/command/build"
	"github.com/openchrome/bench/harness/internal/command/choose"
	"github.com/openchrome/bench/harness/internal/command/program"
	"github.com/openchrome/bench/harness/internal/drive/episode"
	"github.com/openchrome/bench/harness/internal/drive/facts"
	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/drive/watchdog"
	"github.com/openchrome/bench/harness/internal/option"
	"github.com/openchrome/bench/harness/internal/read/server"
	"github.com/openchrome/bench/harness/internal/read/transcript"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/record/eventlog"
	"github.com/openchrome/bench/harness/internal/tell/format"
	"github.com/openchrome/bench/harness/internal/tell/page"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/text/display"
	"github.com/openchrome/bench/harness/internal/text/regular"
)

// Run runs the tasks and writes the event log and the report below o.Out. The error is nil
// if every episode passed or is a known defect, and everything was written. If the verdict is
// another one, the error is a [*program.ExitError] with the verdict as its text. Other errors
// name what failed; [program.ExitCode] gives their exit code.
//
// When ctx ends, running episodes are interrupted, no other episode begins, and the
// report of the finished ones is written at once.
func Run(ctx context.Context, o Options) error {
	asked := o.Values
	o, err := o.WithDefaults()
	if err != nil {
		return err
	}
	o.again = again(asked, o.RunID)
	switch {
	case o.Child:
		o.Format = "" // bench:verify writes them
	case o.Shard == "":
		if o.Shard, err = shardHere(); err != nil {
			return usage(err)
		}
	}
	release := format.HoldCommands(o.Stdout, o.Format)
	r, err := Episodes(ctx, o)
	release()
	if built, ok := errors.AsType[*session.NotBuilt](err); ok && o.bisects() {
		return &program.ExitError{Code: program.ExitSkip, Err: built}
	}
	if err != nil {
		return err
	}
	unwritten := format.WriteAsked(o.Stdout, o.Out, o.Format, r)
	verdict := VerdictError(r)
	if o.bisects() {
		verdict = bisected(r, o.Choice().Describe(), o.Exit == option.BisectTools)
	}
	if err := verdict; err != nil {
		if unwritten != nil { // it must not change the exit code
			fmt.Fprintln(o.Stderr, "warning:", display.Visible(unwritten.Error()))
		}
		return err
	}
	return unwritten
}

// again is the command that runs the rest of a run.
func again(asked option.Values, run string) string {
	target := "bench:mock"
	if asked.Adapter != "" {
		target = "bench:episode"
	}
	asked.Resume, asked.RunID, asked.Failed = run, "", "" // Failed has named the tasks
	return display.Command(append([]string{display.Program, target}, option.Target(target).Args(asked)...)...)
}

// Episodes is like [Run], but the options must have their defaults, and it returns the
// report. A failed episode is not an error.
func Episodes(ctx context.Context, o Options) (*report.Report, error) {
	ctx, stop := program.Interruptible(ctx, o.Child)
	defer stop()
	go build.This() // asks git meanwhile
	p, err := newPlan(o)
	if err != nil {
		return nil, err
	}
	r := &runner{Options: o}
	defer func() { r.close() }()
	if err := r.find(ctx); err != nil {
		return nil, err
	}
	logs, err := regular.MakeFolder(o.Out, report.EventsDir)
	if err != nil {
		return nil, usage(fmt.Errorf("-out: %w", err))
	}
	logs.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r.out = newPrinter(o, cancel)
	defer r.out.Close(ctx)
	r.launcher, err = start(ctx, o, p, r.out.Say)
	if err != nil {
		return nil, err
	}
	defer func() { r.out.Warn(r.launcher.Close()) }()
	if o.NoScripts || r.launcher.Standin {
		if err := p.leaveOutScripts(r.out.Say); err != nil {
			return nil, err
		}
	}
	if err := r.plan(ctx, p); err != nil {
		return nil, err
	}
	if err := r.fit(ctx, p); err != nil {
		return nil, err
	}
	r.out.Show(page.Planned(r.start), page.Text{})
	watchdog.Sweep() // cleans up after runs that were killed together with their watchdog
	// Sessions are closed after the report is written: a browser may take long to end.
	var closing sync.WaitGroup
	defer closing.Wait()
	r.closing = &closing
	if r.Turn == nil && r.launcher.Shared {
		r.Turn = NewTurns(1).Of(0)
	}
	failed := errors.Join(r.run(ctx), r.close())
	rep, err := report.FromFile(context.Background(), o.EventsFile()) // also if the run was stopped
	if exit, ok := errors.AsType[*program.ExitError](failed); ok {
		return nil, exit // not joined, because mage reads the exit code only from the error itself
	}
	rebuild := display.Command(display.Program, "report:show", "-run="+o.RunID, display.Setting("out", o.Out, "."))
	if failed != nil && r.ledger.Start != nil && r.ledger.Whole() {
		return nil, fmt.Errorf("%w; the log up to this error is in %s: %s writes the report", failed, o.EventsFile(), rebuild)
	}
	if err != nil { // the folder is gone, or the disk is broken
		return nil, &program.ExitError{Code: program.ExitLost, Err: fmt.Errorf("LOST: %w; no episode has a result", errors.Join(failed, err))}
	}
	rep.Out = o.Out
	unwritten := format.Write(o.Out, rep)
	if failed != nil {
		return nil, r.lost(ctx, failed)
	}
	if r.gaveUp != nil {
		r.out.Warn(unwritten)
		return nil, r.gaveUp // not joined, because mage reads the exit code only from the error itself
	}
	if unwritten != nil {
		return nil, fmt.Errorf("%w; the log is whole: %s writes the report again", unwritten, rebuild)
	}
	r.out.Show(page.Summary(rep, o.again)...)
	if VerdictError(rep) == nil {
		class := record.Pass
		if rep.Totals.Passed == 0 {
			class = record.Void
		}
		word, counts := rep.Totals.Outcome()
		r.out.Verdict(class, word, counts)
	}
	return rep, nil
}

func start(ctx context.Context, o Options, p *plan, say func(string)) (*choose.Chosen, error) {
	l, err := choose.Launch(ctx, o.Choice(), p.sites, say)
	if errors.Is(err, choose.ErrStopped) {
		return nil, &program.ExitError{Code: program.ExitInterrupted, Err: fmt.Errorf("NOT FINISHED: %w", err)}
	}
	if _, ok := errors.AsType[*choose.OptionError](err); ok {
		return nil, usage(err)
	}
	if err == nil && p.profile != nil {
		l.Launcher = profiled{l.Launcher, p.profile}
	}
	return l, err
}

// Settle decides which server auto means. Commands with several runs call it once,
// because all runs must drive the same server.
func Settle(ctx context.Context, o Options) (string, error) {
	if o.Server != "auto" {
		return o.Server, nil
	}
	p, err := newPlan(o)
	if err != nil {
		return "", err
	}
	l, err := start(ctx, o, p, func(line string) { fmt.Fprintln(o.Stdout, line) })
	if err != nil {
		return "", err
	}
	return l.Name, l.Close()
}

// VerdictError returns the error of a finished run; nil if all episodes passed or are known
// defects.
func VerdictError(r *report.Report) error {
	t := r.Totals
	code := program.ExitPassed
	switch {
	case t.Lost > 0:
		return &program.ExitError{Code: program.ExitLost, Err: fmt.Errorf("%s; without a result: %s", t.Verdict(), report.Named(r.Missing))}
	case !t.Complete():
		code = program.ExitInterrupted
	case t.Unexpected() > 0:
		code = program.ExitFailed
	case t.Void > 0:
		code = program.ExitVoid
	}
	if code == program.ExitPassed {
		return nil
	}
	return &program.ExitError{Code: code, Err: errors.New(t.Verdict())}
}

func (o Options) bisects() bool { return o.Exit == option.Bisect || o.Exit == option.BisectTools }

// bisected returns the error of a run for git bisect run. lack says that a lack of a tool is a verdict.
func bisected(r *report.Report, s *server.Server, lack bool) error {
	t := r.Totals
	code := program.ExitSkip
	switch {
	case !t.Complete():
		code = program.ExitAbort
	case t.Passed == t.Planned:
		return nil
	case t.Passed > 0 || t.Void > 0:
	case lack || r.Episodes.Where(func(e *report.Episode) bool { return lacked(r, s, e) }).Len() == 0:
		code = program.ExitBad
	}
	return &program.ExitError{Code: code, Err: errors.New(t.Verdict())}
}

// lacked reports whether an episode missed a tool before its first act: what it would have done is unknown.
func lacked(r *report.Report, s *server.Server, e *report.Episode) bool {
	for _, c := range e.Calls {
		if does, _ := s.ToolOf(adapter.Call{Tool: c.Tool, Args: json.RawMessage(c.Args)}); does.Asks() && !c.Error {
			return false
		}
		if slices.Contains(r.NoTools, c.Tool) {
			return true
		}
	}
	return e.Cause == record.CauseNoTool || len(e.Calls) == 0 && e.Status == record.ToolError // it refused to be prepared
}

// lost is the error of a run that a fault of the harness ended.
func (r *runner) lost(ctx context.Context, err error) error {
	code := program.ExitLost
	if ctx.Err() != nil {
		code = program.ExitInterrupted
	}
	if r.ledger.Start == nil {
		r.ledger.Start = r.start
	}
	missing := r.ledger.Missing()
	return &program.ExitError{Code: code, Err: fmt.Errorf("LOST: %w; without a result: %s; the log up to this error is in %s; run the same command with -resume=%s",
		err, report.Named(missing), r.EventsFile(), cmp.Or(r.Parity.Run, r.RunID))}
}

type runner struct {
	Options
	start    *record.RunStart
	jobs     []job
	launcher *choose.Chosen
	log      *eventlog.Log // nil: it does not exist yet
	out      *printer
	closing  *sync.WaitGroup
	began    time.Time

	mu     sync.Mutex
	ledger record.Ledger
	goesOn bool            // the next event continues a log
	had    []record.Server // servers in that log
	err    error           // the harness's first fault, which ends the run
	voids  int             // void episodes in a row
	gaveUp error           // why the run ended before its last episode
}

// maxVoids is how many void episodes in a row end a run of an agent. Its key may be wrong, and it
// would try until the caps of each episode.
const maxVoids = 3

// count counts void episodes of an agent. It returns an error if the run must end.
func (r *runner) count(name string, stop record.Stop) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.start.Agent == nil || stop.Status.Class() != record.Void || stop.Status == record.Interrupted {
		r.voids = 0
		return nil
	}
	if r.voids++; r.voids < maxVoids || r.gaveUp != nil {
		return nil
	}
	r.gaveUp = &program.ExitError{Code: program.ExitVoid, Err: fmt.Errorf("VOID: %d void episodes in a row, so the run ended; the last one, %s: %s; find the cause, and then run the rest with -resume=%s",
		maxVoids, name, display.VisibleTo(stop.Reason, maxReason), cmp.Or(r.Parity.Run, r.RunID))}
	return r.gaveUp
}

// maxReason is how many characters of a reason an error repeats.
const maxReason = 500

func (r *runner) run(ctx context.Context) error {
	r.began = time.Now()
	if len(r.jobs) == 0 && r.ledger.End != nil {
		return nil // the run was whole
	}
	if r.ledger.Start == nil {
		if err := r.emit(record.Event{TS: r.began.UTC(), Body: r.start}); err != nil {
			return err
		}
	}
	if err := r.runJobs(ctx); err != nil {
		return err
	}
	return r.emit(record.Event{TS: time.Now().UTC(), Body: &record.RunEnd{
		Interrupted: (ctx.Err() != nil || r.gaveUp != nil) && !r.ledger.Whole(),
	}})
}

// runJobs returns when every job is done, or none can begin any more.
func (r *runner) runJobs(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var workers sync.WaitGroup
	sessions := r.launchAhead(ctx)
	rests := make(chan struct{}, r.Parallel) // as many sessions may rest as may run
	for range r.Parallel {
		workers.Go(func() {
			idle := time.Now()
			for next := range sessions {
				select {
				case <-ctx.Done():
				case s := <-next:
					resting, done := make(chan struct{}), make(chan struct{})
					waited := time.Since(idle)
					workers.Go(func() {
						defer close(done)
						if err := r.episode(ctx, s, waited, sync.OnceFunc(func() { close(resting) })); err != nil {
							r.fail(err)
							cancel()
						}
					})
					select {
					case <-resting: // it only waits for late acts, so the next may run
						select {
						case rests <- struct{}{}:
							workers.Go(func() { <-done; <-rests })
						case <-done:
						}
					case <-done:
					}
				}
				idle = time.Now()
			}
		})
	}
	workers.Wait()
	return r.err
}

func (r *runner) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil && err != r.gaveUp {
		r.err = err
	}
}

// episode runs one episode, first on the session that was launched for it. If it is void and
// there are retries left, it runs again on a new session. It does nothing if the run was
// stopped.
func (r *runner) episode(ctx context.Context, s launched, waited time.Duration, resting func()) error {
	defer func() { r.release(s) }()
	for again := false; ctx.Err() == nil; again = true {
		if again {
			if s.session != nil {
				r.out.Warn(s.session.Close())
			}
			s, waited = launch(ctx, r.launcher, s.job), 0
		}
		s = r.replaceDead(ctx, s)
		if r.Ready != nil && s.session != nil {
			r.Ready(s.session)
		}
		if done, err := r.attempt(ctx, s, waited, resting); done || err != nil {
			return err
		}
	}
	return nil
}

// attempt makes one attempt at an episode, and reports whether the episode is done.
func (r *runner) attempt(ctx context.Context, s launched, waited time.Duration, resting func()) (done bool, err error) {
	name := s.job.name()
	r.mu.Lock()
	number := r.ledger.Attempts(name) + 1
	r.mu.Unlock()
	r.out.begin(name)
	stop, err := episode.Run(ctx, episode.Options{
		Task: s.job.task.Spec, Under: record.Under{Of: s.job.task.Of, Policy: s.job.task.Policy},
		Repetition: s.job.repetition, Attempt: number,
		Adapter: s.job.task.Adapter, Transcript: s.job.task.Transcript, Replays: r.start.Adapter == transcript.Mock,
		Session: s.session, ToolSize: r.Parity.Run != "", Launcher: r.launcher.Name, LaunchErr: s.err, LaunchMs: ms(s.took), WaitMs: ms(waited), Viewport: s.viewport, Files: s.files,
		Emit: r.emit, Resting: resting, ClassesDir: facts.ClassesDir(), LiveWeb: r.Web == option.Live,
		Strict: r.Drift == record.DriftStrict,
		Out:    r.Out, Page: record.Page(r.RunID, s.job.task.ID, s.job.repetition, number), KeepAll: r.Keep == option.KeepAll, KeepSteps: r.Keep == option.KeepSteps,
	})
	if err != nil {
		return false, err
	}
	r.mu.Lock()
	done = r.ledger.Done(name) || stop.Status == record.Interrupted
	r.mu.Unlock()
	r.out.end(name, stop, done)
	if done {
		err = r.count(name, stop)
	}
	return done, err
}
