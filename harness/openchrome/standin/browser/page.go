package browser

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Page is one loaded document with the state that a user gave its controls.
// The tree under Doc is changed only by [Browser.Click] on a summary.
type Page struct {
	URL    *URL
	Doc    *html.Node // the document node
	Active *html.Node // focused element, or nil

	base   *URL
	doubt  string   // why this page cannot be shown faithfully, or empty
	sheets []string // hrefs of linked style sheets
	styles *sheet
	state  map[*html.Node]control
	lay    *layout
	ids    map[*html.Node]int
	byID   map[int]*html.Node
}

// newPage parses body, which must be UTF-8. A document nested deeper than the
// parser allows is cut to nothing and says so in its doubt.
func newPage(u *URL, body string) *Page {
	p := &Page{URL: u, base: u, state: map[*html.Node]control{}}
	doc, err := html.Parse(strings.NewReader(body))
	if err != nil {
		doc, _ = html.Parse(strings.NewReader(""))
		p.doubt = "page needs a real browser (" + strings.TrimPrefix(err.Error(), "html: ") + "): " + u.String()
	}
	p.Doc = doc
	p.scan()
	return p
}

// scan looks once over the tree for what this browser cannot do, for the base
// URL and for style sheets, and empties templates: their content is in no
// document.
func (p *Page) scan() {
	scripts := false
	needs := ""
	based := false
	for n := range p.Doc.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		for _, a := range n.Attr {
			if len(a.Key) > 2 && strings.HasPrefix(a.Key, "on") {
				scripts = true
			}
		}
		switch n.DataAtom {
		case atom.Script:
			scripts = scripts || n.Namespace != "" || runs(n)
		case atom.Base:
			if href, ok := Attr(n, "href"); ok && !based {
				if u, err := ParseURL(href, p.URL); err == nil && u.Opaque == "" {
					p.base, based = u, true
				}
			}
		case atom.Meta:
			if v, _ := Attr(n, "http-equiv"); strings.EqualFold(v, "refresh") {
				scripts = true
			}
		case atom.Template:
			if _, ok := Attr(n, "shadowrootmode"); ok {
				needs = "declarative shadow tree"
			}
			for n.FirstChild != nil {
				n.RemoveChild(n.FirstChild)
			}
		case atom.Iframe, atom.Frame, atom.Object, atom.Embed, atom.Video, atom.Audio, atom.Canvas, atom.Marquee:
			needs = n.Data
		case atom.Svg, atom.Math:
			if strings.TrimSpace(TextContent(n)) != "" {
				needs = "text in " + n.Data
			}
		case atom.Link:
			rel, _ := Attr(n, "rel")
			if href, ok := Attr(n, "href"); ok && slices.Contains(strings.Fields(strings.ToLower(rel)), "stylesheet") {
				p.sheets = append(p.sheets, href)
			}
		}
	}
	switch {
	case p.doubt != "":
	case scripts:
		p.doubt = "page needs scripts: " + p.URL.String()
	case needs != "":
		p.doubt = "page needs a real browser (" + needs + "): " + p.URL.String()
	}
}

// runs reports whether a script element holds a script, not data.
func runs(n *html.Node) bool {
	t, _ := Attr(n, "type")
	t, _, _ = strings.Cut(strings.ToLower(strings.TrimSpace(t)), ";")
	return t == "" || t == "module" || strings.HasSuffix(t, "javascript") || strings.HasSuffix(t, "ecmascript") ||
		strings.Contains(t, "jscript") || strings.Contains(t, "livescript") || strings.Contains(t, "/javascript1")
}

// Root is the html element.
func (p *Page) Root() *html.Node { return child(p.Doc, atom.Html) }

// Body is the body element, or nil when there is none (a frameset).
func (p *Page) Body() *html.Node { return child(p.Root(), atom.Body) }

func child(n *html.Node, a atom.Atom) *html.Node {
	for c := range n.ChildNodes() {
		if c.DataAtom == a && c.Namespace == "" && c.Type == html.ElementNode {
			return c
		}
	}
	return nil
}

// Title is document.title.
func (p *Page) Title() string {
	for n := range p.Doc.Descendants() {
		if n.DataAtom == atom.Title && n.Namespace == "" {
			return strings.Join(strings.FieldsFunc(TextContent(n), asciiSpace), " ")
		}
	}
	return ""
}

func asciiSpace(r rune) bool { return r == ' ' || r == '\t' || r == '\n' || r == '\f' || r == '\r' }

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
		if a.Key == key && a.Namespace != checkedMark {
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
	if c := n.FirstChild; c != nil && c == n.LastChild && c.Type == html.TextNode {
		return c.Data
	}
	var b strings.Builder
	for c := range n.Descendants() {
		if c.Type == html.TextNode {
			b.WriteString(c.Data)
		}
	}
	return b.String()
}

// number gives every node of the page an id, in tree order from first, and
// returns the id after the last.
func (p *Page) number(first int) int {
	p.ids, p.byID = map[*html.Node]int{}, map[int]*html.Node{}
	p.ids[p.Doc], p.byID[first] = first, p.Doc
	for n := range p.Doc.Descendants() {
		first++
		p.ids[n], p.byID[first] = first, n
	}
	return first + 1
}

// Resolve is what the href property of a link answers: the URL made absolute,
// or the text itself where that is not possible, or empty.
func (p *Page) Resolve(href string) string {
	if href == "" {
		return ""
	}
	u, err := ParseURL(href, p.base)
	if err != nil {
		return href
	}
	return u.String()
}
