// Package browser is a small HTTP browser for static pages: real requests,
// redirects, cookies, history, forms, and the innerText that Chromium shows.
// It runs no scripts and knows no layout; where a page needs more than it has
// it says so instead of guessing: see [Browser.Doubt].
package browser

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"golang.org/x/net/html"
)

const (
	maxRedirects = 20
	maxBody      = 8 << 20
)

// Browser is one tab with its cookies and history. It is not safe for
// concurrent use.
type Browser struct {
	Jar *Jar

	client  http.Client
	history []*Page
	at      int
	doubt   string
}

// New returns a browser without a page. A nil rt resolves no host.
func New(rt http.RoundTripper) *Browser {
	if rt == nil {
		rt = nowhere{}
	}
	jar := newJar()
	return &Browser{Jar: jar, client: http.Client{Transport: rt, Jar: jar, CheckRedirect: func(_ *http.Request, via []*http.Request) error {
		if len(via) >= maxRedirects {
			return errRedirects
		}
		return nil
	}}}
}

// nowhere is a web without hosts.
type nowhere struct{}

func (nowhere) RoundTrip(*http.Request) (*http.Response, error) { return nil, ErrNameNotResolved }

// Page is the current page, nil before the first.
func (b *Browser) Page() *Page {
	if len(b.history) == 0 {
		return nil
	}
	return b.history[b.at]
}

// Doubt says why this session no longer speaks for a real browser, for
// instance "page needs scripts: https://example.com/". Empty: it does. The
// first reason stays.
func (b *Browser) Doubt() string { return b.doubt }

// Suspect sets the reason of [Browser.Doubt] unless there is one.
func (b *Browser) Suspect(reason string) {
	if b.doubt == "" {
		b.doubt = reason
	}
}

// Beyond is the error for what only a real browser can do.
type Beyond string

func (e Beyond) Error() string {
	return "stand-in: " + string(e) + " is not supported; use a real browser"
}

// Refuse makes the session doubtful and returns the error that says why.
func (b *Browser) Refuse(what string) error {
	b.Suspect("needs a real browser: " + what)
	return Beyond(what)
}

// Open loads raw, an absolute URL. Its error is a [*NetError], the context's
// error, a [Beyond], or one that says the URL is invalid.
func (b *Browser) Open(ctx context.Context, raw string) error {
	u, err := ParseURL(raw)
	if err != nil {
		return err
	}
	return b.load(ctx, http.MethodGet, u, "")
}

// Back and Forward move in the history without a request, as Chromium does
// from its back/forward cache. At the end they do nothing.
func (b *Browser) Back() { b.at = max(b.at-1, 0) }

// Forward is described with [Browser.Back].
func (b *Browser) Forward() { b.at = max(min(b.at+1, len(b.history)-1), 0) }

// Forget empties the history, as closing the tab does. Cookies stay.
func (b *Browser) Forget() { b.history, b.at = nil, 0 }

// load navigates: it follows redirects and puts the page that it ends at into
// the history. A navigation that fails at the network leaves Chromium's error
// page there. form is the body of a POST.
func (b *Browser) load(ctx context.Context, method string, u *url.URL, form string) error {
	cur := b.Page()
	if cur != nil && method == http.MethodGet && u.Fragment != "" && withoutFragment(cur.URL).String() == withoutFragment(u).String() {
		next := *cur // the same document, at another place
		next.URL, next.Active = u, nil
		if next.URL.String() != cur.URL.String() {
			b.push(&next)
		}
		return nil
	}
	page, err := b.fetch(ctx, method, u, form)
	var network *NetError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err == nil:
		if cur != nil && method == http.MethodGet && page.URL.String() == cur.URL.String() {
			b.history = b.history[:b.at] // going where one already is replaces the entry
			b.at = max(b.at-1, 0)
		}
		b.push(page)
	case errors.As(err, &network) && network.Code != "net::ERR_ABORTED":
		b.push(errorPage(u.Hostname()))
	}
	return err
}

func (b *Browser) push(p *Page) {
	if len(b.history) > b.at+1 {
		b.history = b.history[:b.at+1]
	}
	b.history = append(b.history, p)
	b.at = len(b.history) - 1
	if p.doubt != "" {
		b.Suspect(p.doubt)
	}
}

// errorPage stands for Chromium's: its URL and title are the same, its text
// (which Chromium draws with scripts) is empty.
func errorPage(host string) *Page {
	return newPage(&url.URL{Scheme: "chrome-error", Host: "chromewebdata", Path: "/"}, "<!doctype html><title>"+html.EscapeString(host)+"</title><body></body>")
}

// fetch does the requests of one navigation, redirects and all.
func (b *Browser) fetch(ctx context.Context, method string, u *url.URL, form string) (*Page, error) {
	req, err := http.NewRequestWithContext(ctx, method, u.String(), strings.NewReader(form))
	if err != nil {
		return nil, netError(err)
	}
	req.Header.Set("User-Agent", "Mozilla/5.0 (compatible; openchrome-bench-standin)")
	req.Header.Set("Accept", "text/html,*/*;q=0.8")
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	res, err := b.client.Do(req)
	if err != nil {
		return nil, netError(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxBody+1))
	if err != nil {
		return nil, netError(err)
	}
	if len(body) > maxBody {
		return nil, b.Refuse(fmt.Sprintf("a page larger than %d MiB (%s)", maxBody>>20, u))
	}
	final, err := resolve(u, res.Request.URL.String())
	if err != nil {
		return nil, netError(err)
	}
	if final.Fragment == "" {
		final.Fragment = u.Fragment
	}
	return b.show(final, res, strings.ToValidUTF8(string(body), "\ufffd"))
}

// show makes a page of a response.
func (b *Browser) show(u *url.URL, res *http.Response, body string) (*Page, error) {
	kind, params, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	disposition, _, _ := mime.ParseMediaType(res.Header.Get("Content-Disposition"))
	switch {
	case res.StatusCode == 204 || res.StatusCode == 205 || disposition == "attachment":
		return nil, &NetError{Code: "net::ERR_ABORTED"}
	case body == "" && res.StatusCode >= 400:
		return errorPage(u.Hostname()), nil
	case kind == "text/html" || kind == "":
	case kind == "text/plain" || kind == "application/json":
		body = "<html><head></head><body><pre>\n" + html.EscapeString(body) + "</pre></body></html>"
	default:
		return nil, b.Refuse(kind + " at " + u.String())
	}
	p := newPage(u, strings.TrimPrefix(body, "\ufeff"))
	if cs := params["charset"]; cs != "" && !strings.EqualFold(cs, "utf-8") {
		p.suspect("charset " + cs)
	}
	return p, nil
}
