package browser

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// control is what a user did to a form control. Without an entry the control
// is as the page wrote it.
type control struct {
	value   *string    // text of input and textarea
	checked *bool      // of a checkbox, radio button
	choice  *html.Node // chosen option of a select
}

// Type is the DOM's type of an input, select, textarea or button, in lower
// case, and empty for other elements.
func Type(n *html.Node) string {
	t, _ := Attr(n, "type")
	t = strings.ToLower(t)
	switch n.DataAtom {
	case atom.Input:
		if !strings.Contains(" hidden search tel url email password date month week time datetime-local number range color checkbox radio file submit image reset button ", " "+t+" ") {
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
	if v := p.state[n].value; v != nil {
		return *v
	}
	v, has := Attr(n, "value")
	switch {
	case n.DataAtom == atom.Textarea:
		return TextContent(n)
	case n.DataAtom == atom.Select:
		for _, o := range Options(n) {
			if p.Selected(o) {
				return p.Value(o)
			}
		}
		return ""
	case n.DataAtom == atom.Option && !has:
		return optionText(n)
	case (Type(n) == "checkbox" || Type(n) == "radio") && !has:
		return "on"
	}
	return v
}

// SetValue is what typing leaves in a text control.
func (p *Page) SetValue(n *html.Node, v string) { p.state[n] = control{value: &v} }

// Typable says why v cannot be typed into n here although a real browser takes
// it in some way of its own; empty when it can.
func Typable(n *html.Node, v string) string {
	t := Type(n)
	_, limited := Attr(n, "maxlength")
	switch {
	case limited:
		return "typing into a field with maxlength"
	case t == "textarea":
		return ""
	case !strings.Contains(" text search tel url email password number ", " "+t+" "):
		return "typing into input type=" + t
	case strings.ContainsAny(v, "\r\n"):
		return "a line break typed into a one-line field"
	case t == "number" && strings.Trim(v, "0123456789") != "":
		return "typing what is no whole number into input type=number"
	}
	return ""
}

// Checked is the DOM's checked of a checkbox or radio button.
func (p *Page) Checked(n *html.Node) bool {
	if c := p.state[n].checked; c != nil {
		return *c
	}
	_, checked := Attr(n, "checked")
	return checked && n.DataAtom == atom.Input
}

// SetChecked checks or unchecks n; checking a radio button unchecks its group.
func (p *Page) SetChecked(n *html.Node, on bool) {
	if on && Type(n) == "radio" {
		for _, r := range p.radioGroup(n) {
			p.state[r] = control{checked: new(false)}
		}
	}
	p.state[n] = control{checked: &on}
}

func (p *Page) radioGroup(n *html.Node) []*html.Node {
	name, _ := Attr(n, "name")
	var out []*html.Node
	for c := range p.Doc.Descendants() {
		if c.DataAtom == atom.Input && Type(c) == "radio" {
			if other, _ := Attr(c, "name"); other == name && name != "" && p.FormOf(c) == p.FormOf(n) {
				out = append(out, c)
			}
		}
	}
	return out
}

// Selected is the DOM's selected of an option.
func (p *Page) Selected(o *html.Node) bool {
	_, attr := Attr(o, "selected")
	sel := ancestor(o, atom.Select)
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
	for _, c := range Options(sel) {
		if _, ok := Attr(c, "selected"); ok {
			last = c
		}
		if first == nil && !p.Disabled(c) {
			first = c
		}
	}
	if last == nil {
		last = first
	}
	return o == last
}

// Choose makes o the only selected option of sel.
func (p *Page) Choose(sel, o *html.Node) { p.state[sel] = control{choice: o} }

// Options lists the options of a select.
func Options(sel *html.Node) []*html.Node {
	var out []*html.Node
	for n := range sel.Descendants() {
		if n.DataAtom == atom.Option {
			out = append(out, n)
		}
	}
	return out
}

func optionText(o *html.Node) string { return strings.Join(strings.Fields(TextContent(o)), " ") }

// Disabled reports whether n is a disabled control or option, by itself or
// through what it is in.
func (p *Page) Disabled(n *html.Node) bool {
	if Type(n) == "" && n.DataAtom != atom.Option {
		return false
	}
	_, disabled := Attr(n, "disabled")
	for a := n; a.Parent != nil && a.Parent.DataAtom != atom.Select && !disabled; a = a.Parent {
		_, disabled = Attr(a.Parent, "disabled")
		disabled = disabled && a.DataAtom != atom.Legend
	}
	return disabled
}

// FormOf is the form owner of a control, or nil.
func (p *Page) FormOf(n *html.Node) *html.Node {
	if id, ok := Attr(n, "form"); ok {
		return p.ByID(id)
	}
	return ancestor(n, atom.Form)
}

// ByID is the first element with this id, or nil.
func (p *Page) ByID(id string) *html.Node {
	for n := range p.Doc.Descendants() {
		if v, ok := Attr(n, "id"); ok && v == id && id != "" {
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
