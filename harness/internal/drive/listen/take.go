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
	readLimit  = 45 * time.Millisecond
	readBudget = 15 * time.Millisecond
)

// reading is the value of read in listen.js.
type reading struct {
	List    []control `json:"list"`
	Full    bool      `json:"full"`
	Forged  int       `json:"forged"`
	Changed bool      `json:"changed"`
	Hosts   int       `json:"hosts"` // elements that may have a closed shadow root
	Size    int       `json:"size"`  // elements
	Turn    int       `json:"turn"`  // how many readings of the document there were
}

// Take returns what the pages got since the last Take, and reads the controls of these tabs. It
// takes at most 50 ms.
func (e *Ear) Take(ctx context.Context, tabs ...string) record.Trace {
	docs, readings, errs := e.read(ctx, tabs...)
	e.mu.Lock()
	defer e.mu.Unlock()
	survey := func(whole bool) record.Survey {
		s := record.Survey{Whole: whole}
		for _, id := range tabs {
			if t := e.tabs[id]; t != nil {
				s.List = append(s.List, t.controls...)
			}
		}
		return s
	}
	wasWhole := !slices.ContainsFunc(tabs, func(id string) bool { return e.tabs[id] == nil || !e.tabs[id].whole })
	before := survey(wasWhole)
	whole := e.update(tabs, docs, readings, errs)
	out := e.step
	out.Before, out.After = before, survey(whole)
	for i := range out.Events { // a tab has no URL yet when it is opened
		if h := &out.Events[i]; h.Kind == "tab" && h.Text == "" && e.tabs[h.Target] != nil {
			h.Text = e.tabs[h.Target].url
		}
	}
	e.step = record.Trace{}
	return out
}

// Another reading of a page with so many controls or elements would not get further.
const (
	manyControls = 300
	manyElements = 5000
)

// Prepare reads the controls of a tab again before a step, if the last Take could not read all of
// them although they are few. It takes at most 50 ms.
func (e *Ear) Prepare(ctx context.Context, tab string) {
	e.mu.Lock()
	t := e.tabs[tab]
	known := t == nil || t.whole || t.large
	e.mu.Unlock()
	if known {
		return
	}
	docs, readings, errs := e.read(ctx, tab)
	e.mu.Lock()
	defer e.mu.Unlock()
	lost, deaf := e.step.Lost, e.step.Deaf
	e.update([]string{tab}, docs, readings, errs)
	e.step.Lost, e.step.Deaf = lost, deaf // the step has not begun
}

// read reads the documents of tabs at the same time.
func (e *Ear) read(ctx context.Context, tabs ...string) (docs []*document, readings []reading, errs []error) {
	docs = e.of(tabs...)
	ctx, cancel := context.WithTimeout(ctx, readLimit)
	defer cancel()
	readings, errs = make([]reading, len(docs)), make([]error, len(docs))
	var all sync.WaitGroup
	for i, d := range docs {
		all.Go(func() { readings[i], errs[i] = e.readOne(ctx, d) })
	}
	all.Wait()
	return docs, readings, errs
}

// update takes the readings of all documents of tabs, and reports whether they are whole.
func (e *Ear) update(tabs []string, docs []*document, readings []reading, errs []error) bool {
	isWhole := len(docs) > 0
	for _, id := range tabs {
		t := e.tabs[id]
		if t == nil {
			continue
		}
		if t.controls, t.whole = nil, len(docs) > 0; t.dialog != "" {
			e.lack("the fields: a dialog is open")
			t.whole = false
		}
	}
	for i, d := range docs {
		t := e.tabs[d.tab]
		if t == nil {
			continue
		}
		switch r := &readings[i]; {
		case e.docs[d.unique] == nil: // the document is gone, and another one came
			e.step.Moved, t.whole = true, false
		case errs[i] != nil:
			e.lack("the fields of " + where(d) + ": no answer in time")
			t.whole = false
		default:
			if !r.Full {
				e.lack("the fields of " + where(d) + ": there are too many")
				t.whole, t.large = false, t.large || len(r.List) >= manyControls || r.Size >= manyElements
			}
			if r.Forged > maxForged {
				e.lose(fmt.Sprintf("%d events that scripts made", r.Forged-maxForged))
			}
			e.step.Moved = e.step.Moved || r.Changed
			t.controls = append(t.controls, e.values(d, r)...)
		}
	}
	for _, id := range tabs {
		isWhole = isWhole && (e.tabs[id] == nil || e.tabs[id].whole)
	}
	return isWhole
}

// maxForged is as in listen.js.
const maxForged = 50

// values returns the controls of a document, and notes the fields that changed.
func (e *Ear) values(d *document, r *reading) (controls []record.Control) {
	if d.values == nil {
		d.values = map[int]string{}
	}
	for i := range r.List {
		c := e.control(d, &r.List[i])
		controls = append(controls, *c)
		if !c.IsField {
			continue
		}
		was, known := d.values[c.ID]
		if !known && c.Initial != nil {
			was, known = *c.Initial, true
		}
		if known && was != c.Value {
			e.step.Changed = append(e.step.Changed, record.Field{Where: c.Where, Element: c.Element, Was: was})
		}
		d.values[c.ID] = c.Value
	}
	return controls
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

// readOne reads the controls of a document, also those in closed shadow roots.
func (e *Ear) readOne(ctx context.Context, d *document) (r reading, err error) {
	r, err = e.readOnce(ctx, d)
	if err != nil || r.Hosts == 0 {
		return r, err
	}
	got, ok := e.open(ctx, d, &r)
	r.Full = r.Full && ok && got.err == nil
	if got.n == 0 {
		return r, nil
	}
	again, err := e.readOnce(ctx, d)
	if err != nil { // the first reading is better than none
		r.Full = false
		return r, nil
	}
	again.Full = again.Full && got.err == nil
	again.Forged, again.Changed = r.Forged, r.Changed || again.Changed
	return again, nil
}

func (e *Ear) readOnce(ctx context.Context, d *document) (r reading, err error) {
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
func (e *Ear) Element(ctx context.Context, tab string, node int64) *record.Control {
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
