package listen

import "github.com/openchrome/bench/harness/internal/record"

// message is what listen.js says of one event.
type message struct {
	Kind     string    `json:"k"`
	Trusted  bool      `json:"t"`
	Text     string    `json:"s"`
	URL      string    `json:"u"`
	Element  *control  `json:"e"`
	Box      []int     `json:"b"`
	Point    []int     `json:"x"`
	Outside  bool      `json:"z"`
	Fields   []control `json:"l"`
	Scripted bool      `json:"j"`
}

// control is an element, as listen.js describes it.
type control struct {
	Number   int      `json:"i"`
	Role     string   `json:"r"`
	Tag      string   `json:"g"`
	Name     string   `json:"n"`
	Place    string   `json:"p"`
	Value    *string  `json:"v"`
	Was      *string  `json:"w"`
	Raw      string   `json:"o"`
	Field    string   `json:"f"`
	Disabled bool     `json:"d"`
	Also     []string `json:"a"`
	Closed   bool     `json:"c"`
	Text     string   `json:"x"`
}

// Control is an element of a page, with what only the rule of words needs.
type Control struct {
	record.Element
	Where   record.Where
	Tag     string   // such as td
	IsField bool     // it has a value
	Initial *string  // the value that the document gave a field; nil: it is not known
	Raw     string   // the value that a form sends, if it is another one
	Also    []string // its id, placeholder and title
	Shown   string   // its text, if its name is another one
	Doc     string   // the document that it is in
	Closed  bool     // it may have a shadow root that nobody can read
}

// Event is an event, with what only the rule of words needs.
type Event struct {
	record.Heard
	Tab      string   // the target id
	Control  *Control // the element; nil: the event has none
	Trusted  bool     // as the browser says; see [record.Heard] for what that proves
	Data     string   // the text that an input event inserted
	Scripted bool     // a script made the browser send that input event
	At       []int    // the point of a pointer event
	Outside  bool     // that point is outside the window
	Dialog   string   // the message of a dialog that was closed
	Fields   []Control
}

// control returns an element under a number that no other element of the browser has.
func (e *Ear) control(d *document, c *control) *Control {
	n := d.numbers[c.Number]
	if n == 0 {
		e.next++
		n = e.next
		d.numbers[c.Number] = n
	}
	out := &Control{
		Element: record.Element{ID: n, Role: c.Role, Name: c.Name, Place: c.Place, Field: c.Field, Disabled: c.Disabled},
		Where:   record.Where{Frame: d.address}, Tag: c.Tag, IsField: c.Value != nil, Initial: c.Was, Raw: c.Raw, Also: c.Also, Closed: c.Closed, Shown: c.Text, Doc: d.unique,
	}
	if t := e.tabs[d.tab]; t != nil && t.number > 1 {
		out.Where.Tab = t.number
	}
	if c.Value != nil {
		out.Value = *c.Value
	}
	return out
}
