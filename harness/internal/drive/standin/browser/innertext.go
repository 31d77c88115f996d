package browser

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// display says how an element contributes to the text of its page.
type display uint8

const (
	none   display = iota + 1
	inline         // part of a line
	whole          // part of a line, with separate lines inside
	empty          // a single item without text
	block
	table
	section
	row
	cell
)

// elements says how Chromium displays the elements that this browser knows.
var elements = func() map[string]display {
	m := map[string]display{}
	for d, names := range map[display]string{
		none: "area col colgroup datalist head link meta noscript script style template title",
		inline: "a abbr b bdi bdo big br cite code data del dfn em font i ins kbd label map mark nobr output q s samp small span strike strong" +
			" sub sup time tt u var wbr",
		whole: "button select",
		empty: "img input textarea svg math",
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

// piece is a part of the page's text: the text of a text node with collapsed
// white space, the text that an element adds, or required line breaks.
type piece struct {
	text   string
	breaks int
	box    bool // a control or picture, which is displayed but has no text
}

// rendering is a page as text. The text of an element is the pieces of its span.
type rendering struct {
	page   *Page
	pieces []piece
	spans  map[*html.Node][2]int // spans of displayed elements
	start  bool                  // at the start of a line, where white space is dropped
	space  int                   // 1 + the index of the piece that ends with a collapsible space; 0 if there is none
}

func (p *Page) render() *rendering {
	if p.shown == nil {
		p.shown = &rendering{page: p, spans: map[*html.Node][2]int{}, start: true}
		p.shown.element(p.Element(atom.Html), false)
	}
	return p.shown
}

func (r *rendering) element(n *html.Node, pre bool) {
	if r.page.hidden(n) {
		return
	}
	d, breaks := elements[n.Data], 0
	switch {
	case n.DataAtom == atom.P:
		breaks = 2
	case d == block || d == table:
		breaks = 1
	case n.DataAtom == atom.Br:
		r.endLine()
		r.put(piece{text: "\n"})
	}
	lines := d == whole || d == empty
	switch {
	case lines:
		r.start, r.space = true, 0
	case d > empty:
		r.endLine()
	}
	r.put(piece{breaks: breaks})
	begin := len(r.pieces)
	r.put(piece{box: lines})
	switch {
	case d == empty:
	case n.DataAtom == atom.Select:
		for _, o := range Options(n) {
			r.pieces = append(r.pieces, piece{breaks: 1}, piece{text: OneLine(TextContent(o))}, piece{breaks: 1})
		}
	default:
		r.children(n, pre || n.DataAtom == atom.Pre, d)
	}
	if d > inline {
		r.endLine()
		r.start = !lines
	}
	r.spans[n] = [2]int{begin, len(r.pieces)}
	r.put(piece{breaks: breaks})
	switch {
	case d == cell && r.follows(n.NextSibling, cell):
		r.put(piece{text: "\t"})
	case d == row && (r.follows(n.NextSibling, row) || n.Parent.DataAtom != atom.Table && r.follows(n.Parent.NextSibling, section)):
		r.put(piece{text: "\n"})
	}
}

// follows reports whether n or a later sibling is displayed as d. A section counts only if
// it has a row.
func (r *rendering) follows(n *html.Node, d display) bool {
	for ; n != nil; n = n.NextSibling {
		if n.Type == html.ElementNode && elements[n.Data] == d && !r.page.hidden(n) && (d != section || r.follows(n.FirstChild, row)) {
			return true
		}
	}
	return false
}

func (r *rendering) children(n *html.Node, pre bool, d display) {
	for c := range n.ChildNodes() {
		switch {
		case c.Type == html.ElementNode:
			r.element(c, pre)
		case c.Type != html.TextNode || (d == table || d == section || d == row) && strings.TrimSpace(c.Data) == "":
		case pre:
			r.put(piece{text: c.Data})
		default:
			r.put(piece{text: r.collapse(c.Data)})
		}
	}
}

func (r *rendering) put(p piece) { r.pieces = append(r.pieces, p) }

// collapse turns each run of white space into one space, and into nothing after a space.
func (r *rendering) collapse(s string) string {
	out := make([]byte, 0, len(s))
	for i := range len(s) {
		switch c := s[i]; {
		case c != ' ' && c != '\t' && c != '\n' && c != '\r':
			out = append(out, c)
			r.start, r.space = false, 0
		case !r.start && r.space == 0:
			out = append(out, ' ')
			r.space = len(r.pieces) + 1
		}
	}
	return string(out)
}

// endLine drops the collapsible space at the end of a line.
func (r *rendering) endLine() {
	if r.space > 0 {
		p := &r.pieces[r.space-1]
		p.text = p.text[:len(p.text)-1]
	}
	r.start, r.space = true, 0
}

// Visible reports whether n is displayed and not empty.
func (p *Page) Visible(n *html.Node) bool {
	r := p.render()
	for _, piece := range r.pieces[r.spans[n][0]:r.spans[n][1]] {
		if piece.text != "" || piece.box {
			return true
		}
	}
	return false
}

// InnerText returns the same innerText of n as Chromium, on pages that follow the fixture
// rules. It implements the HTML standard's "get the text steps" in the same way as
// Chromium.
func (p *Page) InnerText(n *html.Node) string {
	r := p.render()
	span, ok := r.spans[n]
	switch {
	case n.DataAtom == atom.Option:
		return OneLine(TextContent(n))
	case !ok:
		return TextContent(n)
	}
	var out strings.Builder
	breaks := 0
	for _, piece := range r.pieces[span[0]:span[1]] {
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
