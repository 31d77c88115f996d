package browser

import (
	"context"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Click acts like a click on n in a page without scripts: it follows a link, submits a
// form, toggles a box, or sets the focus. Its error is an error of [Browser.Open] or a
// [Beyond].
func (b *Browser) Click(ctx context.Context, n *html.Node) error {
	p := b.Page()
	n = p.Target(n)
	p.Active = nil
	if n == nil || Has(n, "disabled") {
		return nil
	}
	p.Active = n
	switch t := Kind(n); t {
	case "":
		u, err := b.target(n, "href")
		if err != nil {
			return err
		}
		return b.load(ctx, http.MethodGet, u, "")
	case "checkbox", "radio":
		p.Check(n, t == "radio" || !On(n))
	case "submit":
		if form := Ancestor(n, atom.Form); form != nil {
			return b.submit(ctx, form, n)
		}
	case "reset", "image", "file", "select-multiple":
		return b.Refuse("a click on a control of type " + t)
	}
	return nil
}

// Target returns the link or control that a click on n acts on, or nil.
func (p *Page) Target(n *html.Node) *html.Node {
	for n != nil && Kind(n) == "" && n.DataAtom != atom.Label && (n.DataAtom != atom.A || !Has(n, "href")) {
		n = n.Parent
	}
	if n == nil || n.DataAtom != atom.Label {
		return n
	}
	if id, ok := Lookup(n, "for"); ok {
		return First(p.Doc, func(c *html.Node) bool { return Kind(c) != "" && Attr(c, "id") == id })
	}
	return First(n, func(c *html.Node) bool { return Kind(c) != "" && Kind(c) != "hidden" })
}

// unusual are attributes of links and forms that only a real browser supports.
const unusual = " target download enctype accept-charset "

// target returns the URL in an attribute of a link or form.
func (b *Browser) target(n *html.Node, key string) (*url.URL, error) {
	u, err := Resolve(b.Page().URL, Attr(n, key))
	if i := slices.IndexFunc(n.Attr, func(a html.Attribute) bool { return Listed(unusual, a.Key) }); i >= 0 {
		return nil, b.Refuse(n.Data + " with " + n.Attr[i].Key)
	}
	if err != nil || u.Host == "" || strings.HasSuffix(Attr(n, key), "#") {
		return nil, b.Refuse(n.Data + " to " + Attr(n, key))
	}
	return u, nil
}

// submit submits form, like a click on button.
func (b *Browser) submit(ctx context.Context, form, button *html.Node) error {
	p := b.Page()
	u, err := b.target(form, "action")
	if err != nil {
		return err
	}
	controls := All(form, func(n *html.Node) bool { return Kind(n) != "" })
	for _, n := range controls {
		if Kind(n) == "url" {
			return b.Refuse("a form that checks a URL")
		}
		if i := slices.IndexFunc(n.Attr, func(a html.Attribute) bool { return Listed(" pattern min max step minlength ", a.Key) }); i >= 0 {
			return b.Refuse("a form that checks " + n.Attr[i].Key)
		}
		if !Has(form, "novalidate") && !p.valid(n) {
			p.Active = n
			return nil
		}
	}
	switch method := strings.ToLower(Attr(form, "method")); method {
	case "post":
		return b.load(ctx, http.MethodPost, u, entries(controls, button))
	case "dialog":
		return b.Refuse("a form of method dialog")
	}
	u.RawQuery, u.ForceQuery = entries(controls, button), true // the URL of a form without entries still ends in "?"
	return b.load(ctx, http.MethodGet, u, "")
}

// valid reports whether the form of n may be submitted as far as n is concerned. It checks
// required fields and email addresses.
func (p *Page) valid(n *html.Node) bool {
	v := Value(n)
	switch t := Kind(n); {
	case Has(n, "disabled") || Has(n, "readonly") || Listed(" hidden submit button reset ", t):
		return true
	case t == "checkbox" || t == "radio":
		return !Has(n, "required") || slices.ContainsFunc(append(p.group(n), n), func(c *html.Node) bool { return On(c) })
	case t == "email" && v != "":
		return email.MatchString(v)
	}
	return !Has(n, "required") || v != ""
}

// email is the pattern of the HTML standard for a valid address.
var email = regexp.MustCompile("^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$")

// entries returns the form's entry list as application/x-www-form-urlencoded.
func entries(controls []*html.Node, submitter *html.Node) string {
	var out []string
	for _, n := range controls {
		sent := []*html.Node{n}
		switch t := Kind(n); {
		case Attr(n, "name") == "" || Has(n, "disabled"),
			Listed(" submit image reset button ", t) && n != submitter,
			(t == "checkbox" || t == "radio") && !On(n):
			continue
		case n.DataAtom == atom.Select:
			sent = All(n, func(o *html.Node) bool { return On(o) && !Has(o, "disabled") })
		}
		for _, from := range sent {
			out = append(out, formEscape(Attr(n, "name"))+"="+formEscape(Value(from)))
		}
	}
	return strings.Join(out, "&")
}

// formEscape is like url.QueryEscape, except for two characters, and it turns line breaks
// into CRLF.
func formEscape(s string) string {
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\n", "\r\n")
	return strings.NewReplacer("%2A", "*", "~", "%7E").Replace(url.QueryEscape(s))
}
