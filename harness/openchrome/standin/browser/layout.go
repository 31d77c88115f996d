package browser

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/text/cases"
	"golang.org/x/text/language"
)

type display uint8

const (
	inline display = iota + 1
	block
	atomicInline
	contents
	none
	table
	tableSection
	tableRow
	tableCell
	tableCaption
	flex // its children are blocks, whatever they say
)

var displays = map[string]display{
	"inline": inline, "initial": inline, "unset": inline, "ruby": inline, "block": block, "flow-root": block, "list-item": block,
	"inline-block": atomicInline, "inline-table": atomicInline, "inline-flex": atomicInline, "inline-grid": atomicInline,
	"contents": contents, "none": none, "table": table, "table-row-group": tableSection, "table-header-group": tableSection,
	"table-footer-group": tableSection, "table-row": tableRow, "table-cell": tableCell, "table-caption": tableCaption,
	"flex": flex, "grid": flex,
}

// byTag is what Chromium's own style sheet says for HTML elements; others are
// inline.
var byTag = func() map[atom.Atom]display {
	m := map[atom.Atom]display{
		atom.Table: table, atom.Tbody: tableSection, atom.Thead: tableSection, atom.Tfoot: tableSection, atom.Tr: tableRow,
		atom.Td: tableCell, atom.Th: tableCell, atom.Caption: tableCaption, atom.Slot: contents,
	}
	for d, tags := range map[display][]atom.Atom{
		none: {atom.Head, atom.Script, atom.Style, atom.Title, atom.Meta, atom.Link, atom.Template, atom.Noscript, atom.Area, atom.Base,
			atom.Datalist, atom.Param, atom.Rp, atom.Source, atom.Track, atom.Noframes, atom.Noembed, atom.Colgroup, atom.Col},
		block: {atom.Html, atom.Body, atom.Address, atom.Article, atom.Aside, atom.Blockquote, atom.Center, atom.Dd, atom.Details, atom.Dialog,
			atom.Dir, atom.Div, atom.Dl, atom.Dt, atom.Fieldset, atom.Figcaption, atom.Figure, atom.Footer, atom.Form, atom.H1, atom.H2, atom.H3,
			atom.H4, atom.H5, atom.H6, atom.Header, atom.Hgroup, atom.Hr, atom.Legend, atom.Li, atom.Listing, atom.Main, atom.Menu, atom.Nav, atom.Ol,
			atom.P, atom.Plaintext, atom.Pre, atom.Search, atom.Section, atom.Summary, atom.Ul, atom.Xmp, atom.Optgroup, atom.Option},
		atomicInline: {atom.Img, atom.Input, atom.Button, atom.Meter, atom.Progress, atom.Select, atom.Textarea, atom.Svg, atom.Video, atom.Audio,
			atom.Canvas, atom.Iframe, atom.Object, atom.Embed},
	} {
		for _, t := range tags {
			m[t] = d
		}
	}
	return m
}()

// box is a rendered element.
type box struct {
	display display
	visible bool
}

// layout is what innerText needs of a rendering: which elements have boxes,
// and the text of each text node after white space was collapsed.
type layout struct {
	boxes  map[*html.Node]box
	locked map[*html.Node]bool // rendered, but skipped: closed details, hidden=until-found
	text   map[*html.Node]string
	sheet  *sheet
}

// style is what is inherited.
type style struct {
	space     string
	transform string
	visible   bool
}

// flow is one inline formatting context: the state of collapsing.
type flow struct {
	start    bool       // at the start of a line: white space vanishes
	trailing *html.Node // owner of the collapsible space that the text so far ends with
}

func (p *Page) layout() *layout {
	if p.lay == nil {
		l := &layout{boxes: map[*html.Node]box{}, locked: map[*html.Node]bool{}, text: map[*html.Node]string{}, sheet: p.styles}
		if root := p.Root(); root != nil {
			l.element(root, style{space: "normal", visible: true}, block, &flow{start: true})
		}
		p.lay = l
	}
	return p.lay
}

func (l *layout) children(n *html.Node, st style, parent display, f *flow) {
	for c := range n.ChildNodes() {
		switch c.Type {
		case html.TextNode:
			if parent != table && parent != tableSection && parent != tableRow || strings.TrimSpace(c.Data) != "" {
				l.add(c, st, f)
			}
		case html.ElementNode:
			l.element(c, st, parent, f)
		}
	}
}

func (l *layout) element(n *html.Node, st style, parent display, f *flow) {
	d, outOfFlow := l.style(n, &st)
	if d == none {
		return
	}
	if d != contents && (parent == flex || outOfFlow) && (d == inline || d == atomicInline) {
		d = block
	}
	l.boxes[n] = box{d, st.visible}
	switch {
	case n.DataAtom == atom.Br && n.Namespace == "":
		l.endLine(f)
	case d == contents:
		l.children(n, st, parent, f)
	case d == inline:
		l.children(n, st, d, f)
	case d == atomicInline:
		f.start, f.trailing = false, nil
		l.inside(n, st, block)
	case outOfFlow:
		l.inside(n, st, d)
	default:
		l.endLine(f)
		l.inside(n, st, d)
	}
}

// inside lays out the children of a box that begins lines of its own.
func (l *layout) inside(n *html.Node, st style, d display) {
	switch n.DataAtom {
	case atom.Input, atom.Img, atom.Textarea, atom.Meter, atom.Progress, atom.Svg, atom.Video, atom.Audio, atom.Canvas, atom.Iframe, atom.Object, atom.Embed:
		return // replaced, or its text is not the page's
	case atom.Select:
		size, _ := Attr(n, "size")
		if rows, _ := number(size); Type(n) == "select-multiple" || rows > 1 { // a list box; options of a menu have no boxes
			for _, o := range options(n) {
				l.boxes[o] = box{block, st.visible}
			}
		}
		return
	}
	f := &flow{start: true}
	_, open := Attr(n, "open")
	if n.DataAtom == atom.Details && !open {
		summary := child(n, atom.Summary)
		for c := range n.ChildNodes() {
			if c == summary {
				l.element(c, st, d, f)
			} else {
				l.lock(c)
			}
		}
	} else if v, ok := Attr(n, "hidden"); ok && strings.EqualFold(v, "until-found") {
		l.lock(n)
	} else {
		l.children(n, st, d, f)
	}
	l.endLine(f)
}

func (l *layout) lock(n *html.Node) {
	l.locked[n] = true
	for c := range n.Descendants() {
		l.locked[c] = true
	}
}

// style works out the display of n and updates what its children inherit.
func (l *layout) style(n *html.Node, st *style) (d display, outOfFlow bool) {
	d = inline
	if n.Namespace == "" {
		if t, ok := byTag[n.DataAtom]; ok {
			d = t
		}
		switch n.DataAtom {
		case atom.Pre, atom.Listing, atom.Plaintext, atom.Xmp:
			st.space = "pre"
		case atom.Nobr:
			st.space = "nowrap"
		case atom.Button, atom.Select, atom.Input, atom.Textarea:
			st.transform = "none"
		case atom.Table:
			st.space = map[bool]string{true: "normal", false: st.space}[st.space == "nowrap"]
		}
		_, open := Attr(n, "open")
		hidden, isHidden := Attr(n, "hidden")
		_, popover := Attr(n, "popover")
		kind, _ := Attr(n, "type")
		if n.DataAtom == atom.Dialog && !open || popover || isHidden && !strings.EqualFold(hidden, "until-found") ||
			n.DataAtom == atom.Input && strings.EqualFold(kind, "hidden") {
			d = none
		}
	} else {
		d = atomicInline
	}
	set := l.sheet.cascade(n)
	if v, ok := set["display"]; ok && n.DataAtom != atom.Br {
		d = displays[v]
	}
	switch v := set["white-space"]; v {
	case "", "inherit":
	default:
		st.space = v
	}
	switch v := set["text-transform"]; v {
	case "", "inherit":
	default:
		st.transform = v
	}
	switch set["visibility"] {
	case "visible":
		st.visible = true
	case "hidden":
		st.visible = false
	}
	f, pos := set["float"], set["position"]
	return d, f != "" && f != "none" || pos == "absolute" || pos == "fixed"
}

// endLine drops the collapsible space that a line ends with.
func (l *layout) endLine(f *flow) {
	if n := f.trailing; n != nil {
		l.text[n] = l.text[n][:len(l.text[n])-1]
	}
	f.start, f.trailing = true, nil
}

// add puts the text of n into the flow.
func (l *layout) add(n *html.Node, st style, f *flow) {
	keep := st.space == "pre" || st.space == "pre-wrap" || st.space == "break-spaces"
	newlines := keep || st.space == "pre-line"
	out := make([]byte, 0, len(n.Data))
	for i := 0; i < len(n.Data); {
		c := n.Data[i]
		switch {
		case c == '\n' && newlines:
			if f.trailing == n {
				out = out[:len(out)-1]
			} else if f.trailing != nil {
				l.endLine(f)
			}
			out = append(out, c)
			f.start, f.trailing = true, nil
			i++
		case !keep && (c == ' ' || c == '\t' || c == '\n' || c == '\r'):
			if !f.start && f.trailing == nil {
				out = append(out, ' ')
				f.trailing = n
			}
			i++
		default:
			_, size := utf8.DecodeRuneInString(n.Data[i:])
			out = append(out, n.Data[i:i+size]...)
			f.start, f.trailing = false, nil
			i += size
		}
	}
	text := string(out)
	switch st.transform {
	case "uppercase":
		text = cases.Upper(language.Und).String(text)
	case "lowercase":
		text = cases.Lower(language.Und).String(text)
	}
	if !st.visible {
		// Hidden text takes part in collapsing and shows nothing.
		if f.trailing == n {
			f.trailing = nil
		}
		return
	}
	l.text[n] = text
}
