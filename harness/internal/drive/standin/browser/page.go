// Package browser is a small HTTP browser for static pages: real requests, redirects,
// cookies, history, forms, and the innerText that Chromium shows. It runs no scripts and
// computes no layout. If a page needs more, it says so instead of guessing: see
// [Browser.Doubt].
package browser

import (
	"cmp"
	"net/url"
	"strings"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Page is one loaded document. The document also holds the live state of its
// controls: see control.go.
type Page struct {
	URL    *url.URL
	Doc    *html.Node     // the document node
	Active *html.Node     // focused element, or nil
	doubt  string         // why this page cannot be shown exactly, or ""
	hides  []cascadia.Sel // selectors with display: none in its style sheets
	shown  *rendering     // computed on first use
}

// NewPage parses the source of the page at u. If a document is nested deeper than the parser allows, the page is
// empty and in doubt.
func NewPage(u *url.URL, source string) *Page {
	p := &Page{URL: u}
	doc, err := html.Parse(strings.NewReader(source))
	if err != nil {
		doc, _ = html.Parse(strings.NewReader(""))
		p.suspect(strings.TrimPrefix(err.Error(), "html: "))
	}
	p.Doc = doc
	for _, n := range All(doc, func(n *html.Node) bool { return n.Type == html.ElementNode }) {
		for n.DataAtom == atom.Template && n.FirstChild != nil { // its content is not part of the document
			n.RemoveChild(n.FirstChild)
		}
		p.scan(n)
	}
	p.initControls()
	return p
}

// beyondAttrs are attributes that only a real browser supports.
const beyondAttrs = " popover form formaction formmethod formenctype formtarget formnovalidate "

// scan checks an element for styles and for features that need a real browser.
func (p *Page) scan(n *html.Node) {
	p.styles(Attr(n, "style"))
	for _, a := range n.Attr {
		switch {
		case strings.HasPrefix(a.Key, "on"):
			p.doubt = needsScripts + p.URL.String()
		case Listed(beyondAttrs, a.Key), a.Key == "hidden" && a.Val == "until-found", a.Key == "disabled" && Kind(n) == "" && n.DataAtom != atom.Option:
			p.suspect(n.Data + " with " + a.Key)
		}
	}
	switch {
	case n.DataAtom == atom.Script && !strings.Contains(Attr(n, "type"), "json"), strings.EqualFold(Attr(n, "http-equiv"), "refresh"):
		p.doubt = needsScripts + p.URL.String()
	case n.Namespace != "" && strings.TrimSpace(TextContent(n)) != "":
		p.suspect("text in " + n.Data)
	case n.Namespace == "" && elements[n.Data] == 0:
		p.suspect("element " + n.Data)
	case n.DataAtom == atom.Link && strings.EqualFold(Attr(n, "rel"), "stylesheet"):
		p.suspect("linked style sheet")
	case n.DataAtom == atom.Form && elements[n.Parent.Data] >= table && elements[n.Parent.Data] < cell:
		p.suspect("form directly in " + n.Parent.Data) // the parser does not put its controls below it
	case Listed(" color range ", Kind(n)):
		p.suspect("input of type " + Kind(n)) // always has a value in a real browser
	case n.DataAtom == atom.Select && Has(n, "size"):
		p.suspect("select with size")
	case n.DataAtom == atom.Style:
		p.addSheet(TextContent(n))
	}
}

// needsScripts also tells the author of a task what to do.
const needsScripts = "page needs scripts (add the tag scripts to the task): "

// suspect records the first feature of this page that needs a real browser.
func (p *Page) suspect(what string) {
	p.doubt = cmp.Or(p.doubt, "page needs a real browser ("+what+"): "+p.URL.String())
}

// Failed reports whether this is the browser's own error page. The elements and texts of
// that page are unknown here.
func (p *Page) Failed() bool { return p.URL.Scheme == errorScheme }

// Element returns the first element of the page with this name, or nil. The parser adds
// html and body if a page has none.
func (p *Page) Element(name atom.Atom) *html.Node {
	return First(p.Doc, func(n *html.Node) bool { return n.DataAtom == name && n.Namespace == "" })
}

// Title returns document.title.
func (p *Page) Title() string {
	if n := p.Element(atom.Title); n != nil {
		return OneLine(TextContent(n))
	}
	return ""
}

// Size returns the number of elements.
func (p *Page) Size() int {
	return len(All(p.Doc, func(n *html.Node) bool { return n.Type == html.ElementNode }))
}

// All returns the nodes below n that satisfy want, in tree order.
func All(n *html.Node, want func(*html.Node) bool) (out []*html.Node) {
	for c := range n.Descendants() {
		if want(c) {
			out = append(out, c)
		}
	}
	return out
}

// First returns the first node below n that satisfies want, or nil.
func First(n *html.Node, want func(*html.Node) bool) *html.Node {
	for c := range n.Descendants() {
		if want(c) {
			return c
		}
	}
	return nil
}

// Ancestor returns the nearest element around n with this name, or nil.
func Ancestor(n *html.Node, name atom.Atom) *html.Node {
	for a := range n.Ancestors() {
		if a.DataAtom == name {
			return a
		}
	}
	return nil
}

// Attr returns the value of an attribute of n, or "" if it has none.
func Attr(n *html.Node, key string) string {
	v, _ := Lookup(n, key)
	return v
}

// Has reports whether n has an attribute.
func Has(n *html.Node, key string) bool {
	_, ok := Lookup(n, key)
	return ok
}

// Lookup returns the results of [Attr] and [Has].
func Lookup(n *html.Node, key string) (value string, ok bool) {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val, true
		}
	}
	return "", false
}

// Tag returns the name of an element, and "" for other nodes.
func Tag(n *html.Node) string {
	if n.Type != html.ElementNode {
		return ""
	}
	return n.Data
}

// TextContent returns the DOM's textContent.
func TextContent(n *html.Node) string {
	var b strings.Builder
	for c := range n.Descendants() {
		if c.Type == html.TextNode {
			b.WriteString(c.Data)
		}
	}
	return b.String()
}

// OneLine replaces each run of ASCII white space by one space, and trims both ends. A
// no-break space stays, as in document.title.
func OneLine(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(" \t\n\f\r", r) }), " ")
}

// Listed reports whether list, in which each word has a space on both sides, contains word.
func Listed(words, word string) bool {
	return word != "" && strings.Contains(words, " "+word+" ")
}
