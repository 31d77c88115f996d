package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/drive/policy"
	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/read/intent"
	"github.com/openchrome/bench/harness/internal/read/server"
	"github.com/openchrome/bench/harness/internal/read/task"
	"github.com/openchrome/bench/harness/internal/read/transcript"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// times is how much larger the caps of a task are for a policy: they fit its oracle, which types
// nothing key by key and reads no field again.
const times = 3

// leaveOutWithoutIntents leaves out the tasks of a suite that have no intents, and says so. If a task is
// named, or none is left, that they are missing is an error.
func (p *plan) leaveOutWithoutIntents(o Options) {
	var ids []string
	for _, t := range p.tasks {
		if t.Missing != "" {
			ids = append(ids, t.ID)
		}
	}
	if !p.reader.Kind.Intents || o.Task != "" || ids == nil || len(ids) == len(p.tasks) {
		return
	}
	p.tasks = slices.DeleteFunc(p.tasks, func(t transcript.Prepared) bool { return t.Missing != "" })
	p.notes = append(p.notes, fmt.Sprintf("left out %s without %s: %s", display.Count(len(ids), "task"), intent.FileName, strings.Join(ids, ", ")))
}

// leaveOutPages leaves out the tasks whose contract needs a page, and names them, if nobody can read one: the
// browser is not ours, and the server has not the tool that reads facts.
func (p *plan) leaveOutPages(o Options) error {
	if _, reads := o.Choice().Describe().Tools["javascript_tool"]; reads || !o.Choice().Any() {
		return nil
	}
	var ids []string
	for _, t := range p.tasks {
		if t.Success.Needs().Page {
			ids = append(ids, t.ID)
		}
	}
	if ids == nil {
		return nil
	}
	p.tasks = slices.DeleteFunc(p.tasks, func(t transcript.Prepared) bool { return t.Success.Needs().Page })
	note := fmt.Sprintf("left out %s whose contract needs a page, which this server's browser does not show us: %s",
		display.Count(len(ids), "task"), strings.Join(ids, ", "))
	if len(p.tasks) == 0 {
		return usage(errors.New(note + "; choose other tasks with -task or -suite"))
	}
	p.notes = append(p.notes, note)
	return nil
}

// profiled is a launcher of a server whose description the run knows, and the launcher may not.
type profiled struct {
	session.Launcher
	row *server.Server
}

type profiledSession struct {
	session.Session
	row *server.Server
}

// Launch implements [session.Launcher].
func (l profiled) Launch(ctx context.Context) (session.Session, error) {
	s, err := l.Launcher.Launch(ctx)
	if err != nil {
		return nil, err
	}
	return profiledSession{s, l.row}, nil
}

// Server implements [session.Session].
func (s profiledSession) Server() *server.Server { return s.row }

// FitsProfile reports whether -profile, if there is one, describes the server that is driven.
func (o Options) FitsProfile() bool {
	return o.Described == nil || o.Choice().Describe() == o.Described
}

// fit returns an error if no description fits the server of a run with policies: nobody described the server,
// or what it shows of a page with a control of each kind cannot be read. If no page opens, there is no error:
// the episodes say why. Nor is there one if the server lacks a tool of a description of ours, or between the builds
// of bench:parity, of which the one that shows less fails.
func (r *runner) fit(ctx context.Context, p *plan) error {
	if !p.reader.Kind.Intents || r.launcher.Shared { // an address sees none of our pages
		return nil
	}
	l := launch(ctx, r.launcher, job{task: &p.tasks[0]})
	if l.err != nil {
		return nil
	}
	defer l.session.Close()
	called := l.session.Identity().Name
	if r.Choice().Any() && r.Described == nil && called != record.StandinName && server.Title(called) == called {
		return usage(fmt.Errorf("-server: no description knows this server, %s; write one for -profile: see servers/README.md",
			display.Quote(called)))
	}
	call := func(c adapter.Call) (adapter.Result, error) {
		c.Tool = p.profile.Listed(c.Tool, l.session.Tools())
		if r.Described == nil && !session.Has(l.session, c.Tool) {
			return adapter.Result{}, errors.New("the server lacks the tool")
		}
		return l.session.Call(ctx, c)
	}
	answer, err := call(p.profile.Opening(policy.EveryControl))
	if err != nil {
		return nil
	}
	var missing []string
	look := policy.Look(p.profile, answer.TabID())
	for range 2 { // a busy machine shows it late
		if answer, err = call(look); err != nil {
			return nil
		}
		if missing = policy.Unread(ctx, p.profile, answer); missing == nil {
			return nil
		}
	}
	err = fmt.Errorf("the description of %s does not fit: in the answer %s to %s it finds nothing to %s; see servers/README.md",
		p.profile.Name, display.Short(answer.Text()), policy.EveryControl, strings.Join(missing, ", "))
	if r.Parity.Run != "" && r.Described == nil { // a build that shows less than the other is worse
		r.out.Say(err.Error())
		return nil
	}
	return usage(err)
}

// policies makes a task of each task and each policy that -adapter names.
func (p *plan) policies(o Options) error {
	if !o.FitsProfile() {
		return usage(fmt.Errorf("-profile: %s is of %s, but the server is %s",
			display.Quote(o.Profile), display.Quote(o.Described.Name), display.Quote(o.Choice().Describe().Name)))
	}
	if !p.reader.Kind.Intents {
		p.profile = o.Described
		return nil
	}
	profile := o.Choice().Describe()
	list, left, err := policy.Policies(profile, o.Adapter)
	if err != nil {
		return usage(err)
	}
	p.profile = profile
	if left != nil {
		p.notes = append(p.notes, fmt.Sprintf("%s%s leaves out %s: %s has no such call", policy.Prefix, policy.All, strings.Join(left, ", "), profile.Name))
	}
	var tasks []transcript.Prepared
	for _, t := range p.tasks {
		if o.MaxSteps == 0 {
			t.MaxSteps = min(times*t.MaxSteps, task.LimitMaxSteps)
		}
		if o.MaxDuration == 0 {
			t.MaxDurationMs = min(times*t.MaxDurationMs, task.LimitMaxDurationMs)
		}
		t.Of = t.ID
		for _, t.Policy = range list {
			t.ID, t.Adapter = record.PolicyID(t.Of, t.Policy), policy.New(profile, t.Policy, t.Intents, o.Found)
			tasks = append(tasks, t)
		}
	}
	p.tasks = tasks
	return nil
}
