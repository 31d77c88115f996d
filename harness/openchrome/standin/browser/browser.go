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
	"time"
	"unicode/utf8"

	"golang.org/x/net/html"
)

const (
	maxRedirects   = 20
	maxBody        = 8 << 20
	maxSheets      = 20
	patternTimeout = time.Second
)

// Browser is one tab with its cookies and history. It is not safe for
// concurrent use.
type Browser struct {
	Jar Jar

	rt      http.RoundTripper
	history []*Page
	at      int
	doubt   string
	nextID  int
}

// New returns a browser without a page. A nil rt resolves no host.
func New(rt http.RoundTripper) *Browser { return &Browser{rt: rt, nextID: 1} }

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

// Open loads raw, an absolute URL. Its error is a [*NetError], the context's
// error, or one that says the URL is invalid.
func (b *Browser) Open(ctx context.Context, raw string) error {
	u, err := ParseURL(raw, nil)
	if err != nil {
		return err
	}
	return b.load(ctx, request{method: http.MethodGet, url: u, shown: raw})
}

// Back and Forward move in the history without a request, as Chromium does
// from its back/forward cache. At the end they do nothing.
func (b *Browser) Back() { b.at = max(b.at-1, 0) }

// Forward is described with [Browser.Back].
func (b *Browser) Forward() { b.at = max(min(b.at+1, len(b.history)-1), 0) }

// ID is the number by which tools name a node of the current page.
func (b *Browser) ID(n *html.Node) int {
	p := b.Page()
	if p.ids == nil {
		b.nextID = p.number(b.nextID)
	}
	return p.ids[n]
}

// Node is the node of the current page with this number, or nil.
func (b *Browser) Node(id int) *html.Node {
	if p := b.Page(); p != nil {
		return p.byID[id]
	}
	return nil
}

// request is one navigation. from is the page that asked for it, or nil.
type request struct {
	method, body string
	url          *URL
	shown        string // the URL as error texts show it
	from         *Page
}

// load navigates: it follows redirects and puts the page that it ends at into
// the history. A navigation that fails at the network leaves Chromium's error
// page there.
func (b *Browser) load(ctx context.Context, r request) error {
	if r.shown == "" {
		r.shown = r.url.String()
	}
	if cur := b.Page(); cur != nil && r.method == http.MethodGet && (r.url.Fragment != "" || r.url.hash) && sameDocument(cur.URL, r.url) {
		b.ID(cur.Doc)
		next := *cur // the same document, at another place
		next.URL, next.Active = r.url, nil
		if next.URL.String() != cur.URL.String() {
			b.push(&next)
		}
		return nil
	}
	page, err := b.fetchPage(ctx, r)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err == nil {
		// Going where one already is replaces the entry.
		if cur := b.Page(); cur != nil && r.method == http.MethodGet && page.URL.String() == cur.URL.String() {
			b.history = b.history[:b.at]
			b.at = max(b.at-1, 0)
		}
		b.push(page)
		return nil
	}
	if ne, ok := errors.AsType[*NetError](err); ok && ne.Code != "net::ERR_ABORTED" {
		b.push(errorPage(r.url.Hostname()))
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
	p := newPage(&URL{URL: url.URL{Scheme: "chrome-error", Host: "chromewebdata", Path: "/"}}, "<!doctype html><title>"+html.EscapeString(host)+"</title><body></body>")
	p.styles = p.sheet(nil)
	return p
}

func (b *Browser) fetchPage(ctx context.Context, r request) (*Page, error) {
	u := r.url
	for hop := 0; ; hop++ {
		if hop == maxRedirects {
			return nil, &NetError{Code: "net::ERR_TOO_MANY_REDIRECTS", URL: r.shown}
		}
		res, body, err := b.roundTrip(ctx, r, u)
		if err != nil {
			return nil, err
		}
		location := res.Header.Get("Location")
		switch code := res.StatusCode; {
		case location == "" || code != 301 && code != 302 && code != 303 && code != 307 && code != 308:
			return b.show(ctx, r, u, res, body)
		case code == 303, r.method == http.MethodPost && code < 303:
			r.method, r.body = http.MethodGet, ""
		}
		next, err := ParseURL(location, u)
		if err != nil {
			return nil, &NetError{Code: "net::ERR_INVALID_REDIRECT", URL: r.shown}
		}
		if next.Opaque != "" {
			return nil, &NetError{Code: "net::ERR_UNSAFE_REDIRECT", URL: r.shown}
		}
		if next.Fragment == "" {
			next.Fragment, next.RawFragment, next.hash = u.Fragment, u.RawFragment, next.hash || u.hash
		}
		u = next
	}
}

// roundTrip does one request with the cookies of the jar and reads the body.
func (b *Browser) roundTrip(ctx context.Context, r request, u *URL) (*http.Response, string, error) {
	wire := u.URL
	wire.Fragment, wire.RawFragment = "", ""
	req, err := http.NewRequestWithContext(ctx, r.method, wire.String(), strings.NewReader(r.body))
	if err != nil {
		return nil, "", &NetError{Code: "net::ERR_INVALID_URL", URL: r.shown, Err: err}
	}
	req.Header.Set("User-Agent", "Mozilla/5.0 (compatible; openchrome-bench-standin)")
	req.Header.Set("Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8")
	if r.from != nil && !(r.from.URL.Scheme == "https" && u.Scheme == "http") {
		ref := r.from.URL.URL
		if ref.Fragment, ref.RawFragment = "", ""; ref.Host != u.Host || ref.Scheme != u.Scheme {
			ref = url.URL{Scheme: ref.Scheme, Host: ref.Host, Path: "/"}
		}
		if ref.Host != "" {
			req.Header.Set("Referer", ref.String())
		}
	}
	if r.method == http.MethodPost {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		if r.from != nil {
			req.Header.Set("Origin", r.from.URL.Scheme+"://"+r.from.URL.Host)
		}
	}
	var pairs []string
	for _, c := range b.Jar.For(u) {
		pairs = append(pairs, c.Name+"="+c.Value)
	}
	if len(pairs) > 0 {
		req.Header.Set("Cookie", strings.Join(pairs, "; "))
	}
	if b.rt == nil {
		return nil, "", netError(ErrNameNotResolved, r.shown)
	}
	res, err := b.rt.RoundTrip(req)
	if err != nil {
		return nil, "", netError(err, r.shown)
	}
	defer res.Body.Close()
	b.Jar.receive(&u.URL, res.Header)
	body, err := io.ReadAll(io.LimitReader(res.Body, maxBody+1))
	if err != nil {
		return nil, "", netError(err, r.shown)
	}
	if len(body) > maxBody {
		b.Suspect("page needs a real browser (larger than 8 MiB): " + u.String())
		return nil, "", fmt.Errorf("stand-in: the page at %s is larger than 8 MiB; use a real browser", r.shown)
	}
	return res, string(body), nil
}

// show makes a page of a response.
func (b *Browser) show(ctx context.Context, r request, u *URL, res *http.Response, body string) (*Page, error) {
	kind, params, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	disposition, _, _ := mime.ParseMediaType(res.Header.Get("Content-Disposition"))
	const head = `<html><head><meta name="color-scheme" content="light dark">`
	switch {
	case res.StatusCode == 204 || res.StatusCode == 205 || disposition == "attachment":
		return nil, &NetError{Code: "net::ERR_ABORTED", URL: r.shown}
	case body == "" && res.StatusCode >= 400:
		return errorPage(u.Hostname()), nil
	case kind == "text/html" || kind == "":
	case kind == "text/plain":
		body = head + `</head><body><pre style="word-wrap: break-word; white-space: pre-wrap;">` + "\n" + html.EscapeString(body) + "</pre></body></html>"
	case kind == "application/json":
		body = head + `<meta charset="utf-8"></head><body><pre>` + "\n" + html.EscapeString(body) + `</pre><div class="json-formatter-container"></div></body></html>`
	default:
		b.Suspect("page needs a real browser (" + kind + "): " + u.String())
		return nil, fmt.Errorf("stand-in: %s at %s is not supported; use a real browser", kind, r.shown)
	}
	body = strings.TrimPrefix(body, "\ufeff")
	if cs := strings.ToLower(params["charset"]); cs != "" && cs != "utf-8" && cs != "utf8" && cs != "us-ascii" && !ascii(body) {
		b.Suspect("page needs a real browser (charset " + cs + "): " + u.String())
	}
	if !utf8.ValidString(body) {
		body = strings.ToValidUTF8(body, "\ufffd")
	}
	p := newPage(u, body)
	p.styles = p.sheet(b.linked(ctx, p))
	if p.styles.doubt != "" && p.doubt == "" {
		p.doubt = "page needs a real browser (style: " + p.styles.doubt + "): " + u.String()
	}
	return p, nil
}

// linked fetches the style sheets that p links. One that does not come is
// treated as absent, as a browser does.
func (b *Browser) linked(ctx context.Context, p *Page) []string {
	var out []string
	for i, href := range p.sheets {
		u, err := ParseURL(href, p.base)
		if err != nil || u.Opaque != "" || i == maxSheets {
			continue
		}
		res, css, err := b.roundTrip(ctx, request{method: http.MethodGet, url: u, shown: u.String(), from: p}, u)
		if err == nil && res.StatusCode/100 == 2 {
			out = append(out, css)
		}
	}
	return out
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// Forget empties the history, as closing the tab does. Cookies stay.
func (b *Browser) Forget() { b.history, b.at = nil, 0 }
