package browser

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// The live state of a control is stored in attributes that no page uses: liveValue holds
// typed text, liveOn marks a checked or selected control.
const (
	liveValue = "standin-value"
	liveOn    = "standin-on"
)

// initControls checks and selects controls as the page's source says.
func (p *Page) initControls() {
	for n := range p.Doc.Descendants() {
		if n.DataAtom == atom.Input && Has(n, "checked") || n.DataAtom == atom.Option && Has(n, "selected") {
			p.Check(n, true)
		}
		if Kind(n) == "select-one" { // a later option is selected
			if o := First(n, func(o *html.Node) bool { return o.DataAtom == atom.Option && !Has(o, "disabled") }); o != nil {
				p.Check(o, true)
			}
		}
	}
}

// Check checks or unchecks a box or button, or selects an option. Only one
// button of a radio group, and one option of a select, stays on.
func (p *Page) Check(n *html.Node, on bool) {
	for _, o := range append(p.group(n), n) {
		o.Attr = slices.DeleteFunc(o.Attr, func(a html.Attribute) bool { return a.Key == liveOn })
	}
	if on {
		n.Attr = append(n.Attr, html.Attribute{Key: liveOn})
	}
}

// group lists the controls that cannot be on together with n.
func (p *Page) group(n *html.Node) []*html.Node {
	switch {
	case n.DataAtom == atom.Option:
		if sel := Ancestor(n, atom.Select); sel != nil && Kind(sel) == "select-one" {
			return Options(sel)
		}
		return nil
	case Kind(n) != "radio" || Attr(n, "name") == "":
		return nil
	}
	return All(p.Doc, func(c *html.Node) bool {
		return Kind(c) == "radio" && Attr(c, "name") == Attr(n, "name") && Ancestor(c, atom.Form) == Ancestor(n, atom.Form)
	})
}

// On reports whether n is checked or selected.
func On(n *html.Node) bool { return Has(n, liveOn) }

// Options lists the options of a select.
func Options(n *html.Node) []*html.Node {
	return All(n, func(o *html.Node) bool { return o.DataAtom == atom.Option })
}

// SetValue sets the text of a control, as typing does.
func SetValue(n *html.Node, v string) {
	n.Attr = slices.DeleteFunc(n.Attr, func(a html.Attribute) bool { return a.Key == liveValue })
	n.Attr = append(n.Attr, html.Attribute{Key: liveValue, Val: v})
}

// Value returns the DOM's value of a control or an option.
func Value(n *html.Node) string {
	v, ok := Lookup(n, "value")
	switch t := Kind(n); {
	case Has(n, liveValue):
		return Attr(n, liveValue)
	case t == "textarea":
		return TextContent(n)
	case n.DataAtom == atom.Select:
		if o := First(n, func(o *html.Node) bool { return On(o) }); o != nil {
			return Value(o)
		}
	case n.DataAtom == atom.Option && !ok:
		return OneLine(TextContent(n))
	case !ok && (t == "checkbox" || t == "radio"):
		return "on"
	}
	return v
}

// Kind returns the DOM's type of an input, select, textarea or button, in lower case. It is
// empty for other elements.
func Kind(n *html.Node) string {
	t := strings.ToLower(Attr(n, "type"))
	switch {
	case n.DataAtom == atom.Textarea:
		return "textarea"
	case n.DataAtom == atom.Select && Has(n, "multiple"):
		return "select-multiple"
	case n.DataAtom == atom.Select:
		return "select-one"
	case n.DataAtom == atom.Button && t != "reset" && t != "button":
		return "submit"
	case n.DataAtom == atom.Input && !Listed(" hidden search tel url email password date month week time datetime-local number range color checkbox radio file submit image reset button ", t):
		return "text"
	case n.DataAtom == atom.Button || n.DataAtom == atom.Input:
		return t
	}
	return ""
}

// Typable reports whether typing v into n gives exactly v.
func Typable(n *html.Node, v string) bool {
	switch t := Kind(n); {
	case Has(n, "maxlength") || t == "number" && strings.Trim(v, "0123456789") != "":
		return false
	case t != "textarea" && strings.ContainsAny(v, "\r\n"):
		return false
	case t == "email" || t == "url": // the browser trims their values and converts them to ASCII
		return !strings.ContainsFunc(v, func(r rune) bool { return r <= ' ' || r > '~' })
	default:
		return Listed(" textarea text search tel password number ", t)
	}
}
