package browser

import (
	"strings"
	"unicode/utf16"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// control is what a user did to a form control. Without an entry the control
// is as the page wrote it.
type control struct {
	value    string // text of input and textarea
	hasValue bool
	checked  *bool      // of a checkbox, radio button
	choice   *html.Node // chosen option of a select; itself when none is
}

// Type is the DOM's type of an input, select, textarea or button, in lower
// case, and empty for other elements.
func Type(n *html.Node) string {
	t, _ := Attr(n, "type")
	t = strings.ToLower(t)
	switch n.DataAtom {
	case atom.Input:
		if !strings.Contains(" hidden text search tel url email password date month week time datetime-local number range color checkbox radio file submit image reset button ", " "+t+" ") {
			return "text"
		}
		return t
	case atom.Button:
		if t != "reset" && t != "button" {
			return "submit"
		}
		return t
	case atom.Textarea:
		return "textarea"
	case atom.Select:
		if _, multiple := Attr(n, "multiple"); multiple {
			return "select-multiple"
		}
		return "select-one"
	}
	return ""
}

// Value is the DOM's value of a control or an option.
func (p *Page) Value(n *html.Node) string {
	if c := p.state[n]; c.hasValue {
		return c.value
	}
	v, has := Attr(n, "value")
	switch n.DataAtom {
	case atom.Textarea:
		return strings.ReplaceAll(strings.ReplaceAll(TextContent(n), "\r\n", "\n"), "\r", "\n")
	case atom.Select:
		for _, o := range options(n) {
			if p.Selected(o) {
				return p.Value(o)
			}
		}
		return ""
	case atom.Option:
		if !has {
			return optionText(n)
		}
	case atom.Input:
		switch t := Type(n); t {
		case "checkbox", "radio":
			if !has {
				return "on"
			}
		case "file":
			return ""
		default:
			return sanitize(t, v)
		}
	}
	return v
}

// sanitize is the value sanitization of the HTML standard for the types that
// this browser lets a user fill.
func sanitize(kind, v string) string {
	switch kind {
	case "text", "search", "tel", "password":
		return strings.NewReplacer("\n", "", "\r", "").Replace(v)
	case "url", "email":
		return strings.TrimFunc(strings.NewReplacer("\n", "", "\r", "").Replace(v), asciiSpace)
	case "number":
		if _, ok := number(v); !ok {
			return ""
		}
	}
	return v
}

// SetValue is what typing leaves in a text control: cut to maxlength,
// sanitized. It does not ask whether the control may be edited.
func (p *Page) SetValue(n *html.Node, v string) {
	if m, ok := Attr(n, "maxlength"); ok {
		if limit, ok := number(m); ok && limit >= 0 && float64(len(utf16.Encode([]rune(v)))) > limit {
			v = string(utf16.Decode(utf16.Encode([]rune(v))[:int(limit)]))
		}
	}
	if n.DataAtom == atom.Input {
		v = sanitize(Type(n), v)
	}
	c := p.state[n]
	c.value, c.hasValue = v, true
	p.state[n] = c
}

// Typable says why text cannot be typed into n here although a real browser
// takes it in some way of its own; empty when it can.
func Typable(n *html.Node, v string) string {
	switch t := Type(n); t {
	case "text", "search", "tel", "url", "email", "password":
		if strings.ContainsAny(v, "\r\n") {
			return "a line break typed into a one-line field"
		}
	case "textarea":
	case "number":
		if _, ok := number(v); !ok && v != "" {
			return "typing what is no number into input type=number"
		}
	default:
		return "typing into input type=" + t
	}
	return ""
}

// Checked is the DOM's checked of a checkbox or radio button.
func (p *Page) Checked(n *html.Node) bool {
	if t := Type(n); n.DataAtom != atom.Input || t != "checkbox" && t != "radio" {
		_, c := Attr(n, "checked")
		return c && n.DataAtom == atom.Input
	}
	if c := p.state[n].checked; c != nil {
		return *c
	}
	_, checked := Attr(n, "checked")
	if checked && Type(n) == "radio" {
		// Of several that the page checked, the last one stays.
		group := p.radioGroup(n)
		for i := len(group) - 1; i >= 0 && group[i] != n; i-- {
			if _, c := Attr(group[i], "checked"); c && p.state[group[i]].checked == nil {
				return false
			}
		}
	}
	return checked
}

// SetChecked checks or unchecks n; checking a radio button unchecks its group.
func (p *Page) SetChecked(n *html.Node, on bool) {
	if on && Type(n) == "radio" {
		for _, r := range p.radioGroup(n) {
			c := p.state[r]
			c.checked = new(false)
			p.state[r] = c
		}
	}
	c := p.state[n]
	c.checked = new(on)
	p.state[n] = c
}

func (p *Page) radioGroup(n *html.Node) []*html.Node {
	name, _ := Attr(n, "name")
	if name == "" {
		return []*html.Node{n}
	}
	form := p.FormOf(n)
	var out []*html.Node
	for c := range p.Doc.Descendants() {
		if c.DataAtom == atom.Input && Type(c) == "radio" {
			if other, _ := Attr(c, "name"); other == name && p.FormOf(c) == form {
				out = append(out, c)
			}
		}
	}
	return out
}

// Selected is the DOM's selected of an option.
func (p *Page) Selected(o *html.Node) bool {
	sel := ancestor(o, atom.Select)
	_, attr := Attr(o, "selected")
	if sel == nil {
		return attr
	}
	if c := p.state[sel].choice; c != nil {
		return c == o
	}
	if Type(sel) == "select-multiple" {
		return attr
	}
	var first, last *html.Node
	for _, c := range options(sel) {
		if _, ok := Attr(c, "selected"); ok {
			last = c
		}
		if first == nil && !p.Disabled(c) {
			first = c
		}
	}
	if size, _ := Attr(sel, "size"); last == nil && (size == "" || size == "1") {
		last = first
	}
	return o == last
}

// Choose makes o the only selected option of sel; nil deselects all.
func (p *Page) Choose(sel, o *html.Node) {
	if o == nil {
		o = sel
	}
	c := p.state[sel]
	c.choice = o
	p.state[sel] = c
}

// Options lists the options of a select.
func (p *Page) Options(sel *html.Node) []*html.Node { return options(sel) }

func options(sel *html.Node) []*html.Node {
	var out []*html.Node
	for n := range sel.Descendants() {
		if n.DataAtom == atom.Option {
			out = append(out, n)
		}
	}
	return out
}

func optionText(o *html.Node) string {
	return strings.Join(strings.FieldsFunc(TextContent(o), asciiSpace), " ")
}

// Disabled reports whether n is a disabled control, by itself or through a
// fieldset.
func (p *Page) Disabled(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Input, atom.Button, atom.Select, atom.Textarea, atom.Option, atom.Optgroup, atom.Fieldset:
	default:
		return false
	}
	if _, ok := Attr(n, "disabled"); ok {
		return true
	}
	if n.DataAtom == atom.Option {
		_, ok := Attr(n.Parent, "disabled")
		return ok && n.Parent.DataAtom == atom.Optgroup
	}
	for a := n; a.Parent != nil; a = a.Parent {
		if a.Parent.DataAtom == atom.Fieldset {
			if _, ok := Attr(a.Parent, "disabled"); ok && child(a.Parent, atom.Legend) != a {
				return true
			}
		}
	}
	return false
}

// FormOf is the form owner of a control, or nil.
func (p *Page) FormOf(n *html.Node) *html.Node {
	if id, ok := Attr(n, "form"); ok {
		if f := p.byIDAttr(id); f != nil && f.DataAtom == atom.Form {
			return f
		}
		return nil
	}
	return ancestor(n, atom.Form)
}

func (p *Page) byIDAttr(id string) *html.Node {
	if id == "" {
		return nil
	}
	for n := range p.Doc.Descendants() {
		if v, ok := Attr(n, "id"); ok && v == id {
			return n
		}
	}
	return nil
}

func ancestor(n *html.Node, a atom.Atom) *html.Node {
	for n = n.Parent; n != nil; n = n.Parent {
		if n.DataAtom == a && n.Namespace == "" {
			return n
		}
	}
	return nil
}
