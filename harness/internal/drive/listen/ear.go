// Package listen hears what pages get: pointer, keys, input, forms that are sent, dialogs. It
// puts listeners into each frame and tab, in a world of our own that the page cannot see, and
// reads the controls there. It never acts on a page.
//
// The server's DevTools client is told that the world exists. Its name says nothing.
package listen

import (
	"crypto/rand"
	_ "embed" // the listeners
	"fmt"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/chromedp/cdproto/cdp"
	json "github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"github.com/openchrome/bench/harness/internal/drive/devtools"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/text/display"
)

//go:embed listen.js
var script string

// Limits of a step.
const (
	maxEvents  = 2000
	maxMessage = 256 << 10 // bytes
	maxText    = 500       // characters of a text that is not from our world
	maxLost    = 10
)

// Ear hears the pages of one browser. Its methods may be called by several goroutines.
type Ear struct {
	name string // of the world, and of the binding in it

	mu     sync.Mutex
	tabs   map[string]*tab
	opened int                  // how many tabs were opened
	docs   map[string]*document // by the unique id of our world in it
	loaded int                  // how many documents were
	next   int                  // the last number of an element
	step   record.Trace         // since the last [Ear.Take]
}

type tab struct {
	number   int
	url      string           // of its document
	dialog   string           // the open dialog; "" if there is none
	asks     bool             // it is a question
	controls []record.Control // of the last reading
	whole    bool             // that reading had all of them
	large    bool             // no reading will have all of them, as long as the document lives
}

type document struct {
	session devtools.Session
	id      runtime.ExecutionContextID
	unique  string
	name    string // in the log
	frame   cdp.FrameID
	tab     string
	address string         // of a frame's document; "" for the page itself
	numbers map[int]int    // the numbers of its elements, by the numbers in the document
	values  map[int]string // the values of its fields at the last reading, by number
	failed  atomic.Int32   // how often its closed shadow roots could not all be opened
	opening atomic.Bool    // they are being opened
}

// New returns an ear that hears nothing yet.
func New() *Ear {
	return &Ear{name: "w" + rand.Text()[:8], tabs: map[string]*tab{}, docs: map[string]*document{}}
}

// Arm puts the listeners into the documents of a session. Its events must go to [Ear.Hear].
func (e *Ear) Arm(s devtools.Session) {
	devtools.Tell(s, runtime.AddBinding, runtime.AddBindingParams{Name: e.name, ExecutionContextName: e.name})
	devtools.Tell(s, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{
		Source: fmt.Sprintf("(%s)(%q)", script, e.name), WorldName: e.name, RunImmediately: new(true),
	})
}

const blank = "about:blank"

// Opened notes that a tab was opened.
func (e *Ear) Opened(id, url string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.opened++
	e.tabs[id] = &tab{number: e.opened}
	if url == blank { // as each tab that a script opens begins
		url = ""
	}
	if e.opened > 1 {
		e.add(record.Heard{Target: id, Kind: "tab", Text: display.Cut(url, maxText)})
	}
}

// Closed notes that a tab was closed.
func (e *Ear) Closed(id string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.add(record.Heard{Target: id, Kind: "tab closed"})
	delete(e.tabs, id)
	for unique, d := range e.docs {
		if d.tab == id {
			delete(e.docs, unique)
		}
	}
}

// Failed notes an error of the console.
func (e *Ear) Failed(tab, message string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.add(record.Heard{Target: tab, Kind: "error", Text: display.Cut(message, maxText)})
}

func (e *Ear) add(event record.Heard) {
	if len(e.step.Events) >= maxEvents {
		e.step.Cut = true
		e.lose(fmt.Sprintf("events after the first %d", maxEvents))
		return
	}
	if t := e.tabs[event.Target]; t != nil && t.number > 1 {
		event.Tab = t.number
	}
	e.step.Events = append(e.step.Events, event)
}

// lose notes that events may be missing.
func (e *Ear) lose(what string) {
	e.step.Deaf = true
	e.lack(what)
}

func (e *Ear) lack(what string) {
	if len(e.step.Lost) < maxLost && !slices.Contains(e.step.Lost, what) {
		e.step.Lost = append(e.step.Lost, what)
	}
}

// Hear takes an event of a session that belongs to a tab. It is quick.
func (e *Ear) Hear(s devtools.Session, tab, method string, params json.Value) {
	if hear := hearers[method]; hear != nil {
		e.mu.Lock()
		defer e.mu.Unlock()
		hear(e, s, tab, params)
	}
}

var hearers = map[string]func(e *Ear, s devtools.Session, tab string, params json.Value){}

func on[E any](event cdp.Event[E], f func(e *Ear, s devtools.Session, tab string, event *E)) {
	hearers[event.Method] = func(e *Ear, s devtools.Session, tab string, params json.Value) {
		v := new(E)
		if devtools.Unmarshal(params, v) == nil {
			f(e, s, tab, v)
		}
	}
}

func init() {
	on(runtime.ExecutionContextCreated, (*Ear).created)
	on(runtime.ExecutionContextDestroyed, (*Ear).destroyed)
	on(runtime.ExecutionContextsCleared, (*Ear).cleared)
	on(runtime.BindingCalled, (*Ear).said)
	on(page.DocumentOpened, (*Ear).reopened)
	on(page.JavascriptDialogOpening, (*Ear).dialogOpened)
	on(page.JavascriptDialogClosed, (*Ear).dialogClosed)
	for _, sent := range []string{network.RequestWillBeSent.Method, network.WebSocketFrameSent.Method} {
		hearers[sent] = func(e *Ear, _ devtools.Session, _ string, _ json.Value) { e.step.Moved = true } // the page will change later, perhaps
	}
}

func (e *Ear) created(s devtools.Session, tab string, event *runtime.EventExecutionContextCreated) {
	c := event.Context
	if c == nil || c.Name != e.name {
		return
	}
	var aux struct {
		FrameID cdp.FrameID `json:"frameId"`
	}
	if devtools.Unmarshal(c.AuxData, &aux) != nil {
		return
	}
	e.loaded++
	e.docs[c.UniqueID] = &document{
		session: s, id: c.ID, unique: c.UniqueID, name: strconv.Itoa(e.loaded), frame: aux.FrameID, tab: tab,
		numbers: map[int]int{},
	}
	e.step.Moved = true
	if t := e.tabs[tab]; t != nil && string(aux.FrameID) == tab {
		t.large = false
	}
}

func (e *Ear) destroyed(_ devtools.Session, _ string, event *runtime.EventExecutionContextDestroyed) {
	delete(e.docs, event.ExecutionContextUniqueID)
}

func (e *Ear) cleared(s devtools.Session, _ string, _ *runtime.EventExecutionContextsCleared) {
	for unique, d := range e.docs {
		if d.session.ID == s.ID {
			delete(e.docs, unique)
		}
	}
}

// reopened arms a document again whose listeners document.open has removed.
func (e *Ear) reopened(s devtools.Session, _ string, event *page.EventDocumentOpened) {
	for _, d := range e.docs {
		if d.session.ID == s.ID && event.Frame != nil && d.frame == event.Frame.ID {
			devtools.Tell(s, runtime.Evaluate, runtime.EvaluateParams{
				Expression: fmt.Sprintf("self[%q].start()", e.name), UniqueContextID: d.unique, Silent: new(true), DisableBreaks: new(true),
			})
		}
	}
}

func (e *Ear) dialogOpened(_ devtools.Session, tab string, event *page.EventJavascriptDialogOpening) {
	if t := e.tabs[tab]; t != nil {
		t.dialog, t.asks = display.Cut(event.Message, maxText), event.Type != page.DialogTypeAlert
		e.add(record.Heard{Target: tab, Kind: "dialog", Text: string(event.Type) + ": " + t.dialog})
	}
}

func (e *Ear) dialogClosed(_ devtools.Session, tab string, event *page.EventJavascriptDialogClosed) {
	t := e.tabs[tab]
	if t == nil {
		return
	}
	how := "dismissed: "
	if event.Result {
		how = "accepted: "
	}
	isDenied := t.asks && !event.Result
	e.add(record.Heard{Target: tab, Kind: "closed", Text: how + t.dialog, Dialog: t.dialog, Denied: isDenied})
	t.dialog = ""
}

func (e *Ear) said(s devtools.Session, tab string, event *runtime.EventBindingCalled) {
	if event.Name != e.name {
		return
	}
	var from *document
	for _, d := range e.docs {
		if d.session.ID == s.ID && d.id == event.ExecutionContextID {
			from = d
		}
	}
	var m message
	if from == nil || len(event.Payload) > maxMessage || devtools.Unmarshal([]byte(event.Payload), &m) != nil {
		e.lose("a message of the listeners")
		return
	}
	switch m.Kind {
	case "armed":
		if string(from.frame) != tab {
			from.address = display.Cut(m.URL, maxText)
		} else if t := e.tabs[tab]; t != nil && m.URL != blank {
			t.url = display.Cut(m.URL, maxText)
		}
		if m.Text != "loading" && m.URL != blank {
			e.lose("what happened in " + display.Cut(m.URL, maxText) + " before it was " + display.Cut(m.Text, 20))
		}
	case "forged":
		e.lose("events that scripts made, after the first 50 in a document")
	case "fault":
		e.lose("an event: " + display.Cut(m.Text, maxText))
	default:
		h := record.Heard{
			Target: tab, Where: record.Where{Frame: from.address}, Kind: m.Kind, Text: m.Text,
			Trusted: m.Trusted, At: m.Point, Outside: m.Outside,
		}
		if m.Element != nil {
			h.Control = e.control(from, m.Element)
			h.Control.Box = m.Box
		}
		for i := range m.Fields {
			h.Fields = append(h.Fields, *e.control(from, &m.Fields[i]))
		}
		if m.Kind == "input" {
			h.Data, h.Text, h.Scripted = m.Text, "", m.Scripted
		}
		e.add(h)
	}
}
