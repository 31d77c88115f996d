package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/openchrome/bench/harness/event"
	"github.com/openchrome/bench/harness/internal/episode"
	"github.com/openchrome/bench/harness/internal/program"
	"github.com/openchrome/bench/harness/internal/subject"
	"github.com/openchrome/bench/harness/openchrome"
	"github.com/openchrome/bench/harness/report"
	"github.com/openchrome/bench/harness/report/format"
	"github.com/openchrome/bench/harness/watchdog"
)

// Run runs the tasks and writes the event log and the report below o.Out. The error
// is nil if every episode passed or is a known defect. Otherwise it is a [*program.ExitError]: its text is
// the verdict, or names what failed.
//
// When ctx ends, running episodes are interrupted, no other episode begins, and the
// report of the finished ones is written at once.
func Run(ctx context.Context, o Options) error {
	o, err := o.WithDefaults()
	if err != nil {
		return err
	}
	if o.Child {
		o.Format = "" // bench:verify writes them
	}
	release := format.HoldCommands(o.Stdout, o.Format)
	r, err := Episodes(ctx, o)
	release()
	if err != nil {
		return err
	}
	if err := format.WriteAsked(o.Stdout, o.Out, o.Format, r); err != nil {
		return err
	}
	return VerdictError(r.Totals)
}

// Episodes is like [Run], but the options must have their defaults, and it returns the
// report. A failed episode is not an error.
func Episodes(ctx context.Context, o Options) (*report.Report, error) {
	go report.PrepareTokens() // a short run would wait for it
	ctx, stop := program.Interruptible(ctx, o.Child)
	defer stop()
	p, err := newPlan(o)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(o.EventsFile()); err == nil {
		return nil, usage(fmt.Errorf("run %s already exists, in %s; choose another name with -run", o.RunID, o.EventsFile()))
	}
	if err := os.MkdirAll(filepath.Dir(o.EventsFile()), 0o755); err != nil {
		return nil, usage(fmt.Errorf("-out: %w", err))
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	out := newPrinter(o, cancel)
	defer out.Close(ctx)
	l, err := subject.Launch(ctx, o.subjectOptions(), p.sites, out.Say)
	if err != nil {
		return nil, err
	}
	defer func() { out.Warn(l.Close()) }()
	if o.NoScripts || l.Standin {
		if err := p.leaveOutScripts(out.Say); err != nil {
			return nil, err
		}
	}
	jobs, err := p.jobs(o)
	if err != nil {
		return nil, err
	}
	out.total = len(jobs)
	watchdog.Sweep() // cleans up after runs that were killed together with their watchdog
	log, err := event.Create(o.EventsFile())
	if err != nil {
		return nil, err
	}
	// Sessions are closed after the report is written: a browser may take long to end.
	var closing sync.WaitGroup
	defer closing.Wait()

	r := &runner{Options: o, jobs: jobs, launcher: l, log: log, out: out, closing: &closing}
	if r.Turn == nil && l.Shared {
		r.Turn = NewTurns(1).Of(0)
	}
	err = errors.Join(r.run(ctx, p, l), log.Close())
	if err != nil {
		return nil, fmt.Errorf("%w; the log up to this error is in %s", err, o.EventsFile())
	}
	rep, err := report.FromFile(o.EventsFile())
	if err == nil {
		err = format.Write(o.Out, rep)
	}
	if err != nil {
		return nil, err
	}
	out.summary(o.Out, rep)
	if word, rest, _ := strings.Cut(rep.Totals.Verdict(), ": "); VerdictError(rep.Totals) == nil {
		out.Verdict(word, rest)
	}
	return rep, nil
}

// subjectOptions adds the files that the driven programs must not see.
func (o Options) subjectOptions() subject.Options {
	s := o.Options
	s.LiveWeb = o.Web == "live"
	s.Hide = []string{filepath.Join(o.Out, report.ReportsDir), filepath.Join(o.Out, report.EventsDir), o.Tasks, o.Sites, o.SeedKey}
	return s
}

// Settle decides which subject auto means. Commands with several runs call it once,
// because all runs must drive the same subject.
func Settle(ctx context.Context, o Options) (string, error) {
	if o.OpenChrome != "auto" {
		return o.OpenChrome, nil
	}
	p, err := newPlan(o)
	if err != nil {
		return "", err
	}
	l, err := subject.Launch(ctx, o.subjectOptions(), p.sites, func(line string) { fmt.Fprintln(o.Stdout, line) })
	if err != nil {
		return "", err
	}
	return l.Name, l.Close()
}

// VerdictError returns the error of a finished run; nil if all episodes passed or are known
// defects.
func VerdictError(t report.Totals) error {
	code := program.ExitPassed
	switch {
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

// runner runs the jobs of a run.
type runner struct {
	Options
	jobs     []job
	launcher *subject.Chosen
	log      *event.Log
	out      *printer
	closing  *sync.WaitGroup
	began    time.Time

	mu       sync.Mutex
	finished int   // episodes that have a stop
	stopped  bool  // one of them was interrupted
	err      error // the harness's first fault, which ends the run
}

// run logs the start, runs the jobs, and logs the end.
func (r *runner) run(ctx context.Context, p *plan, l *subject.Chosen) error {
	r.began = time.Now()
	start := &event.RunStart{
		SchemaVersion: event.SchemaVersion, RunID: r.RunID, Launcher: l.Name, Adapter: p.kind.Name,
		Web: event.Web{Mode: r.Web, Digest: p.sites.Digest()}, Episodes: len(r.jobs),
		Options: event.Options{
			Parallel: *r.Parallel, Repetitions: *r.Repetitions,
			MaxSteps: value(r.MaxSteps), MaxDurationMs: int(value(r.MaxDuration).Milliseconds()), Path: r.path(p),
			Seed: r.Seed, SeedKey: p.seed.Fingerprint(), Drift: r.Drift, Tasks: r.Tasks, Sites: r.Sites,
		},
		Package: r.From(ctx),
		Host:    event.Host{OS: runtime.GOOS, Arch: runtime.GOARCH, CPUs: runtime.NumCPU(), Go: runtime.Version()},
		Notes:   l.Notes(),
	}
	if err := r.emit(event.Event{TS: r.began.UTC(), Body: start}); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var workers sync.WaitGroup
	sessions := r.launchAhead(ctx)
	for range *r.Parallel {
		workers.Go(func() {
			idle := time.Now()
			for next := range sessions {
				select {
				case <-ctx.Done():
				case s := <-next:
					if err := r.episode(ctx, s, time.Since(idle)); err != nil {
						r.fail(err)
						cancel()
					}
				}
				idle = time.Now()
			}
		})
	}
	workers.Wait()
	if r.err != nil {
		return r.err
	}
	return r.emit(event.Event{TS: time.Now().UTC(), Body: &event.RunEnd{
		Interrupted: r.stopped || r.finished < len(r.jobs), Finished: r.finished, DurationMs: float64(time.Since(r.began).Milliseconds()),
	}})
}

// path is the path of the adapter's transcripts; empty if the adapter replays no file.
func (r *runner) path(p *plan) string {
	if p.kind.File == "" {
		return ""
	}
	return r.Path
}

func (r *runner) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil {
		r.err = err
	}
}

// episode runs one episode on the session that was launched for it. It does nothing if the
// run was stopped.
func (r *runner) episode(ctx context.Context, s launched, waited time.Duration) error {
	defer func() { r.release(s) }()
	if ctx.Err() != nil {
		return nil
	}
	s = r.alive(ctx, s)
	if r.Ready != nil && s.session != nil {
		r.Ready(s.session)
	}
	name := s.job.name()
	r.out.begin(name)
	stop, err := episode.Run(ctx, episode.Options{
		Task: s.job.spec, Repetition: s.job.repetition, Adapter: s.job.factory, Transcript: s.job.transcript,
		Session: s.session, Launcher: r.launcher.Name, LaunchErr: s.err, LaunchMs: ms(s.took), WaitMs: ms(waited), Viewport: s.viewport, Files: s.files,
		Emit: r.emit, ClassesDir: openchrome.ClassesDir(), LiveWeb: r.Web == "live",
		Strict: r.Drift == event.DriftStrict,
		Out:    r.Out, Page: report.Page(r.RunID, s.job.spec.ID, s.job.repetition), KeepAll: r.Keep == keepAll,
	})
	if err != nil {
		return err
	}
	r.mu.Lock()
	r.finished++
	r.stopped = r.stopped || stop.Status == event.Interrupted
	r.mu.Unlock()
	r.out.end(name, stop)
	return nil
}

func (r *runner) emit(e event.Event) error {
	if err := r.log.Append(e); err != nil {
		return err
	}
	r.out.event(e)
	return nil
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
