package episode

import (
	"context"
	"encoding/json"
	"time"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/drive/observer"
	"github.com/openchrome/bench/harness/internal/record"
)

// maxShots is how many bytes an episode keeps of screenshots after steps.
const maxShots = 32 << 20

// shotTimeout bounds a screenshot after a step.
const shotTimeout = 500 * time.Millisecond

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
func (r *run) node(ctx context.Context, tab string, c adapter.Call) *record.Control {
	o := r.Session.Observer()
	if o == nil {
		return nil
	}
	o.Ear.Prepare(ctx, tab)
	id, ok := r.Session.Server().Node(c)
	if !ok {
		return nil
	}
	return o.Ear.Element(ctx, tab, id)
}

// trace logs what the pages got in the last step, which was made on the tab that is named. It has
// the seq of the answer before it, so that the digests of events do not depend on it.
func (r *run) trace(ctx context.Context, tab string, node *record.Control) {
	if r.logErr != nil {
		return
	}
	t := record.Trace{Missing: "there is no observer"}
	last := len(r.steps) - 1
	if o := r.Session.Observer(); o != nil {
		tabs := []string{tab}
		if now := r.tab(); now != tab {
			tabs = append(tabs, now)
		}
		t = o.Ear.Take(ctx, tabs...)
		r.keepShot(ctx, o, last)
	}
	t.Step, t.Tab, t.Node = last, tab, node
	if body := r.hidden(r.controls.Pack(t)); r.logErr == nil {
		r.logErr = r.Emit(record.Event{Seq: r.seq, TS: time.Now().UTC(), Episode: r.name, Body: body})
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
