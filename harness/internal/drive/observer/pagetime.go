package observer

import (
	"context"
	"errors"
	"fmt"
	"slices"
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
	came  map[float64]time.Duration // how far each clock had come at the end of its last step
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
	if what := o.atWork(); what != "" {
		return nil, fmt.Errorf("%s was open", what)
	}
	p := &PageTime{o: o, began: time.Now(), came: map[float64]time.Duration{}}
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

// spend lets each clock go on by the budget. Pages of one process share a clock.
func (p *PageTime) spend(ctx context.Context, budget time.Duration) error {
	leaders := map[float64]*watched{}
	for _, w := range p.o.targets() {
		if p.clockOf(w) == 0 { // find out whose clock it has
			if err := p.give(ctx, w, probe); err != nil {
				return err
			}
		}
		p.readTimeline(ctx, w)
		clock := p.clockOf(w)
		if clock == 0 || leaders[clock] != nil {
			continue
		}
		if _, known := p.came[clock]; !known {
			now, _, err := w.metrics(ctx)
			if err != nil {
				continue // the page is gone
			}
			p.came[clock] = now
		}
		if err := p.give(ctx, w, budget); err != nil {
			return err
		}
		leaders[clock] = w
	}
	for clock, w := range leaders {
		if err := p.wait(ctx, clock, w, p.came[clock]+budget); err != nil {
			return err
		}
	}
	return nil
}

// wait waits until a clock has come to its end. w got its budget. Each budget stops its clock when it is
// spent, also an older one and one of another page, and then the clock gets what is left of the way. If
// w closes meanwhile, another target on the clock gets it.
func (p *PageTime) wait(ctx context.Context, clock float64, w *watched, end time.Duration) error {
	for given := time.Now(); ; {
		p.closeDialogs(ctx)
		p.o.mu.Lock()
		spent, gone := w.spent, p.o.sessions[w.session.ID] != w || w.clock != clock
		p.o.mu.Unlock()
		if gone {
			all := p.o.targets()
			i := slices.IndexFunc(all, func(heir *watched) bool { return p.clockOf(heir) == clock })
			if i < 0 {
				return nil
			}
			w = all[i]
		}
		if spent || gone || time.Since(given) > lostAfter {
			limited, cancel := context.WithTimeout(ctx, lostAfter) // a dialog may open
			now, _, err := w.metrics(limited)
			cancel()
			if err == nil {
				if p.came[clock] = now; end-now < probe {
					return nil
				}
				if err := p.give(ctx, w, end-now); err != nil {
					return err
				}
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
	ms := float64(budget) / float64(time.Millisecond)
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
	for _, on := range o.sessions {
		on.spent = on.spent || on.clock == w.clock
	}
	select {
	case o.ticked <- struct{}{}:
	default:
	}
}

// readTimeline makes the animations of a target follow page time: a frame takes the time that a script
// last saw, and a transition begins when the layout is asked for. It does not wait for the page.
func (p *PageTime) readTimeline(ctx context.Context, w *watched) {
	p.o.mu.Lock()
	params := runtime.EvaluateParams{Expression: "document.timeline.currentTime; document.documentElement?.offsetWidth", Silent: new(true)}
	params.UniqueContextID = w.world
	p.o.mu.Unlock()
	if params.UniqueContextID == "" { // nobody reads it, or its document is new
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

// scriptTime returns how long the scripts of all pages ran.
func (p *PageTime) scriptTime(ctx context.Context) (sum time.Duration) {
	for _, w := range p.o.targets() {
		_, scripts, _ := w.metrics(ctx) // a page that is gone has none
		sum += scripts
	}
	return sum
}

// metrics returns what the clock of a target says, and how long its scripts ran.
func (w *watched) metrics(ctx context.Context) (clock, scripts time.Duration, err error) {
	r, err := devtools.Call(ctx, w.session, performance.GetMetrics, cdp.Empty{})
	for _, m := range r.Metrics {
		switch d := time.Duration(m.Value * float64(time.Second)); m.Name {
		case "Timestamp":
			clock = d
		case "ScriptDuration":
			scripts = d
		}
	}
	return clock, scripts, err
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
