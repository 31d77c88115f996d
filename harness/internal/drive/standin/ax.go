package standin

import (
	"cmp"
	"fmt"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/openchrome/bench/harness/internal/drive/standin/browser"
)

// axRoles are the roles of elements in the mode ax, except of input.
var axRoles = map[string]string{
	"a": "link", "button": "button", "select": "combobox", "textarea": "textbox", "option": "option", "h1": "heading", "h2": "heading", "h3": "heading",
	"table": "table", "tr": "row", "td": "cell", "th": "columnheader", "p": "paragraph", "ul": "list", "ol": "list", "li": "listitem", "form": "form",
	"label": "LabelText", "nav": "navigation", "main": "main", "header": "banner", "footer": "contentinfo",
}

// tree writes a page as OpenChrome's mode ax does, one line for each element and text. Like
// OpenChrome, it does not say which boxes are checked.
type tree struct {
	strings.Builder
	server *Server
	page   *browser.Page
}

func (t *tree) node(n *html.Node, indent string) {
	if n.Type == html.TextNode {
		if text := browser.OneLine(n.Data); text != "" {
			fmt.Fprintf(t, "%s[%s] StaticText: \"%s\"\n", indent, t.server.newRef(n, "ref_"), text)
		}
		return
	}
	if n.Type != html.ElementNode || !t.page.Visible(n) && n.DataAtom != atom.Option {
		return
	}
	role, name, value, state := t.element(n)
	fmt.Fprintf(t, "%s[%s] %s", indent, t.server.newRef(n, "ref_"), role)
	if name != "" {
		fmt.Fprintf(t, ": \"%s\"", name)
	}
	if value != "" {
		fmt.Fprintf(t, " = \"%s\"", value)
	}
	if state != "" {
		fmt.Fprintf(t, " (%s)", state)
	}
	t.WriteByte('\n')
	for c := range n.ChildNodes() {
		t.node(c, indent+"  ")
	}
}

func (t *tree) element(n *html.Node) (role, name, value, state string) {
	kind := browser.Kind(n)
	role = cmp.Or(browser.Attr(n, "role"), axRoles[n.Data], "generic")
	if n.DataAtom == atom.Input {
		switch kind {
		case "checkbox", "radio":
			role = kind
		case "submit", "button", "reset", "image":
			role = "button"
		case "number":
			role = "spinbutton"
		case "search":
			role = "searchbox"
		default:
			role = "textbox"
		}
	}
	switch name = browser.Attr(n, "aria-label"); {
	case name != "":
	case browser.Listed(" input select textarea ", n.Data):
		name = browser.OneLine(label(t.page, n))
		if role == "button" {
			name = browser.Value(n)
		}
	case browser.Listed(" link button heading cell columnheader option tab ", role):
		name = browser.OneLine(browser.TextContent(n))
	}
	switch {
	case kind == "select-one":
		for _, o := range browser.Options(n) {
			if browser.On(o) {
				value = browser.OneLine(browser.TextContent(o))
			}
		}
	case kind == "password":
		value = strings.Repeat("•", len([]rune(browser.Value(n))))
	case browser.Listed(" textbox searchbox spinbutton ", role):
		value = browser.OneLine(browser.Value(n))
	case n.DataAtom == atom.Option && browser.On(n):
		state = "selected"
	}
	if set := browser.Ancestor(n, atom.Fieldset); kind != "" && (browser.Has(n, "disabled") || set != nil && browser.Has(set, "disabled")) {
		state = "disabled"
	}
	return role, name, value, state
}
