package browser

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Click does what a click on n does to a page without scripts: it follows a
// link, submits or resets a form, toggles a box, opens details, or gives
// focus. note is what a mutation observer would see, or empty. An error is one
// of a navigation; what is beyond this browser is an error that says so, and
// makes the session doubtful.
func (b *Browser) Click(ctx context.Context, n *html.Node) (note string, err error) {
	p := b.Page()
	target := n
	for ; target != nil; target = target.Parent {
		if active(target) {
			break
		}
	}
	p.Active = focusable(n, p)
	if target == nil || p.Disabled(target) {
		return "", nil
	}
	switch target.DataAtom {
	case atom.A, atom.Area:
		return "", b.follow(ctx, target)
	case atom.Label:
		if c := p.labelled(target); c != nil && !p.Disabled(c) {
			return b.Click(ctx, c)
		}
	case atom.Summary:
		if d := target.Parent; d != nil && d.DataAtom == atom.Details && child(d, atom.Summary) == target {
			return p.toggle(d), nil
		}
	case atom.Input, atom.Button:
		switch Type(target) {
		case "checkbox":
			p.SetChecked(target, !p.Checked(target))
		case "radio":
			p.SetChecked(target, true)
		case "reset":
			for _, c := range p.controls(p.FormOf(target)) {
				delete(p.state, c)
			}
		case "submit":
			if form := p.FormOf(target); form != nil {
				return "", b.submit(ctx, form, target)
			}
		case "image", "file", "color":
			return "", b.beyond("a click on input type=" + Type(target))
		}
	}
	return "", nil
}

func active(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Label, atom.Summary, atom.Input, atom.Button, atom.Select, atom.Textarea:
		return n.Namespace == ""
	case atom.A, atom.Area:
		_, href := Attr(n, "href")
		return href
	}
	return false
}

func focusable(n *html.Node, p *Page) *html.Node {
	for ; n != nil; n = n.Parent {
		_, tab := Attr(n, "tabindex")
		if v, ok := Attr(n, "contenteditable"); tab || ok && v != "false" || active(n) && n.DataAtom != atom.Label && !p.Disabled(n) {
			return n
		}
	}
	return nil
}

func (b *Browser) beyond(what string) error {
	err := Beyond(what)
	b.Suspect("needs a real browser: " + what)
	return err
}

// Beyond is the error for what only a real browser can do.
type Beyond string

func (e Beyond) Error() string {
	return "stand-in: " + string(e) + " is not supported; use a real browser"
}

func (b *Browser) follow(ctx context.Context, a *html.Node) error {
	p := b.Page()
	href, _ := Attr(a, "href")
	u, err := ParseURL(href, p.base)
	if err != nil {
		return nil // a click on a link that cannot be resolved does nothing
	}
	if err := b.leaves(a, "target"); err != nil {
		return err
	}
	if _, ok := Attr(a, "download"); ok {
		return b.beyond("a download")
	}
	if u.Opaque != "" || u.Scheme != "http" && u.Scheme != "https" {
		return b.beyond("a link of scheme " + u.Scheme)
	}
	return b.load(ctx, request{method: http.MethodGet, url: u, from: p})
}

// leaves refuses what would open another tab.
func (b *Browser) leaves(n *html.Node, key string) error {
	t, ok := Attr(n, key)
	if !ok {
		if base, _ := b.Page().First(b.Page().Doc, "base[target]"); base != nil {
			t, _ = Attr(base, "target")
		}
	}
	switch strings.ToLower(t) {
	case "", "_self", "_top", "_parent":
		return nil
	}
	return b.beyond("a link or form that opens another tab")
}

// submit submits form as a click on button does.
func (b *Browser) submit(ctx context.Context, form, button *html.Node) error {
	p := b.Page()
	option := func(key string) string {
		if v, ok := Attr(button, "form"+key); ok {
			return v
		}
		v, _ := Attr(form, key)
		return v
	}
	_, novalidate := Attr(form, "novalidate")
	if _, ok := Attr(button, "formnovalidate"); !ok && !novalidate {
		if bad := p.invalid(form); bad != nil {
			p.Active = bad
			return nil
		}
	}
	method := strings.ToLower(option("method"))
	if method == "dialog" {
		return b.beyond("a form of method dialog")
	}
	holder, key := form, "target"
	if _, ok := Attr(button, "formtarget"); ok {
		holder, key = button, "formtarget"
	}
	if err := b.leaves(holder, key); err != nil {
		return err
	}
	u := *p.URL // an empty action is the page itself, whatever its base says
	u.Fragment, u.RawFragment, u.hash = "", "", false
	if action := strings.TrimSpace(option("action")); action != "" {
		to, err := ParseURL(action, p.base)
		if err != nil {
			return nil
		}
		if to.Opaque != "" {
			return b.beyond("a form action of scheme " + to.Scheme)
		}
		u = *to
	}
	r := request{method: http.MethodGet, url: &u, from: p}
	if method == "post" {
		if e := strings.ToLower(option("enctype")); slices.Contains([]string{"multipart/form-data", "text/plain"}, e) {
			return b.beyond("a form of type " + e)
		}
		r.method, r.body = http.MethodPost, p.entries(form, button)
	} else {
		u.RawQuery = p.entries(form, button)
		u.ForceQuery = true // a form without entries still asks for "?"
	}
	return b.load(ctx, r)
}

// labelled is the control that a label is for.
func (p *Page) labelled(label *html.Node) *html.Node {
	if id, ok := Attr(label, "for"); ok {
		return p.byIDAttr(id)
	}
	for n := range label.Descendants() {
		switch n.DataAtom {
		case atom.Input, atom.Button, atom.Select, atom.Textarea, atom.Meter, atom.Progress, atom.Output:
			if n.DataAtom != atom.Input || Type(n) != "hidden" {
				return n
			}
		}
	}
	return nil
}

// toggle opens or closes details.
func (p *Page) toggle(d *html.Node) string {
	label := "details"
	if id, ok := Attr(d, "id"); ok && id != "" {
		label += "#" + id
	}
	p.lay = nil
	for i, a := range d.Attr {
		if a.Key == "open" {
			d.Attr = slices.Delete(d.Attr, i, i+1)
			return "~ " + label + ": open " + a.Val + "→null"
		}
	}
	d.Attr = append(d.Attr, html.Attribute{Key: "open"})
	return "~ " + label + ": open null→"
}
