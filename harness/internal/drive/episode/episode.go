// Package episode runs one episode: it navigates, makes one step at a time until the
// adapter is done or a cap is hit, reads the facts and judges the contract. It logs each
// event before it goes on.
//
//  1. [Run] logs the reset, starts the clock and logs the stop (episode.go).
//  2. steps.go makes the calls: step 0, then the adapter's calls.
//  3. judge.go reads the facts and judges them;
//     wait.go has the rule that says which judging counts, and rest.go waits for late acts.
//  4. status.go decides how the episode ended, by the rules of package record;
//     pulse.go detects when the harness itself did not run.
//  5. page.go saves the last page of an episode that did not pass, for a person.
package episode

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/drive/facts"
	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/read/task"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/text/tokens"
)

// factsGrace is how long reading the facts may continue after the time cap.
const factsGrace = 200 * time.Millisecond

// progressTimeout bounds the reading of the URL between two steps, which does not affect the
// status. The answer normally takes milliseconds. The limit is far above that, so that a
// busy machine does not hit it. We need a limit because OpenChrome 1.7.15 may wait 30 s for
// JavaScript on a loading tab.
const progressTimeout = 5 * time.Second

// Options are one episode's parts.
type Options struct {
	Task       task.Spec
	Under      record.Under // the policy that carries the task out
	Repetition int          // from 1
	Attempt    int          // from 1; 0 means 1 too
	Adapter    adapter.Factory
	Transcript string // digest of what the adapter replays; empty: it replays nothing
	Replays    bool   // the adapter is mock: only a transcript can declare a known defect

	// Session is prepared and used by this episode alone; the caller closes it.
	// If it is nil, LaunchErr says why it could not be started.
	Session   session.Session
	Launcher  string // the launcher's name
	LaunchErr error
	LaunchMs  float64           // how long the session took to start
	WaitMs    float64           // how long the episode waited for it
	Viewport  string            // the viewport that was set, or why it was not; see [facts.Prepare]
	Files     map[string]string // the paths of the task's files, see [session.Session]'s PutFiles

	// ToolSize says that the log has the length of the list of tools also without a policy.
	ToolSize bool
	// Strict says that the first changed answer ends the episode.
	Strict bool
	// LiveWeb says that the web is live. Only an observer then knows the requests.
	LiveWeb bool
	// Out is the folder of the run. Page is the folder below Out for the last page of an
	// episode that did not pass, with slashes; "" means that no page is saved. KeepAll also
	// saves the page of an episode that passed.
	Out, Page string
	KeepAll   bool
	KeepSteps bool // also take a screenshot after each step, and save them with the page

	// Resting is called while the episode only waits for late acts in real time, maybe more than once; nil:
	// nobody wants to know.
	Resting func()
	// Emit writes an event to the log. Its error ends the episode.
	Emit func(record.Event) error
	// ClassesDir is the root of screenshot classes; empty: OpenChrome's own
	// default.
	ClassesDir string
}

// Run runs one episode. However the episode ends, the result is a status. An error means
// that the harness failed: the spec has no caps, or an event could not be written.
//
// When ctx ends, the episode is interrupted. Every wait ends at the task's time
// cap, or 200 ms later while facts are read and judged. Before a failure
// counts, Run waits up to 2 s more to learn whether the environment still works.
func Run(ctx context.Context, o Options) (record.Stop, error) {
	var source facts.Source
	if o.Session != nil {
		o.Session = facts.Counted(o.Session)
		source = facts.SourceOf(o.Session)
	}
	return runOn(ctx, o, source)
}

// runOn is [Run] with the source of the facts, which is nil without a session.
func runOn(ctx context.Context, o Options, source facts.Source) (record.Stop, error) {
	r := &run{Options: o, source: source, name: record.EpisodeName(o.Task.ID, o.Repetition)}
	r.emit("", r.reset())
	r.began = time.Now()
	pulse, end := startPulse()
	defer end()
	r.pulse = pulse
	switch {
	case o.Session != nil:
		r.session(ctx)
		r.endProgram(ctx)
	case ctx.Err() != nil:
		r.end = record.EndStopped
	default:
		r.end = record.EndNoSession
	}
	stop := r.stop(ctx)
	r.keepPage(ctx, stop)
	r.askWeb(ctx, stop)
	stop.Success = o.Task.Success.Raw() // only now: OpenChrome must not find it in the log
	stop.TaskFile = o.Task.Folder.Path(task.FileName)
	r.emit("", stop)
	return *r.hidden(stop).(*record.Stop), r.logErr
}

// run is the state of one episode.
type run struct {
	Options
	source facts.Source
	name   string
	began  time.Time
	seq    int
	logErr error

	tabs     tabs
	sent     []time.Time      // when the calls were sent, by step
	lastCall time.Time        // when the last call was sent
	answered time.Time        // when the last call ended
	steps    []adapter.Step   // the first is step 0
	kept     int              // bytes of answers in steps
	forgot   int              // the last step whose answer is no longer in steps
	program  adapter.Program  // nil: the adapter is none
	secrets  session.Redactor // of the program
	printed  []byte           // by the program
	hid      bool             // a secret was taken out of an event or a file

	controls record.Controls // of the traces so far
	shots    map[int][]byte  // by step, if they are kept
	shotSize int

	end        record.End // why the steps ended
	unjudged   bool       // the adapter said that the server cannot do the task
	adapterErr error
	looked     int // see [adapter.Decision]
	found      int
	causes     record.Causes // causes of the status, from the emitted events
	waited     record.Waited // by the verdict
	held       bool          // the contract held, settled or not, before an act of ours
	hangs      bool          // the page did not answer the last reading in time
	serverEnd  error         // how the server ended while no call was pending
	pulse      *pulse
}

// emit logs an event and adds it to the causes of the status, so that the status can be
// derived from the log alone. After a failed write it logs nothing more.
func (r *run) emit(by record.By, body record.Body) {
	if r.logErr != nil {
		return
	}
	r.seq++
	r.causes.Add(body)
	if body = r.hidden(body); r.logErr != nil {
		return
	}
	r.logErr = r.Emit(record.Event{Seq: r.seq, TS: time.Now().UTC(), Episode: r.name, By: by, Body: body})
}

func (r *run) reset() *record.Reset {
	t := r.Task
	b := &record.Reset{
		Task: record.Task{
			ID: t.ID, Under: r.Under, Title: t.Title, StartURL: t.StartURL, Goal: t.Goal, Category: t.Category, Tags: t.Tags,
			MaxSteps: t.MaxSteps, MaxDurationMs: t.MaxDurationMs,
			Transcript: r.Transcript, Revision: t.Revision,
		},
		Repetition: r.Repetition, Attempt: r.Attempt, LaunchMs: r.LaunchMs, WaitMs: r.WaitMs, Viewport: r.Viewport,
	}
	if r.Attempt == 1 {
		b.Attempt = 0 // the log of a run without other attempts does not number them
	}
	if r.Session == nil {
		b.Error = r.LaunchErr.Error()
		if refused, ok := errors.AsType[*facts.Refused](r.LaunchErr); ok {
			server := refused.Server
			server.Launcher = r.Launcher
			b.Server, b.Refused = &server, true
			for _, tool := range refused.Tools {
				b.Tools = append(b.Tools, tool.Name)
			}
		}
		return b
	}
	server := r.Session.Identity()
	server.Launcher, server.Facts = r.Launcher, r.source.Kind()
	b.Server = &server
	for _, tool := range r.Session.Tools() {
		b.Tools = append(b.Tools, tool.Name)
	}
	if r.Under.Policy != "" || r.ToolSize {
		b.ToolSize = new(sizeOf(r.Session.Tools()))
	}
	return b
}

// sizeOf returns the length of the tools as they came.
func sizeOf(tools []adapter.Tool) tokens.Size {
	var list strings.Builder
	enc := json.NewEncoder(&list)
	enc.SetEscapeHTML(false)
	enc.Encode(tools) // a builder takes all, and the tools came as JSON
	return tokens.SizeOf(strings.TrimSpace(list.String()))
}

// session runs the episode on its session, with the clock started.
func (r *run) session(ctx context.Context) {
	r.end, r.adapterErr = r.allSteps(ctx)
	if r.logErr != nil || r.end == record.EndStopped || r.end == record.EndUnsupported || r.unjudged || r.causes.Interrupted != "" || r.causes.ToolError != "" {
		return
	}
	graced, cancel := context.WithDeadline(ctx, r.deadline().Add(factsGrace))
	defer cancel()
	r.judge(ctx, graced)
}

// deadline is when the clock of the episode ends.
func (r *run) deadline() time.Time { return r.began.Add(r.Task.MaxDuration()) }

// serverEndTimeout bounds the ping that checks whether the server is alive, which takes
// milliseconds.
const serverEndTimeout = 500 * time.Millisecond

// fault returns why a call has no answer: the run was stopped, the time cap was
// hit, the session's environment failed, or OpenChrome did.
func fault(ctx context.Context, err error) record.Fault {
	_, gone := errors.AsType[*session.Error](err) // even if a time limit was hit too
	outage, ours := errors.AsType[*session.Outage](err)
	switch {
	case ctx.Err() != nil:
		return record.Fault{Cause: record.CauseStopped, Failure: "cancelled: the run was stopped"}
	case !gone && errors.Is(err, context.DeadlineExceeded):
		return record.Fault{Cause: record.CauseTimeCap, Failure: "cancelled at the time cap"}
	case ours:
		return record.Fault{Cause: record.CauseOutage, Failure: outage.Error()}
	}
	return record.Fault{Cause: record.CauseOpenChrome, Failure: err.Error()}
}

// own is [fault] for the harness's own calls. Only OpenChrome's end, an outage and a
// stopped run are faults there; an error answer or the call's own time limit is not. With
// an observer OpenChrome's end has no cause, because the page can be judged without
// OpenChrome. If the adapter still needs OpenChrome, its next call will be the fault.
func (r *run) own(ctx context.Context, err error) record.Fault {
	_, gone := errors.AsType[*session.Error](err)
	_, outage := errors.AsType[*session.Outage](err)
	if !gone && !outage && ctx.Err() == nil {
		return record.Fault{}
	}
	f := fault(ctx, err)
	if f.Cause == record.CauseOpenChrome && r.observed() {
		f.Cause = ""
	}
	return f
}
