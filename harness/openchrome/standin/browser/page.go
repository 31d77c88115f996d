package browser

import (
	"cmp"
	"net/url"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Page is one loaded document with the state that a user gave its controls.
type Page struct {
	URL    *url.URL
	Doc    *html.Node // the document node
	Active *html.Node // focused element, or nil

	base  *url.URL
	doubt string   // why this page cannot be shown faithfully, or empty
	links []string // hrefs of style sheets
	sheet sheet
	state map[*html.Node]control
	seen  *view
}

// newPage parses body. A document nested deeper than the parser allows is cut
// to nothing and says so in its doubt.
func newPage(u *url.URL, body string) *Page {
	p := &Page{URL: u, base: u, state: map[*html.Node]control{}}
	doc, err := html.Parse(strings.NewReader(body))
	if err != nil {
		doc, _ = html.Parse(strings.NewReader(""))
		p.suspect(strings.TrimPrefix(err.Error(), "html: "))
	}
	p.Doc = doc
	for n := range doc.Descendants() {
		if n.Type == html.ElementNode {
			p.scan(n)
		}
	}
	if p.sheet.doubt != "" {
		p.suspect("style: " + p.sheet.doubt)
	}
	return p
}

// suspect notes what on this page needs a real browser.
func (p *Page) suspect(what string) {
	if p.doubt == "" {
		p.doubt = "page needs a real browser (" + what + "): " + p.URL.String()
	}
}

// scan looks at an element for what this browser cannot do, for the base URL
// and for style sheets.
func (p *Page) scan(n *html.Node) {
	needsScripts := "page needs scripts: " + p.URL.String()
	style, _ := Attr(n, "style")
	p.sheet.declared(style)
	for _, a := range n.Attr {
		switch {
		case strings.HasPrefix(a.Key, "on"):
			p.doubt = needsScripts
		case a.Key == "popover", a.Key == "hidden" && strings.EqualFold(a.Val, "until-found"):
			p.suspect(a.Key + "=" + a.Val)
		}
	}
	href, linked := Attr(n, "href")
	kind, _ := Attr(n, "type")
	switch {
	case n.DataAtom == atom.Script && !strings.Contains(kind, "json"):
		p.doubt = needsScripts
	case n.Namespace != "":
		if strings.TrimSpace(TextContent(n)) != "" {
			p.suspect("text in " + n.Data)
		}
	case n.DataAtom == atom.Meta:
		if v, _ := Attr(n, "http-equiv"); strings.EqualFold(v, "refresh") {
			p.doubt = needsScripts
		}
	case n.DataAtom == atom.Base:
		u, err := resolve(p.URL, href)
		if err != nil || len(n.Attr) != 1 || !linked || p.base != p.URL {
			p.suspect("base beyond one href")
		} else {
			p.base = u
		}
	case n.DataAtom == atom.Link:
		if rel, _ := Attr(n, "rel"); strings.EqualFold(rel, "stylesheet") {
			p.suspect("linked style sheet")
		}
	case n.DataAtom == atom.Style:
		p.sheet.parse(TextContent(n))
	case n.DataAtom == atom.Template: // its content is in no document
		for n.FirstChild != nil {
			n.RemoveChild(n.FirstChild)
		}
	case elements[n.Data] == 0:
		p.suspect("element " + n.Data)
	}
}

// Root is the html element; the parser makes one where the page has none.
func (p *Page) Root() *html.Node { return child(p.Doc, atom.Html) }

// Body is the body element, or the root where there is none (a frameset).
func (p *Page) Body() *html.Node { return cmp.Or(child(p.Root(), atom.Body), p.Root()) }

func child(n *html.Node, a atom.Atom) *html.Node {
	for c := range n.ChildNodes() {
		if c.DataAtom == a && c.Type == html.ElementNode {
			return c
		}
	}
	return nil
}

// Title is document.title.
func (p *Page) Title() string {
	for n := range p.Doc.Descendants() {
		if n.DataAtom == atom.Title && n.Namespace == "" {
			return strings.Join(strings.Fields(TextContent(n)), " ")
		}
	}
	return ""
}

// Elements counts the elements of the document.
func (p *Page) Elements() int {
	count := 0
	for n := range p.Doc.Descendants() {
		if n.Type == html.ElementNode {
			count++
		}
	}
	return count
}

// Attr is the value of an attribute of n and whether it is there.
func Attr(n *html.Node, key string) (string, bool) {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val, true
		}
	}
	return "", false
}

// TextContent is the DOM's textContent of n.
func TextContent(n *html.Node) string {
	if n.Type == html.TextNode {
		return n.Data
	}
	var b strings.Builder
	for c := range n.Descendants() {
		if c.Type == html.TextNode {
			b.WriteString(c.Data)
		}
	}
	return b.String()
}

// Resolve is what the href property of a link answers: the URL made absolute,
// or the text itself where that is not possible, or empty.
func (p *Page) Resolve(href string) string {
	u, err := resolve(p.base, href)
	if err != nil || href == "" {
		return href
	}
	return u.String()
}
