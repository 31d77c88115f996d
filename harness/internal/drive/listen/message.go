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

// control returns an element under a number that no other element of the browser has.
func (e *Ear) control(d *document, c *control) *record.Control {
	n := d.numbers[c.Number]
	if n == 0 {
		e.next++
		n = e.next
		d.numbers[c.Number] = n
	}
	out := &record.Control{
		Element: record.Element{ID: n, Role: c.Role, Name: c.Name, Place: c.Place, Field: c.Field, Disabled: c.Disabled},
		Where:   record.Where{Frame: d.address}, Tag: c.Tag, IsField: c.Value != nil, Initial: c.Was, Raw: c.Raw, Also: c.Also, Closed: c.Closed, Shown: c.Text, Doc: d.name,
	}
	if t := e.tabs[d.tab]; t != nil && t.number > 1 {
		out.Where.Tab = t.number
	}
	if c.Value != nil {
		out.Value = *c.Value
	}
	return out
}
