package replay

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/openchrome/bench/harness/internal/drive/standin/browser"
	"github.com/openchrome/bench/harness/internal/web"
)

// A More is one more act after an episode.
type More struct {
	Name string // what does it: the text of a button
	Sent string // the last request that may have an effect
	Log  web.Log
}

// maxForms bounds the number of acts of [Stage.Forms]. If there are more, maxForms of them are
// done, evenly spaced.
const maxForms = 100

// Forms does the acts, and one act more on a web of its own: it sends a form of one of the pages
// that the acts opened, or to which the last of these pages links. Each form is sent by each of
// its buttons, as it stands and with each control changed. holds is the contract: where it does
// not hold after the page with the form was opened again, an act more shows nothing. Forms
// leaves out the acts that change neither the state of a host nor the verdict.
func (s *Stage) Forms(ctx context.Context, acts []Act, holds func(web.Log) bool) (out []More) {
	typed := make(map[string]string)
	for _, a := range acts {
		form, _ := url.ParseQuery(a.Body) // anything else gives no names that a form has
		for name := range form {
			typed[name] = form.Get(name)
		}
	}
	type form struct {
		page    string
		n       int // of the button
		changed bool
	}
	var forms []form
	for _, page := range s.pages(acts) {
		if p := s.after(acts, page); p != nil && holds(p.web.Log()) {
			for n := range p.buttons() {
				forms = append(forms, form{page, n, false}, form{page, n, true})
			}
		}
	}
	for i := range min(len(forms), maxForms) {
		if ctx.Err() != nil {
			return nil
		}
		f := forms[i*len(forms)/min(len(forms), maxForms)]
		p := s.after(acts, f.page)
		log, state := p.web.Log(), p.web.State()
		button := p.buttons()[f.n]
		prepare(p.browser.Page(), button, f.changed, typed)
		p.browser.Click(ctx, button) // an act that this browser cannot do sends nothing
		m := More{Name: browser.OneLine(browser.TextContent(button)), Log: p.web.Log()}
		for _, r := range m.Log.Requests[len(log.Requests):] {
			if m.Sent == "" || Effect(r) {
				m.Sent = strings.TrimSpace(r.Method + " " + r.URL + " " + r.Body)
			}
		}
		if p.web.State() != state || !holds(m.Log) {
			out = append(out, m)
		}
	}
	return out
}

// pages returns the URLs of the pages that the acts opened, and of the links of the last one.
func (s *Stage) pages(acts []Act) (out []string) {
	add := func(u string) {
		if !slices.Contains(out, u) {
			out = append(out, u)
		}
	}
	last := ""
	for _, r := range s.Play(acts).Requests {
		if r.Method == http.MethodGet && r.Status == http.StatusOK {
			add(r.URL)
			last = r.URL
		}
	}
	if p := s.after(acts, last); p != nil {
		page := p.browser.Page()
		for _, a := range browser.All(page.Doc, func(n *html.Node) bool { return n.DataAtom == atom.A && browser.Has(n, "href") }) {
			if u, err := browser.Resolve(page.URL, browser.Attr(a, "href")); err == nil && u.Host != "" {
				u.Fragment = ""
				add(u.String())
			}
		}
	}
	return out
}

// after returns a browser that did the acts and shows the page; nil if it cannot.
func (s *Stage) after(acts []Act, page string) *player {
	p := s.open()
	for _, a := range acts {
		p.do(a)
	}
	u, err := url.Parse(page)
	if err != nil || p.browser.Open(context.Background(), u) != nil {
		return nil
	}
	return p
}

func (p *player) buttons() []*html.Node {
	return browser.All(p.browser.Page().Doc, func(n *html.Node) bool {
		return browser.Kind(n) == "submit" && browser.Ancestor(n, atom.Form) != nil
	})
}

// guards are the attributes by which a page alone keeps a form from being sent.
const guards = " required pattern min max step minlength disabled target enctype "

// prepare removes the guards of the form of a button, which a script can do too. With changed,
// it changes each control of the form.
func prepare(page *browser.Page, button *html.Node, changed bool, typed map[string]string) {
	form := browser.Ancestor(button, atom.Form)
	for _, n := range append(browser.All(form, func(n *html.Node) bool { return browser.Kind(n) != "" }), form) {
		n.Attr = slices.DeleteFunc(n.Attr, func(a html.Attribute) bool { return strings.Contains(guards, " "+a.Key+" ") })
		if !changed {
			continue
		}
		switch kind := browser.Kind(n); kind {
		case "checkbox":
			page.Check(n, !browser.On(n))
		case "radio": // of a group, the last that was off
			if !browser.On(n) {
				page.Check(n, true)
			}
		case "select-one":
			options := browser.Options(n)
			if i := slices.IndexFunc(options, browser.On); i >= 0 {
				page.Check(options[(i+1)%len(options)], true)
			}
		case "", "hidden", "submit", "button", "reset", "image", "file", "select-multiple":
		default:
			v := browser.Value(n) + "1"
			if sent := typed[browser.Attr(n, "name")]; v == "1" && sent != "" {
				v = sent
			}
			browser.SetValue(n, v)
		}
	}
}
