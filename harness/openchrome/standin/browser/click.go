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

// Click does what a click on n does to a page without scripts: it follows a
// link, submits a form, toggles a box, or gives focus. An error is
// one of a navigation, or a [Beyond], which makes the session doubtful.
func (b *Browser) Click(ctx context.Context, n *html.Node) error {
	p := b.Page()
	for ; n != nil && !active(n); n = n.Parent {
	}
	p.Active = nil
	if n == nil || p.Disabled(n) {
		return nil
	}
	if n.DataAtom == atom.Label {
		if c := p.labelled(n); c != nil {
			return b.Click(ctx, c)
		}
		return nil
	}
	p.Active = n
	switch Type(n) {
	case "": // a link
		return b.follow(ctx, n)
	case "checkbox":
		p.SetChecked(n, !p.Checked(n))
	case "radio":
		p.SetChecked(n, true)
	case "submit":
		if form := p.FormOf(n); form != nil {
			return b.submit(ctx, form, n)
		}
	case "reset", "image", "file", "color":
		return b.Refuse("a click on input type=" + Type(n))
	}
	return nil
}

func active(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Label, atom.Input, atom.Button, atom.Select, atom.Textarea:
		return true
	case atom.A:
		_, href := Attr(n, "href")
		return href
	}
	return false
}

// labelled is the control that a label is for.
func (p *Page) labelled(label *html.Node) *html.Node {
	if id, ok := Attr(label, "for"); ok {
		if n := p.ByID(id); n != nil && Type(n) != "" {
			return n
		}
		return nil
	}
	for n := range label.Descendants() {
		if kind := Type(n); kind != "" && kind != "hidden" {
			return n
		}
	}
	return nil
}

func (b *Browser) follow(ctx context.Context, a *html.Node) error {
	p := b.Page()
	href, _ := Attr(a, "href")
	target, _ := Attr(a, "target")
	_, download := Attr(a, "download")
	u, err := resolve(p.base, href)
	switch {
	case err != nil || strings.HasSuffix(href, "#"):
		return b.Refuse("a link to " + href)
	case otherTab(target):
		return b.Refuse("a link that opens another tab")
	case download:
		return b.Refuse("a download")
	case u.Host == "":
		return b.Refuse("a link of scheme " + u.Scheme)
	}
	return b.load(ctx, http.MethodGet, u, "")
}

func otherTab(target string) bool {
	return !slices.Contains([]string{"", "_self", "_top", "_parent"}, strings.ToLower(target))
}

// submit submits form as a click on button does.
func (b *Browser) submit(ctx context.Context, form, button *html.Node) error {
	p := b.Page()
	option := func(key string) string {
		v, ok := Attr(button, "form"+key)
		if !ok {
			v, _ = Attr(form, key)
		}
		return strings.TrimSpace(v)
	}
	_, here := Attr(button, "formnovalidate")
	if _, novalidate := Attr(form, "novalidate"); !here && !novalidate {
		for _, n := range p.controls(form) {
			for _, a := range n.Attr {
				if strings.Contains(" pattern min max step minlength ", " "+a.Key+" ") || Type(n) == "url" {
					return b.Refuse("a form that checks " + a.Key)
				}
			}
			if !p.valid(n) {
				p.Active = n
				return nil
			}
		}
	}
	u, err := p.URL, error(nil) // without an action: the page itself, whatever its base says
	if action := option("action"); action != "" {
		u, err = resolve(p.base, action)
	}
	method, enctype := strings.ToLower(option("method")), strings.ToLower(option("enctype"))
	switch {
	case err != nil || u.Host == "":
		return b.Refuse("a form action " + option("action"))
	case method == "dialog":
		return b.Refuse("a form of method dialog")
	case otherTab(option("target")):
		return b.Refuse("a form that opens another tab")
	case method == "post" && (enctype == "multipart/form-data" || enctype == "text/plain"):
		return b.Refuse("a form of type " + enctype)
	}
	u = withoutFragment(u)
	if method == "post" {
		return b.load(ctx, http.MethodPost, u, p.entries(form, button))
	}
	u.RawQuery = p.entries(form, button)
	u.ForceQuery = true // a form without entries still asks for "?"
	return b.load(ctx, http.MethodGet, u, "")
}

// valid reports whether n lets its form be submitted: required and the form of
// an email address.
func (p *Page) valid(n *html.Node) bool {
	_, required := Attr(n, "required")
	_, readonly := Attr(n, "readonly")
	switch kind := Type(n); {
	case p.Disabled(n) || readonly || kind == "hidden":
		return true
	case kind == "radio":
		group := p.radioGroup(n)
		return !required || slices.ContainsFunc(group, p.Checked) || p.Checked(n)
	case kind == "checkbox":
		return !required || p.Checked(n)
	case p.Value(n) == "":
		return !required || kind == "submit" || kind == "button" || kind == "reset"
	case kind == "email":
		return email.MatchString(p.Value(n))
	}
	return true
}

// email is the pattern of the HTML standard for a valid address.
var email = regexp.MustCompile("^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$")

// controls lists the submittable elements of a form in tree order.
func (p *Page) controls(form *html.Node) []*html.Node {
	var out []*html.Node
	for n := range p.Doc.Descendants() {
		if Type(n) != "" && p.FormOf(n) == form {
			out = append(out, n)
		}
	}
	return out
}

// entries is the form's entry list, serialized as
// application/x-www-form-urlencoded.
func (p *Page) entries(form, submitter *html.Node) string {
	var out []string
	put := func(name, value string) {
		out = append(out, formEscape(name)+"="+formEscape(value))
	}
	for _, n := range p.controls(form) {
		name, _ := Attr(n, "name")
		if name == "" || p.Disabled(n) {
			continue
		}
		switch Type(n) {
		case "submit", "image", "reset", "button":
			if n == submitter {
				put(name, p.Value(n))
			}
		case "checkbox", "radio":
			if p.Checked(n) {
				put(name, p.Value(n))
			}
		case "select-one", "select-multiple":
			for _, o := range Options(n) {
				if p.Selected(o) && !p.Disabled(o) {
					put(name, p.Value(o))
				}
			}
		default:
			put(name, p.Value(n))
		}
	}
	return strings.Join(out, "&")
}

// formEscape differs from url.QueryEscape in two characters and in that line
// breaks become CRLF.
func formEscape(s string) string {
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\n", "\r\n")
	return strings.NewReplacer("%2A", "*", "~", "%7E").Replace(url.QueryEscape(s))
}
