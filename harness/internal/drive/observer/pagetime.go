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
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/cdproto/runtime"

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
	// Late says that no step waits for frames any more.
	Late bool

	o     *Observer
	began time.Time
	moves bool // a page has animations
	// frames says that scripts of a page run in frames (requestAnimationFrame), so that each step takes as
	// long as it says.
	frames bool
	came   map[float64]time.Duration // how far each clock had come at the end of its last step
}

const (
	// longRequest is how long page time stands for a request. A longer one has its answer in real time.
	longRequest = time.Second
	// framesTime is two frames, and firstStep is more: Chromium draws none while page time is behind.
	framesTime = 34 * time.Millisecond
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
	if what := o.atWork(); what != "" {
		return nil, fmt.Errorf("%s was open", what)
	}
	p := &PageTime{o: o, began: time.Now(), came: map[float64]time.Duration{}}
	err := p.Step(ctx, firstStep)
	if _, refused := errors.AsType[*devtools.ProtocolError](err); refused {
		return nil, err
	}
	p.RunsFrames(ctx)
	return p, nil // a page that computes is in page time nevertheless
}

// RunsFrames waits for frames, and reports whether a script runs while page time stands, as only they
// make it.
func (p *PageTime) RunsFrames(ctx context.Context) bool {
	for range 2 {
		if p.moves { // what has ended by now is drawn
			p.draw(ctx)
		}
	}
	before := p.scriptTime(ctx)
	p.frames = sleep(ctx, framesTime) == nil && p.scriptTime(ctx) > before
	return p.frames
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
	began, paced := time.Now(), p.frames && !p.Late || p.Paced()
	budget := d
	if paced || p.moves {
		budget = max(d, began.Sub(p.began)+frameLead-p.Now)
	}
	p.o.mu.Lock()
	p.o.stepped = began
	p.o.mu.Unlock()
	if err := p.spend(ctx, budget); err != nil {
		return err
	}
	p.Now += budget
	p.draw(ctx)
	if paced {
		return sleep(ctx, d-time.Since(began))
	}
	return nil
}

// draw makes animations follow page time: a frame takes the time that a script last saw, and a transition
// begins when the layout is asked for. It waits for a frame of each page that moves and can be seen.
func (p *PageTime) draw(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, lostAfter) // a dialog may open
	defer cancel()
	script := runtime.EvaluateParams{
		Expression: "document.timeline.currentTime, document.documentElement.offsetWidth", Silent: new(true),
	}
	if !p.Late {
		script.Expression += `, document.getAnimations().length > 0 &&
			(document.hidden || new Promise(f => requestAnimationFrame(() => f(true))))`
		script.AwaitPromise = new(true)
	}
	p.moves = false
	for _, w := range p.o.targets() {
		if p.Late {
			devtools.Tell(w.session, runtime.Evaluate, script)
		} else {
			r, _ := devtools.Call(ctx, w.session, runtime.Evaluate, script) // its error is that of a page that is gone
			p.moves = p.moves || r.Result != nil && string(r.Result.Value) == "true"
		}
	}
	p.moves = p.moves || ctx.Err() != nil
}

// spend lets each clock go on by the budget. Pages of one process share a clock.
func (p *PageTime) spend(ctx context.Context, budget time.Duration) error {
	leaders := map[float64]*watched{}
	for _, w := range p.o.targets() {
		clock, err := p.clockOf(ctx, w)
		if err != nil {
			return err
		}
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
		p.give(w, clock, budget)
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
// spent, also an older one and one of another page. If there is one, the clock is read, and gets what is
// left of the way. If w closes meanwhile, another target on the clock gets it.
func (p *PageTime) wait(ctx context.Context, clock float64, w *watched, end time.Duration) error {
	for given := time.Now(); ; {
		p.closeDialogs(ctx)
		p.o.mu.Lock()
		spent, open, gone := w.spent, p.o.budgets[clock], p.o.sessions[w.session.ID] != w || w.clock != clock
		p.o.mu.Unlock()
		if gone {
			all := p.o.targets()
			i := slices.IndexFunc(all, func(heir *watched) bool { return p.o.has(heir, clock) })
			if i < 0 {
				return nil
			}
			w = all[i]
		}
		if spent && open == 0 {
			p.came[clock] = end
			return nil
		}
		if spent || gone || time.Since(given) > lostAfter {
			limited, cancel := context.WithTimeout(ctx, lostAfter) // a dialog may open
			now, _, err := w.metrics(limited)
			cancel()
			if err == nil {
				if p.came[clock] = now; end-now < probe {
					return nil
				}
				p.give(w, clock, end-now)
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

func (o *Observer) has(w *watched, clock float64) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return w.clock == clock
}

// clockOf names the clock of a target; 0 if the target is gone. A budget finds it out.
func (p *PageTime) clockOf(ctx context.Context, w *watched) (float64, error) {
	p.o.mu.Lock()
	clock := w.clock
	w.spent = w.spent && clock != 0
	p.o.mu.Unlock()
	if clock != 0 {
		return clock, nil
	}
	r, err := devtools.Call(ctx, w.session, emulation.SetVirtualTimePolicy, advance(probe))
	p.o.mu.Lock()
	defer p.o.mu.Unlock()
	if p.o.sessions[w.session.ID] != w {
		return 0, nil
	}
	if w.clock = r.VirtualTimeTicksBase; !w.spent {
		p.o.budgets[w.clock]++
	}
	return w.clock, err
}

// give sets the budget of a target's clock.
func (p *PageTime) give(w *watched, clock float64, budget time.Duration) {
	p.o.mu.Lock()
	w.spent = false
	p.o.budgets[clock]++
	p.o.mu.Unlock()
	devtools.Tell(w.session, emulation.SetVirtualTimePolicy, advance(budget))
}

// advance is not pauseIfNetworkFetchesPending: Chromium 156 does not see the end of each request of a
// document that another one replaces, and then stands for ever.
func advance(budget time.Duration) emulation.SetVirtualTimePolicyParams {
	return emulation.SetVirtualTimePolicyParams{
		Policy: emulation.VirtualTimePolicyAdvance, Budget: new(float64(budget) / float64(time.Millisecond)),
	}
}

func (o *Observer) budgetExpired(w *watched, _ *emulation.EventVirtualTimeBudgetExpired) {
	if w.spent = true; w.clock != 0 {
		o.budgets[w.clock]--
		for _, on := range o.sessions {
			on.spent = on.spent || on.clock == w.clock
		}
	}
	select {
	case o.ticked <- struct{}{}:
	default:
	}
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
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
