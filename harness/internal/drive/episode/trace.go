package episode

import (
	"context"
	"encoding/json"
	"time"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/drive/effect"
	"github.com/openchrome/bench/harness/internal/drive/listen"
	"github.com/openchrome/bench/harness/internal/drive/observer"
	"github.com/openchrome/bench/harness/internal/record"
)

// How many bytes an episode keeps of traces for its trace.json, about, and of screenshots after steps.
const (
	maxTraces = 8 << 20
	maxShots  = 32 << 20
)

// shotTimeout bounds a screenshot after a step.
const shotTimeout = 500 * time.Millisecond

// noObserver is why nothing is known without an observer.
const noObserver = "there is no observer"

// tabOf returns the tab that a call is made on: the one that it names, or else the current one.
func tabOf(current string, c adapter.Call) string {
	var named struct {
		TabID string `json:"tabId"`
	}
	if json.Unmarshal(c.Args, &named) == nil && named.TabID != "" {
		return named.TabID
	}
	return current
}

// node makes the page known before a call. It returns the element that the call names by the id
// of its node; nil if it is not known.
func (r *run) node(ctx context.Context, tab string, c adapter.Call) *listen.Control {
	o := r.Session.Observer()
	if o == nil {
		return nil
	}
	o.Prepare(ctx, tab)
	id, ok := effect.Node(r.Session.Server(), c)
	if !ok {
		return nil
	}
	return o.Element(ctx, tab, id)
}

// trace logs what the pages got in the last step, which was made on the tab that is named. It has
// the seq of the answer before it, so that the digests of events do not depend on it.
func (r *run) trace(ctx context.Context, tab string, node *listen.Control) {
	if r.logErr != nil {
		return
	}
	last := len(r.steps) - 1
	t := &record.Trace{Step: last}
	if o := r.Session.Observer(); o == nil {
		t.Missing = noObserver
		t.Parts, _ = effect.Judge(r.traced(tab, node, listen.Taken{Missing: noObserver}))
	} else {
		tabs := []string{tab}
		if now := r.tab(); now != tab {
			tabs = append(tabs, now)
		}
		seen := o.Take(ctx, tabs...)
		t.Events, t.Changed, t.Lost = effect.Events(seen.Events), seen.Changed, seen.Lost
		t.Parts, t.Untrue = effect.Judge(r.traced(tab, node, seen))
		r.refs.Learn(r.Session.Server(), r.steps[last].Result.Text())
		r.keepTrace(t, seen)
		r.keepShot(ctx, o, last)
	}
	effect.Fit(t)
	if body := r.hidden(t); r.logErr == nil {
		r.logErr = r.Emit(record.Event{Seq: r.seq, TS: time.Now().UTC(), Episode: r.name, Body: body})
	}
}

// traced returns the last step as its words are judged.
func (r *run) traced(tab string, node *listen.Control, seen listen.Taken) effect.Step {
	last := r.steps[len(r.steps)-1]
	return effect.Step{Server: r.Session.Server(), Call: last.Call, Result: last.Result, Refs: &r.refs, Node: node, Tab: tab, Seen: seen}
}

// wholeTrace is the trace of a step in trace.json.
type wholeTrace struct {
	record.Trace
	Controls []listen.Control `json:"controls,omitempty"` // of the pages, after the step
}

func (r *run) keepTrace(t *record.Trace, seen listen.Taken) {
	for _, c := range seen.After {
		r.traceSize += 200 + len(c.Value)
	}
	r.traceSize += 300 * len(t.Events)
	if r.traceSize <= maxTraces {
		r.traces = append(r.traces, wholeTrace{*t, seen.After})
	}
}

// keepShot takes a screenshot after a step.
func (r *run) keepShot(ctx context.Context, o *observer.Observer, step int) {
	if !r.KeepSteps {
		return
	}
	limited, cancel := context.WithTimeout(ctx, shotTimeout)
	defer cancel()
	png := o.Picture(limited, r.tab())
	if r.shotSize += len(png); len(png) == 0 || r.shotSize > maxShots {
		return
	}
	if r.shots == nil {
		r.shots = map[int][]byte{}
	}
	r.shots[step] = png
}
