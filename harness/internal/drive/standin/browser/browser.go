package browser

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"

	"golang.org/x/net/html"
)

const (
	maxBody     = 8 << 20
	errorScheme = "chrome-error"
)

// Browser is one tab with its cookies and history. It is not safe for
// concurrent use.
type Browser struct {
	http.CookieJar
	client  http.Client
	history []*Page
	at      int
	// Doubt says why this session no longer behaves like a real browser, for instance "page
	// needs scripts: https://example.com/". It is empty if there is no such reason. The
	// first reason stays.
	Doubt  string
	Broken bool // the reason is a fault of this program, and not the page
	Astray bool // the reason is an address that was opened and shows no page

	opening bool // an address, and no link or form of a page
}

// New returns a browser that shows about:blank. It sends its requests through rt.
func New(rt http.RoundTripper) *Browser {
	jar, _ := cookiejar.New(nil) // its error is always nil
	b := &Browser{CookieJar: jar}
	b.Forget()
	b.client = http.Client{Transport: rt, Jar: b}
	return b
}

// Page is the current page.
func (b *Browser) Page() *Page { return b.history[b.at] }

// Beyond is the error for an action that only a real browser can do.
type Beyond string

func (e Beyond) Error() string {
	return "stand-in: " + string(e) + " is not supported; use a real browser"
}

// Refuse puts the session in doubt and returns the error that says why.
func (b *Browser) Refuse(what string) error {
	b.Astray = b.Astray || b.Doubt == "" && b.Page().Failed()
	b.Doubt = cmp.Or(b.Doubt, "needs a real browser: "+what)
	return Beyond(what)
}

// noPage is Refuse for an answer that is no page. The first page of a session is not the choice of who
// drives it.
func (b *Browser) noPage(what string) error {
	b.Astray = b.Astray || b.Doubt == "" && b.opening && b.Page().URL.Scheme != "about"
	return b.Refuse(what)
}

// Open loads u. Its error is a [NetError], the context's, or a [Beyond].
func (b *Browser) Open(ctx context.Context, u *url.URL) error {
	if u.Fragment != "" && u.String() == b.Page().URL.String() {
		return b.Refuse("going to the same fragment again")
	}
	b.opening = true
	defer func() { b.opening = false }()
	return b.load(ctx, http.MethodGet, u, "")
}

// Move goes back (-1) or forward (1) in the history without a request, as Chromium does
// from its back/forward cache. At the end it does nothing. From an error page, Chromium
// sends the request again or asks the user whether it may.
func (b *Browser) Move(by int) error {
	if b.Page().Failed() {
		return b.Refuse("going back or forward from an error page")
	}
	b.at = max(min(b.at+by, len(b.history)-1), 0)
	return nil
}

// Forget clears the history, so that the tab is like a new tab. Cookies stay.
func (b *Browser) Forget() {
	b.history, b.at = []*Page{NewPage(&url.URL{Scheme: "about", Opaque: "blank"}, "")}, 0
}

// load navigates: it follows redirects and adds the last page to the history. If the
// network fails, it adds Chromium's error page. form is the body of a POST.
func (b *Browser) load(ctx context.Context, method string, u *url.URL, form string) error {
	cur := b.Page()
	same := method == http.MethodGet && u.String() == cur.URL.String()
	if method == http.MethodGet && u.Fragment != "" && withoutFragment(cur.URL) == withoutFragment(u) {
		next := *cur // another fragment of the same document
		next.URL, next.Active = u, nil
		b.show(&next, same)
		return nil
	}
	p, err := b.fetch(ctx, method, u, form)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if _, ok := errors.AsType[NetError](err); ok {
		p = errorPage(u)
	}
	if p == nil {
		return err
	}
	b.show(p, same)
	return err
}

// show puts p after the current page and drops all later pages. With replace, p
// takes the place of the current page, as when a user opens the same URL again.
func (b *Browser) show(p *Page, replace bool) {
	if !replace {
		b.history = append(b.history[:b.at+1], nil)
		b.at++
	}
	b.history[b.at] = p
	b.Doubt = cmp.Or(b.Doubt, p.doubt)
}

// errorPage returns a page with the URL and title of Chromium's error page; see
// [Page.Failed].
func errorPage(u *url.URL) *Page {
	return NewPage(&url.URL{Scheme: errorScheme, Host: "chromewebdata", Path: "/"}, "<!doctype html><title>"+html.EscapeString(u.Hostname())+"</title>")
}

// fetch makes all requests of one navigation, including redirects.
func (b *Browser) fetch(ctx context.Context, method string, u *url.URL, form string) (*Page, error) {
	req, err := http.NewRequestWithContext(ctx, method, u.String(), strings.NewReader(form))
	if err != nil {
		return nil, b.failed(err)
	}
	req.Header.Set("User-Agent", "Mozilla/5.0 (compatible; openchrome-bench-standin)")
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	res, err := b.client.Do(req)
	if err != nil {
		return nil, b.failed(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxBody+1))
	if err != nil {
		return nil, b.failed(err)
	}
	final, err := Resolve(u, res.Request.URL.String())
	if err != nil {
		return nil, b.failed(err)
	}
	final.Fragment = cmp.Or(final.Fragment, u.Fragment)
	kind, params, _ := mime.ParseMediaType(cmp.Or(res.Header.Get("Content-Type"), "text/html"))
	charset := cmp.Or(params["charset"], "utf-8")
	switch {
	case len(body) == 0 && res.StatusCode >= 400:
		return nil, b.noPage(fmt.Sprintf("an answer %d without a page", res.StatusCode))
	case len(body) > maxBody:
		return nil, b.noPage("a page larger than 8 MiB")
	case res.StatusCode == http.StatusNoContent || res.Header.Get("Content-Disposition") != "" || kind != "text/html" || !strings.EqualFold(charset, "utf-8"):
		return nil, b.noPage("an answer that is not a UTF-8 page: " + u.String())
	}
	return NewPage(final, strings.TrimPrefix(strings.ToValidUTF8(string(body), "\ufffd"), "\ufeff")), nil
}
