package standin

import (
	"cmp"
	"errors"
	"net/url"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/openchrome/bench/harness/internal/drive/standin/browser"
)

// Control is a link or control of a page, with everything by which OpenChrome's tools name
// it.
type Control struct {
	Role  string // as find lists it, such as button, link, email, select
	Name  string // as find lists it; find and interact search it
	Field string // by which fill_form finds it, usually its label; "" if it is not a field
	// Value is the value of a box, button or radio button. Options are the options of a
	// select: its value, and its text in parentheses if that differs.
	Value   string
	Options []string
	State   []string // disabled, readonly, required, checked
	URL     string   // where a link leads
}

// Controls lists the visible links and controls in the source of the page at u, in their
// order. It sees neither shadow roots nor frames, and only what the source says: no scripts
// run.
func Controls(u *url.URL, source string) (list []Control) {
	p := browser.NewPage(u, source)
	for _, n := range browser.All(p.Doc, interactive) {
		kind := browser.Kind(n)
		if kind == "hidden" || !p.Visible(n) {
			continue
		}
		c := Control{Role: role(n), Name: browser.OneLine(name(n))}
		field := browser.Listed(" input textarea select ", n.Data) && !browser.Listed(" submit button image reset ", kind)
		if names := fieldNames(p, n); field {
			c.Field = browser.OneLine(cmp.Or(names[:]...))
		}
		switch {
		case browser.Listed(" checkbox radio submit button reset ", kind):
			c.Value = browser.Attr(n, "value")
		case n.DataAtom == atom.Select:
			c.Name = "" // the texts of all options
			c.Options = options(n)
		case n.DataAtom == atom.A:
			if to, err := browser.Resolve(u, browser.Attr(n, "href")); err == nil && browser.Has(n, "href") {
				c.URL = to.String()
			}
		}
		for _, key := range []string{"disabled", "readonly", "required", "checked"} {
			if browser.Has(n, key) {
				c.State = append(c.State, key)
			}
		}
		list = append(list, c)
	}
	return list
}

// HTML returns the document of the tab as HTML. It waits until no call is running.
func (s *Server) HTML(tabID string) (string, error) {
	s.turn <- struct{}{}
	defer func() { <-s.turn }()
	if tabID != s.tabID {
		return "", errors.New("no such tab")
	}
	var b strings.Builder
	err := html.Render(&b, s.browser.Page().Doc)
	return b.String(), err
}

func options(n *html.Node) (list []string) {
	for _, o := range browser.Options(n) {
		value, text := browser.Value(o), strings.TrimSpace(browser.TextContent(o))
		if value != text {
			value += " (" + text + ")"
		}
		list = append(list, value)
	}
	return list
}
