package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/internal/command/program"
	"github.com/openchrome/bench/harness/internal/option"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/record/eventlog"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// find looks for the log of the run. Only a run that is resumed may have one.
func (r *runner) find(ctx context.Context) error {
	name := r.EventsFile()
	if r.Resume == "" {
		if _, err := os.Stat(name); err == nil {
			return r.exists()
		}
		return nil
	}
	log, err := eventlog.Open(ctx, name, r.ledger.Add)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.Is(err, eventlog.ErrBusy):
		return usage(fmt.Errorf("run %s is still running: %w", r.RunID, err))
	case ctx.Err() != nil:
		return &program.ExitError{Code: program.ExitInterrupted, Err: fmt.Errorf("NOT FINISHED: run %s was not resumed: %w", r.RunID, err)}
	case err != nil:
		return usage(fmt.Errorf("run %s cannot be resumed: %w", r.RunID, err))
	}
	r.log = log
	start := r.ledger.Start
	if start == nil {
		return nil
	}
	r.goesOn, r.had = true, r.ledger.Servers
	switch {
	case start.RunID != r.RunID:
		return r.notResumed("%s is the log of run %s", name, display.Visible(start.RunID))
	case start.Merged != nil:
		return r.notResumed("report:merge made it; resume the runs that it was made from")
	}
	return nil
}

func (r *runner) exists() error {
	return usage(fmt.Errorf("run %s already exists, in %s; choose another name with -run, or continue it with -resume=%s", r.RunID, r.EventsFile(), cmp.Or(r.Parity.Run, r.RunID)))
}

func (r *runner) notResumed(format string, args ...any) error {
	return usage(fmt.Errorf("run %s is not resumed: "+format, append([]any{r.RunID}, args...)...))
}

// plan makes the plan and the jobs. If the log has a plan already, it must be the same one.
// If there is no log, plan creates it.
func (r *runner) plan(ctx context.Context, p *plan) (err error) {
	if r.start, err = p.start(ctx, r.Options, r.launcher); err != nil {
		return err
	}
	if was := r.ledger.Start; was != nil {
		differ := slices.Concat(option.Differ(was, r.start, option.Resumes, "%s and %s"), was.Differences(r.start))
		for i := range differ {
			differ[i] = display.Visible(differ[i])
		}
		if differ != nil {
			return r.notResumed("its log and this command differ in what they run:\n  %s", strings.Join(differ, "\n  "))
		}
		if words, _ := was.Harness.Differs(r.start.Harness); words != "" {
			r.out.Warn(errors.New(words))
		}
		r.start = was
	}
	r.jobs = p.jobs(r.Options, r.start, r.ledger.Done)
	r.out.total = len(r.jobs)
	switch {
	case r.ledger.Start != nil:
		r.out.Warn(r.tidy())
		done := r.start.Episodes - len(r.jobs)
		r.out.Say(fmt.Sprintf("resuming run %s: %d of %s done, %d cut off in the middle", r.RunID, done, display.Count(r.start.Episodes, "episode"), r.ledger.Begun()-done))
		if n := r.log.Torn(); n > 0 {
			r.out.Say(fmt.Sprintf("the last line of its log is incomplete; %s are removed", display.Count(n, "byte")))
		}
		return nil
	case r.Resume != "":
		r.out.Say(fmt.Sprintf("run %s has no complete plan in its log, so there is nothing to resume: it starts", r.RunID))
	}
	if r.log == nil {
		r.log, err = eventlog.Create(r.EventsFile())
		if errors.Is(err, fs.ErrExist) { // another run was faster
			return r.exists()
		}
	}
	return err
}

func (r *runner) close() error {
	log := r.log
	r.log = nil
	if log == nil {
		return nil
	}
	return log.Close()
}

func describe(s *record.Server) string {
	text := s.Words()
	for _, part := range []struct{ what, value string }{{"package", s.Package}, {"image", s.Image}, {"facts", s.Facts}} {
		if part.value != "" {
			text += ", " + part.what + " " + part.value
		}
	}
	return display.Visible(text)
}
