package browser

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Rendered reports whether n, an element, has a box.
func (p *Page) Rendered(n *html.Node) bool {
	_, ok := p.layout().boxes[n]
	return ok
}

// Visible reports whether n has a box that is not empty and not hidden: what
// a script takes from getBoundingClientRect and getComputedStyle.
func (p *Page) Visible(n *html.Node) bool {
	l := p.layout()
	b, ok := l.boxes[n]
	if !ok || !b.visible || b.display == contents || n.DataAtom == atom.Br || n.DataAtom == atom.Wbr {
		return false
	}
	if b.display == atomicInline || n.DataAtom == atom.Hr || b.display == tableCell {
		return true
	}
	for c := range n.Descendants() {
		if l.text[c] != "" || l.boxes[c].display == atomicInline || n.DataAtom == atom.Br {
			return true
		}
	}
	return false
}

// Size is a rough estimate of the box of n in CSS pixels: right about which of
// two elements is a line of text, a control or a block, and no more.
func (p *Page) Size(n *html.Node) (width, height float64) {
	const line, letter = 18, 6.2
	text := float64(len([]rune(p.InnerText(n))))
	switch b := p.layout().boxes[n]; {
	case n.DataAtom == atom.Textarea:
		return 182, 36
	case n.DataAtom == atom.Input && (Type(n) == "checkbox" || Type(n) == "radio"):
		return 13, 13
	case n.DataAtom == atom.Input && Type(n) == "submit", n.DataAtom == atom.Input && Type(n) == "button", n.DataAtom == atom.Input && Type(n) == "reset":
		return 16 + letter*float64(len(p.Value(n))), 21
	case n.DataAtom == atom.Button:
		return 16 + letter*text, 21
	case n.DataAtom == atom.Input:
		return 153, 21
	case b.display == inline || b.display == atomicInline || b.display == tableCell:
		return letter * text, line
	case n.DataAtom == atom.H1 || n.DataAtom == atom.H2 || n.DataAtom == atom.H3:
		return 1904, 22
	}
	height = line * float64(1+strings.Count(p.InnerText(n), "\n"))
	for c := range n.Descendants() {
		switch c.DataAtom {
		case atom.Input, atom.Button, atom.Select, atom.Textarea, atom.H1, atom.H2, atom.H3:
			return 1904, max(height, 21)
		}
	}
	return 1904, height
}

// InnerText is the element's innerText as Chromium answers it on pages that
// keep the fixture rules. Algorithm: HTML standard, "get the text steps", with
// Chromium's reading of it.
func (p *Page) InnerText(n *html.Node) string {
	l := p.layout()
	if l.locked[n] {
		return ""
	}
	if _, ok := l.boxes[n]; !ok {
		return TextContent(n)
	}
	if n.DataAtom == atom.Option {
		return optionText(n)
	}
	c := collector{l: l}
	if n.DataAtom == atom.Select && n.Namespace == "" {
		c.options(n)
	} else {
		c.children(n)
	}
	return c.out.String()
}

// collector builds the text. breaks is the number of line breaks that are
// required before the next text.
type collector struct {
	l      *layout
	out    strings.Builder
	breaks int
}

func (c *collector) children(n *html.Node) {
	for k := range n.ChildNodes() {
		c.node(k)
	}
}

func (c *collector) node(n *html.Node) {
	if n.Type == html.TextNode {
		c.emit(c.l.text[n])
		return
	}
	b, ok := c.l.boxes[n]
	switch {
	case !ok:
	case !b.visible:
		c.children(n)
	case n.DataAtom == atom.Select && n.Namespace == "":
		c.options(n)
	case n.DataAtom == atom.Br && n.Namespace == "":
		c.emit("\n")
	case b.display == tableCell:
		c.children(n)
		if c.l.follows(n, tableCell) {
			c.emit("\t")
		}
	case b.display == tableRow:
		c.children(n)
		if c.l.moreRows(n) {
			c.emit("\n")
		}
	case b.display == contents || b.display == tableSection:
		c.children(n)
	case n.DataAtom == atom.P && n.Namespace == "":
		c.required(2)
		c.children(n)
		c.required(2)
	case b.display == inline || b.display == atomicInline:
		c.children(n)
	default:
		c.required(1)
		c.children(n)
		c.required(1)
	}
}

// options are shown one a line, whether the list is open or not.
func (c *collector) options(n *html.Node) {
	for o := range n.Descendants() {
		if o.DataAtom == atom.Option {
			c.required(1)
			c.emit(optionText(o))
			c.required(1)
		}
	}
}

func (c *collector) required(count int) { c.breaks = max(c.breaks, count) }

func (c *collector) emit(s string) {
	if s == "" {
		return
	}
	if c.out.Len() > 0 {
		c.out.WriteString("\n\n"[:c.breaks])
	}
	c.breaks = 0
	c.out.WriteString(s)
}

// follows reports whether a later sibling of n has a box of this kind.
func (l *layout) follows(n *html.Node, d display) bool {
	for s := n.NextSibling; s != nil; s = s.NextSibling {
		if l.boxes[s].display == d {
			return true
		}
	}
	return false
}

func (l *layout) moreRows(row *html.Node) bool {
	if l.follows(row, tableRow) {
		return true
	}
	if l.boxes[row.Parent].display != tableSection {
		return false
	}
	for s := row.Parent.NextSibling; s != nil; s = s.NextSibling {
		if l.boxes[s].display == tableSection {
			for r := range s.ChildNodes() {
				if l.boxes[r].display == tableRow {
					return true
				}
			}
		}
	}
	return false
}

// TextOf is what a text node shows after white space was collapsed.
func (p *Page) TextOf(n *html.Node) string { return p.layout().text[n] }
