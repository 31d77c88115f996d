package browser

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// display is how an element takes part in the text of its page.
type display uint8

const (
	none   display = iota + 1
	inline         // part of a line
	atomic         // part of a line, with lines of its own inside
	empty          // as atomic, without text
	block
	table
	section
	row
	cell
)

// elements are those that this browser knows, and how Chromium displays them.
var elements = func() map[string]display {
	m := map[string]display{}
	for d, names := range map[display]string{
		none: "area base col colgroup datalist head link meta noscript script style template title",
		inline: "a abbr b bdi bdo big br cite code data del dfn em font i ins kbd label map mark nobr output q s samp small span strike strong" +
			" sub sup time tt u var wbr",
		atomic: "button select",
		empty:  "img input textarea",
		block: "address article aside blockquote body caption center dd div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header" +
			" hgroup hr html legend li main menu nav ol optgroup option p pre search section ul",
		table: "table", section: "tbody thead tfoot", row: "tr", cell: "td th",
	} {
		for name := range strings.FieldsSeq(names) {
			m[name] = d
		}
	}
	return m
}()

// piece is a bit of the page's text: the text of a text node after white space
// was collapsed, what stands for an element, or required line breaks.
type piece struct {
	text   string
	breaks int
	box    bool // a control or picture, which shows without text
}

// view is a page as text. What an element shows are the pieces of its span.
type view struct {
	page   *Page
	pieces []piece
	spans  map[*html.Node][2]int // of what is rendered
	start  bool                  // at the start of a line: white space vanishes
	space  int                   // 1 + the piece that ends with a collapsible space, 0 without
}

func (p *Page) view() *view {
	if p.seen == nil {
		p.seen = &view{page: p, spans: map[*html.Node][2]int{}, start: true}
		p.seen.element(p.Root(), false)
	}
	return p.seen
}

// display is how n is displayed. leaf: it shows no text of its own.
func (v *view) display(n *html.Node) (d display, leaf bool) {
	d = elements[n.Data]
	leaf = d == empty || n.Namespace != ""
	switch {
	case leaf:
		d = atomic
	case d == 0:
		d = inline
	}
	kind, _ := Attr(n, "type")
	if _, hidden := Attr(n, "hidden"); hidden || n.DataAtom == atom.Input && strings.EqualFold(kind, "hidden") {
		d = none
	}
	if set := v.page.sheet.display(n); set != 0 {
		d = set
	}
	if d == inline && (leaf || elements[n.Data] == atomic) {
		d = atomic
	}
	return d, leaf
}

func (v *view) element(n *html.Node, pre bool) {
	d, leaf := v.display(n)
	if d == none {
		return
	}
	breaks := 0
	switch d {
	case inline:
		if n.DataAtom == atom.Br {
			v.endLine()
			v.put(piece{text: "\n"})
		}
	case atomic:
		v.start, v.space = true, 0
	case block, table:
		breaks = 1
		fallthrough
	default:
		v.endLine()
	}
	if n.DataAtom == atom.P {
		breaks = 2
	}
	v.put(piece{breaks: breaks})
	first := len(v.pieces)
	v.put(piece{box: leaf || elements[n.Data] == atomic})
	switch {
	case leaf:
	case n.DataAtom == atom.Select:
		for _, o := range Options(n) {
			v.pieces = append(v.pieces, piece{breaks: 1}, piece{text: optionText(o)}, piece{breaks: 1})
		}
	default:
		v.children(n, pre || n.DataAtom == atom.Pre, d)
	}
	if d != inline {
		v.endLine()
		v.start = d != atomic
	}
	v.spans[n] = [2]int{first, len(v.pieces)}
	v.put(piece{breaks: breaks})
	switch {
	case d == cell && v.follows(n, cell):
		v.put(piece{text: "\t"})
	case d == row && (v.follows(n, row) || n.Parent.DataAtom != atom.Table && v.follows(n.Parent, section)):
		v.put(piece{text: "\n"})
	}
}

// follows reports whether a later sibling of n is rendered as d; a section
// counts when it has a row.
func (v *view) follows(n *html.Node, d display) bool {
	for s := n.NextSibling; s != nil; s = s.NextSibling {
		if s.Type != html.ElementNode {
			continue
		}
		if is, _ := v.display(s); is == d && (d != section || v.follows(&html.Node{NextSibling: s.FirstChild}, row)) {
			return true
		}
	}
	return false
}

func (v *view) children(n *html.Node, pre bool, d display) {
	for c := range n.ChildNodes() {
		switch {
		case c.Type == html.ElementNode:
			v.element(c, pre)
		case c.Type != html.TextNode || (d == table || d == section || d == row) && strings.TrimSpace(c.Data) == "":
		default:
			v.spans[c] = [2]int{len(v.pieces), len(v.pieces) + 1}
			text := c.Data
			if !pre {
				text = v.collapse(text)
			}
			v.put(piece{text: text})
		}
	}
}

func (v *view) put(p piece) { v.pieces = append(v.pieces, p) }

// collapse makes one space of white space, and none where the line has one.
func (v *view) collapse(s string) string {
	out := make([]byte, 0, len(s))
	for i := range len(s) {
		switch c := s[i]; c {
		case ' ', '\t', '\n', '\r':
			if !v.start && v.space == 0 {
				out = append(out, ' ')
				v.space = len(v.pieces) + 1
			}
		default:
			out = append(out, c)
			v.start, v.space = false, 0
		}
	}
	return string(out)
}

// endLine drops the collapsible space that a line ends with.
func (v *view) endLine() {
	if v.space > 0 {
		p := &v.pieces[v.space-1]
		p.text = p.text[:len(p.text)-1]
	}
	v.start, v.space = true, 0
}

// Rendered reports whether n, an element or a text, is displayed at all.
func (p *Page) Rendered(n *html.Node) bool {
	_, ok := p.view().spans[n]
	return ok
}

// Visible reports whether n is displayed and not empty.
func (p *Page) Visible(n *html.Node) bool {
	v := p.view()
	for _, piece := range v.pieces[v.spans[n][0]:v.spans[n][1]] {
		if piece.text != "" || piece.box {
			return true
		}
	}
	return false
}

// InnerText is the innerText of n as Chromium answers it on pages that keep the
// fixture rules. Of a text node it is what shows of it. Algorithm: HTML
// standard, "get the text steps", with Chromium's reading of it.
func (p *Page) InnerText(n *html.Node) string {
	v := p.view()
	span, ok := v.spans[n]
	switch {
	case n.DataAtom == atom.Option:
		return optionText(n)
	case !ok:
		return TextContent(n)
	}
	var out strings.Builder
	breaks := 0
	for _, piece := range v.pieces[span[0]:span[1]] {
		if piece.text == "" {
			breaks = max(breaks, piece.breaks)
			continue
		}
		if out.Len() > 0 {
			out.WriteString("\n\n"[:breaks])
		}
		breaks = 0
		out.WriteString(piece.text)
	}
	return out.String()
}
