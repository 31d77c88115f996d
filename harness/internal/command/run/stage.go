package run

import (
	"context"
	"errors"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/command/choose"
	"github.com/openchrome/bench/harness/internal/drive/episode"
	"github.com/openchrome/bench/harness/internal/drive/facts"
	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/drive/watchdog"
	"github.com/openchrome/bench/harness/internal/read/transcript"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/web"
)

// A Stage runs single episodes for a command that is not a run, each on a session of its
// own. It writes no log and no report. Several goroutines may use it.
type Stage struct {
	Sites *web.Set
	// Tasks are the selected tasks, without the ones that the server cannot play.
	Tasks []transcript.Prepared

	options  Options
	launcher *choose.Chosen
	plan     *plan
}

// OpenStage starts the launcher for the tasks of o, which must have its defaults. Close the
// stage after use. say gets a line for each slow step.
func OpenStage(ctx context.Context, o Options, say func(string)) (*Stage, error) {
	p, err := newPlan(o)
	if err != nil {
		return nil, err
	}
	watchdog.Sweep()
	l, err := start(ctx, o, p, say)
	if err != nil {
		return nil, err
	}
	if l.Standin {
		if err := p.leaveOutScripts(say); err != nil {
			return nil, errors.Join(err, l.Close())
		}
	}
	return &Stage{p.sites, p.tasks, o, l, p}, nil
}

// WithSeed returns a task of the stage with the values of another seed.
func (s *Stage) WithSeed(t transcript.Prepared, seed int) (transcript.Prepared, error) {
	return s.plan.task(t.Folder, seed)
}

// Standin reports whether the server is the stand-in, which runs no page scripts.
func (s *Stage) Standin() bool { return s.launcher.Standin }

// Play runs one episode with the adapter that f returns, which may look at the session. It
// returns the episode's events and the requests of its pages. An error means that the harness
// failed.
func (s *Stage) Play(ctx context.Context, t transcript.Prepared, f func(session.Session) adapter.Factory) (events []record.Event, requests []web.Request, err error) {
	l := launch(ctx, s.launcher, job{task: &t})
	if l.session != nil {
		defer l.session.Close()
	}
	_, err = episode.Run(ctx, episode.Options{
		Task: t.Spec, Under: record.Under{Of: t.Of, Policy: t.Policy}, Repetition: 1, Adapter: f(l.session), Replays: true,
		Session: l.session, Launcher: s.launcher.Name, LaunchErr: l.err, Viewport: l.viewport, Files: l.files,
		Emit: func(e record.Event) error {
			events = append(events, e)
			return nil
		},
		ClassesDir: facts.ClassesDir(), LiveWeb: s.options.Web == "live",
	})
	if l.session != nil {
		log, _ := l.session.Requests(ctx) // none if the launcher cannot know them; without the later ones if the log is full
		requests = log.Requests
	}
	return events, requests, err
}

// Report is the report of a run that had only these events, of an episode.
func (s *Stage) Report(ctx context.Context, events []record.Event) (*report.Report, error) {
	start, err := s.plan.start(ctx, s.options, s.launcher)
	if err != nil {
		return nil, err
	}
	var fold report.Fold
	for _, e := range append([]record.Event{{Body: start}}, events...) {
		if err := fold.Add(e); err != nil {
			return nil, err
		}
	}
	return fold.Report()
}

// Close ends the launcher.
func (s *Stage) Close() error { return s.launcher.Close() }
