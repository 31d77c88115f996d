package record

import (
	"cmp"
	"fmt"

	"github.com/openchrome/bench/harness/internal/text/display"
)

// Trace is what the pages got in a step, as an observer heard and read it. It follows the answer of
// each call and has the same seq. It is in no digest of events, and never affects a status. Nothing in
// it is judged: its words are made when the log is read.
//
// A line of the log has only what differs from the lines before it in its episode, see [Controls.Pack].
type Trace struct {
	Step int    `json:"step"`
	Tab  string `json:"tab,omitempty"` // the target id of the tab that the call was made on
	// Missing says why nothing is known: no observer, or the page did not answer. Then Events is
	// not complete, and what it lacks may have happened.
	Missing string `json:"missing,omitempty"`
	// Node is the element that the call named by the id of its node; nil: it is not known.
	Node   *Control `json:"node,omitempty"`
	Events []Heard  `json:"events,omitempty"` // in order
	// Before and After are the controls of the tab before the call and after the answer.
	Before Survey `json:"before,omitzero"`
	After  Survey `json:"after,omitzero"`
	// Changed are the fields that hold another value than after the step before, and fields that
	// are new and not empty.
	Changed []Field `json:"changed,omitempty"`
	// Moved says that something in a document changed, a document was loaded, or a request was sent.
	Moved bool `json:"moved,omitempty"`
	// Lost says what the observer or the log may lack: a tab where the observer listened only late, too
	// many events, fields that it had no time to read. Deaf says that events may be among it.
	Lost []string `json:"lost,omitempty"`
	Deaf bool     `json:"deaf,omitempty"`
	// Cut says that the last events are among it.
	Cut bool `json:"cut,omitempty"`
}

// Survey is a list of the controls of a page, in the order in which they stand there.
type Survey struct {
	Whole bool      `json:"whole,omitempty"` // none is missing
	List  []Control `json:"list,omitempty"`  // in the log: those that differ from what it had of them
	Runs  []int     `json:"runs,omitempty"`  // in the log: the numbers of all, each run as its first and its length
}

// Heard is an event that a page got.
type Heard struct {
	// Kind is pointer, click, key, input, change, submit, invalid, drag, drop, scroll, over, navigate,
	// dialog, closed (of a dialog), error (of the console), tab (it was opened) or tab closed.
	Kind   string `json:"kind"`
	Target string `json:"target,omitempty"` // the target id of its tab; absent in the log: the tab of the call
	Where
	Control *Control `json:"control,omitempty"` // nil: the event has none
	// Trusted is what the browser says. A script cannot make a trusted pointer, click, key, drag or drop.
	Trusted  bool      `json:"trusted,omitempty"`
	Text     string    `json:"text,omitempty"`     // the key, the URL of a navigation, or the message of a dialog or of an error
	Data     string    `json:"data,omitempty"`     // the text that an input event inserted
	Scripted bool      `json:"scripted,omitempty"` // a script made the browser send that input event
	At       []int     `json:"at,omitempty"`       // the point of a pointer event
	Outside  bool      `json:"outside,omitempty"`  // that point is outside the window
	Dialog   string    `json:"dialog,omitempty"`   // the message of a dialog that was closed
	Denied   bool      `json:"denied,omitempty"`   // that dialog asked something, and was dismissed
	Fields   []Control `json:"fields,omitempty"`   // of the page at the moment of a navigation
}

// Control is an element of a page, with all that the words of a call are made of.
type Control struct {
	Element
	Where
	Tag     string   `json:"tag,omitempty"`     // such as td
	IsField bool     `json:"isField,omitempty"` // it has a value
	Initial *string  `json:"initial,omitempty"` // the value that the document gave a field; nil: it is not known
	Raw     string   `json:"raw,omitempty"`     // the value that a form sends, if it is another one
	Also    []string `json:"also,omitempty"`    // its id, placeholder and title
	Shown   string   `json:"shown,omitempty"`   // its text, if its name is another one
	Doc     string   `json:"doc,omitempty"`     // the document that it is in
	Closed  bool     `json:"closed,omitempty"`  // it may have a shadow root that nobody can read
	// Same says, in the log, that all but the value and the box is as the log had it last.
	Same bool `json:"same,omitempty"`
}

// Where says in which tab and frame something is.
type Where struct {
	Tab   int    `json:"tab,omitempty"`   // in the order in which they were opened, from 2; absent: the first
	Frame string `json:"frame,omitempty"` // the address of the frame's document; absent: the page itself
}

// Element is an element of a page, as a person names it. All texts come from the page.
type Element struct {
	ID       int    `json:"id,omitempty"` // the same element has the same number, as long as its document lives
	Role     string `json:"role,omitempty"`
	Name     string `json:"name,omitempty"`
	Value    string `json:"value,omitempty"` // of a field; "on" or "off" for one that is checked or not
	Place    string `json:"place,omitempty"` // what it stands in: a row, a list, a form, by its first words
	Field    string `json:"field,omitempty"` // the name under which a form sends it
	Box      []int  `json:"box,omitempty"`   // x, y, width, height in the window; only at pointer events
	Disabled bool   `json:"disabled,omitempty"`
	// Nth of Of elements of the page with its role and name, from 1; 0: the only one, not known, or in a log.
	Nth int `json:"nth,omitempty"`
	Of  int `json:"of,omitempty"`
}

// Words names the element as its page does, with its place among others of the name: "Daily limit, 2nd of 3". An
// element without a name has its role. The name that a form gives it is on no page.
func (e *Element) Words() string {
	const maxNamed = 100 // characters
	words := cmp.Or(display.Cut(e.Name, maxNamed), e.Role+" without a name")
	if e.Of > 1 {
		words += fmt.Sprintf(", %s of %d", display.Ordinal(e.Nth), e.Of)
	}
	return words
}

// Field is a field of a page that holds another value than before.
type Field struct {
	Where
	Element
	Was string `json:"was,omitempty"` // its value before; absent: it was empty, or there was no such field
}

// Type implements [Body].
func (*Trace) Type() Type { return TypeTrace }
