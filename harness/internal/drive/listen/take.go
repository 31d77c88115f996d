package listen

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/runtime"

	"github.com/openchrome/bench/harness/internal/drive/devtools"
	"github.com/openchrome/bench/harness/internal/record"
)

// readLimit is how long all documents together may take to tell their fields. A document stops
// by itself after readBudget.
const (
	readLimit  = 50 * time.Millisecond
	readBudget = 35 * time.Millisecond
)

// LostFields begins what a Take says of fields that it could not read. Events are not lost then.
const LostFields = "the fields"

// Taken is what the pages got since the last [Ear.Take].
type Taken struct {
	Events []Event
	// Before and After are the controls of the tabs at the last Take and now. BeforeWhole and
	// Whole say that none is missing.
	Before, After      []Control
	BeforeWhole, Whole bool
	Changed            []record.Field // fields that hold another value than before
	Moved              bool           // something in a document changed, or a document was loaded
	Missing            string         // why nothing is known
	Lost               []string       // what may be missing in Events and After
}

// reading is the value of read in listen.js.
type reading struct {
	List    []control `json:"list"`
	Full    bool      `json:"full"`
	Forged  int       `json:"forged"`
	Changed bool      `json:"changed"`
}

// Take returns what the pages got since the last Take, and reads the controls of these tabs. It
// takes at most 50 ms.
func (e *Ear) Take(ctx context.Context, tabs ...string) Taken {
	docs := e.of(tabs...)
	ctx, cancel := context.WithTimeout(ctx, readLimit)
	defer cancel()
	readings, errs := make([]reading, len(docs)), make([]error, len(docs))
	var all sync.WaitGroup
	for i, d := range docs {
		all.Go(func() { readings[i], errs[i] = e.read(ctx, d) })
	}
	all.Wait()

	e.mu.Lock()
	defer e.mu.Unlock()
	out := Taken{Whole: len(docs) > 0, BeforeWhole: true}
	for _, id := range tabs {
		if t := e.tabs[id]; t != nil && t.dialog != "" {
			e.lose(LostFields + ": a dialog is open")
			out.Whole = false
		}
	}
	for i, d := range docs {
		r := readings[i]
		switch {
		case e.docs[d.unique] == nil: // the document is gone, and another one came
			e.step.moved, out.Whole = true, false
			continue
		case errs[i] != nil:
			e.lose(LostFields + " of " + where(d) + ": no answer in time")
			out.Whole = false
			continue
		case !r.Full:
			e.lose(LostFields + " of " + where(d) + ": there are too many")
			out.Whole = false
		}
		if r.Forged > 50 {
			e.lose(fmt.Sprintf("%d events that scripts made", r.Forged-50))
		}
		e.step.moved = e.step.moved || r.Changed
		isNew := d.values == nil
		if isNew {
			d.values = map[int]string{}
		}
		for i := range r.List {
			c := e.control(d, &r.List[i])
			out.After = append(out.After, *c)
			if !c.IsField {
				continue
			}
			was, known := d.values[c.ID]
			if !known && c.Initial != nil {
				was, known = *c.Initial, true
			}
			if known && was != c.Value {
				out.Changed = append(out.Changed, record.Field{Where: c.Where, Element: c.Element, Was: was})
			}
			d.values[c.ID] = c.Value
		}
	}
	for _, id := range tabs {
		if t := e.tabs[id]; t != nil {
			out.Before = append(out.Before, t.controls...)
			out.BeforeWhole = out.BeforeWhole && t.whole
			t.controls, t.whole = nil, out.Whole
			for _, c := range out.After {
				if c.Where.Tab == t.number || c.Where.Tab == 0 && t.number == 1 {
					t.controls = append(t.controls, c)
				}
			}
		}
	}
	out.Events, out.Lost, out.Moved = e.step.events, e.step.lost, e.step.moved
	e.step = heard{}
	return out
}

// of returns the documents of tabs that can answer: no dialog is open.
func (e *Ear) of(tabs ...string) (docs []*document) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, d := range e.docs {
		if t := e.tabs[d.tab]; slices.Contains(tabs, d.tab) && (t == nil || t.dialog == "") {
			docs = append(docs, d)
		}
	}
	slices.SortFunc(docs, func(a, b *document) int { return int(a.id - b.id) })
	return docs
}

func where(d *document) string {
	if d.address != "" {
		return d.address
	}
	return "the page"
}

// read reads the controls of a document.
func (e *Ear) read(ctx context.Context, d *document) (r reading, err error) {
	got, err := devtools.Call(ctx, d.session, runtime.Evaluate, runtime.EvaluateParams{
		Expression:      fmt.Sprintf("self[%q].read(%d)", e.name, readBudget.Milliseconds()),
		UniqueContextID: d.unique, ReturnByValue: new(true), Silent: new(true), DisableBreaks: new(true),
	})
	if err != nil {
		return r, err
	}
	var raw string
	if got.Result == nil || devtools.Unmarshal(got.Result.Value, &raw) != nil {
		return r, fmt.Errorf("our script failed: %v", got.ExceptionDetails)
	}
	return r, devtools.Unmarshal([]byte(raw), &r)
}

// Element returns the control with this backend id of a node. It is nil if it cannot be read in
// time.
func (e *Ear) Element(ctx context.Context, tab string, node int64) *Control {
	ctx, cancel := context.WithTimeout(ctx, readLimit)
	defer cancel()
	for _, d := range e.of(tab) {
		object, err := devtools.Call(ctx, d.session, dom.ResolveNode, dom.ResolveNodeParams{
			BackendNodeID: cdp.BackendNodeID(node), ExecutionContextID: d.id,
		})
		if err != nil || object.Object == nil {
			continue
		}
		got, err := devtools.Call(ctx, d.session, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
			FunctionDeclaration: fmt.Sprintf("function() { return self[%q].describe(this) }", e.name),
			ObjectID:            object.Object.ObjectID, ReturnByValue: new(true), Silent: new(true),
		})
		devtools.Tell(d.session, runtime.ReleaseObject, runtime.ReleaseObjectParams{ObjectID: object.Object.ObjectID})
		var raw string
		var c control
		if err == nil && got.Result != nil && devtools.Unmarshal(got.Result.Value, &raw) == nil && devtools.Unmarshal([]byte(raw), &c) == nil {
			e.mu.Lock()
			defer e.mu.Unlock()
			return e.control(d, &c)
		}
	}
	return nil
}
