package observer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	"github.com/openchrome/bench/harness/internal/drive/devtools"
)

// PageTime is the clock of all pages of a browser: their timers, dates, transitions and animations
// follow it. It stands, but for [PageTime.Step]. There is no way back to real time.
//
// Frames, workers, sockets and servers stay in real time. So while one of them is at work, a step
// takes as long as it says.
type PageTime struct {
	// Now is how far the time has come.
	Now time.Duration
	// Frames says that the pages run scripts in frames (requestAnimationFrame), so that each step takes
	// as long as it says.
	Frames bool

	o     *Observer
	began time.Time
}

const (
	// longRequest is how long page time stands for a request. A longer one has its answer in real time.
	longRequest = time.Second
	// framesTime is some frames, and firstStep is more: Chromium draws none while page time is behind.
	framesTime = 50 * time.Millisecond
	firstStep  = 200 * time.Millisecond
	// frameLead is how far page time is ahead of real time at least, while frames are wanted.
	frameLead = 300 * time.Millisecond
	// lostAfter is when a budget is given again. Chromium may have lost it with the process of an old
	// document, or an older budget of a closed page has stopped the clock.
	lostAfter = 300 * time.Millisecond
	// probe is the budget by which a clock is found out.
	probe = time.Millisecond
)

// StartPageTime stops the time of all pages, after a first step. It returns an error, and leaves the
// pages in real time, if the browser refuses or if a page has something at work that page time would
// leave behind.
func (o *Observer) StartPageTime(ctx context.Context) (*PageTime, error) {
	// The observer hears only of dedicated workers.
	list, err := devtools.Call(ctx, devtools.Session{Conn: o.conn}, target.GetTargets, target.GetTargetsParams{})
	if err != nil {
		return nil, err
	}
	o.mu.Lock()
	for _, t := range list.TargetInfos {
		o.workers = o.workers || t.Type == "service_worker" || t.Type == "shared_worker"
	}
	o.mu.Unlock()
	for _, w := range o.targets() {
		devtools.Tell(w.session, performance.Enable, performance.EnableParams{})
	}
	if what := o.atWork(); what != "" {
		return nil, fmt.Errorf("%s was open", what)
	}
	p := &PageTime{o: o, began: time.Now()}
	err = p.Step(ctx, firstStep)
	if _, refused := errors.AsType[*devtools.ProtocolError](err); refused {
		return nil, err
	}
	p.Frames = p.RunsFrames(ctx)
	return p, nil // a page that computes is in page time nevertheless
}

// RunsFrames reports whether a script runs while page time stands, as only frames make it.
func (p *PageTime) RunsFrames(ctx context.Context) bool {
	for _, w := range p.o.targets() {
		p.readTimeline(ctx, w)
	}
	before := p.scriptTime(ctx)
	return sleep(ctx, framesTime) == nil && p.scriptTime(ctx) > before
}

// targets returns the pages, and the frames that have a process of their own.
func (o *Observer) targets() (all []*watched) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, t := range o.tabs {
		if t.gone == "" {
			all = append(append(all, t.watched), t.frames...)
		}
	}
	return all
}

// atWork names something of a page that goes on in real time; "" if there is nothing.
func (o *Observer) atWork() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.workers {
		return "a worker"
	}
	for _, w := range o.sessions {
		for _, r := range w.requests {
			switch {
			case r.kind == network.ResourceTypeEventSource:
				return "a stream of events"
			case r.kind == network.ResourceTypeWebSocket:
				return "a socket"
			case r.answered.IsZero() && time.Since(r.sent) > longRequest:
				return "a request of more than a second"
			}
		}
	}
	return ""
}

// Answered waits until each request that a page has sent has its answer, but for those that take longer
// than a second.
func (p *PageTime) Answered(ctx context.Context) error {
	for began := time.Now(); p.isWaiting(began); {
		if err := pause(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (p *PageTime) isWaiting(since time.Time) bool {
	p.o.mu.Lock()
	defer p.o.mu.Unlock()
	for _, w := range p.o.sessions {
		for _, r := range w.requests {
			if r.isOpen() && r.sent.Before(since) && time.Since(r.sent) <= longRequest {
				return true
			}
		}
	}
	return false
}

// Paced reports whether something of a page is at work in real time. A document that has not loaded may
// wait for an answer whose request the observer did not hear.
func (p *PageTime) Paced() bool {
	p.o.mu.Lock()
	loading := p.o.loading
	p.o.mu.Unlock()
	return loading || p.o.atWork() != ""
}

// Step waits until the requests of all pages have their answers, and lets their time go on by d, which
// is short enough for what opens meanwhile. A dialog that opens is closed, which is an act of the
// harness. The error is the one of ctx, or the browser is gone or refuses.
func (p *PageTime) Step(ctx context.Context, d time.Duration) error {
	if err := p.Answered(ctx); err != nil {
		return err
	}
	began, paced := time.Now(), p.Frames || p.Paced()
	budget := d
	if paced {
		budget = max(d, began.Sub(p.began)+frameLead-p.Now)
	}
	p.o.mu.Lock()
	p.o.stepped = began
	p.o.mu.Unlock()
	if err := p.spend(ctx, budget); err != nil {
		return err
	}
	if p.Now += budget; paced {
		return sleep(ctx, d-time.Since(began))
	}
	return nil
}

// spend gives each clock the budget, and waits until it is spent. Pages of one process share a clock.
// Each budget stops its clock at its end, so a clock gets one at a time.
func (p *PageTime) spend(ctx context.Context, budget time.Duration) error {
	var leaders []*watched
	served := map[float64]bool{}
	for _, w := range p.o.targets() {
		if p.clockOf(w) == 0 { // find out whose clock it has
			if err := p.give(ctx, w, probe); err != nil {
				return err
			}
			if err := p.wait(ctx, w, probe); err != nil {
				return err
			}
		}
		p.readTimeline(ctx, w)
		if served[p.clockOf(w)] {
			continue
		}
		if err := p.give(ctx, w, budget); err != nil {
			return err
		}
		served[p.clockOf(w)] = true
		leaders = append(leaders, w)
	}
	for _, w := range leaders {
		if err := p.wait(ctx, w, budget); err != nil {
			return err
		}
	}
	return nil
}

// wait waits until the clock of a target has spent its budget. If the target closes meanwhile, another
// one on the clock gets it.
func (p *PageTime) wait(ctx context.Context, w *watched, budget time.Duration) error {
	for given := time.Now(); ; {
		p.closeDialogs(ctx)
		p.o.mu.Lock()
		spent, gone := w.spent, p.o.sessions[w.session.ID] != w
		p.o.mu.Unlock()
		if gone {
			for _, heir := range p.o.targets() {
				if p.clockOf(heir) == p.clockOf(w) {
					w, gone, given = heir, false, time.Time{}
					break
				}
			}
		}
		if spent || gone {
			return nil
		}
		if time.Since(given) > lostAfter {
			if err := p.give(ctx, w, budget); err != nil {
				return err
			}
			given = time.Now()
		}
		select {
		case <-p.o.ticked:
		case <-time.After(10 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (p *PageTime) clockOf(w *watched) float64 {
	p.o.mu.Lock()
	defer p.o.mu.Unlock()
	return w.clock
}

// give sets the budget of a target's clock. A target that is gone has none.
func (p *PageTime) give(ctx context.Context, w *watched, budget time.Duration) error {
	p.o.mu.Lock()
	w.spent = false
	p.o.mu.Unlock()
	ms := float64(budget.Milliseconds())
	// Not pauseIfNetworkFetchesPending: Chromium 156 does not see the end of each request of a document
	// that another one replaces, and then stands for ever.
	r, err := devtools.Call(ctx, w.session, emulation.SetVirtualTimePolicy, emulation.SetVirtualTimePolicyParams{
		Policy: emulation.VirtualTimePolicyAdvance, Budget: &ms,
	})
	p.o.mu.Lock()
	defer p.o.mu.Unlock()
	if p.o.sessions[w.session.ID] != w {
		w.clock = 0
		return nil
	}
	w.clock = r.VirtualTimeTicksBase
	return err
}

func (o *Observer) budgetExpired(w *watched, _ *emulation.EventVirtualTimeBudgetExpired) {
	w.spent = true
	select {
	case o.ticked <- struct{}{}:
	default:
	}
}

// readTimeline makes the animations of a target follow page time: a frame takes the time that a script
// last saw. It does not wait for the page.
func (p *PageTime) readTimeline(ctx context.Context, w *watched) {
	p.o.mu.Lock()
	world, params := w.world, runtime.EvaluateParams{Expression: "document.timeline.currentTime", Silent: new(true)}
	p.o.mu.Unlock()
	switch {
	case world != "":
		params.UniqueContextID = world
	case w.isPage:
		return // nobody reads it, or its document is new
	default:
		made, err := devtools.Call(ctx, w.session, page.CreateIsolatedWorld, page.CreateIsolatedWorldParams{FrameID: w.frame, WorldName: "openchrome-bench"})
		if err != nil {
			return
		}
		params.ContextID = made.ExecutionContextID
	}
	devtools.Tell(w.session, runtime.Evaluate, params)
}

// closeDialogs closes the dialogs of all tabs: they stop page time, and the server cannot close them.
func (p *PageTime) closeDialogs(ctx context.Context) {
	p.o.mu.Lock()
	var open []*tab
	for _, t := range p.o.tabs {
		if t.open != nil {
			open = append(open, t)
		}
	}
	p.o.mu.Unlock()
	for _, t := range open {
		p.o.dismiss(ctx, t)
	}
}

// scriptTime returns how long the scripts of all pages ran, in seconds.
func (p *PageTime) scriptTime(ctx context.Context) (sum float64) {
	for _, w := range p.o.targets() {
		metrics, _ := devtools.Call(ctx, w.session, performance.GetMetrics, cdp.Empty{}) // a page that is gone has none
		for _, m := range metrics.Metrics {
			if m.Name == "ScriptDuration" {
				sum += m.Value
			}
		}
	}
	return sum
}

func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
