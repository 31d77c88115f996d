// Package web is the fixture web: small web sites, one folder for each host.
// They stand in for the internet while an episode runs.
//
//  1. [Open] reads the built-in hosts and the hosts in the user's folders into a
//     [Set]: files, templates and routes, checked once and never changed.
//  2. [Set.NewWeb] makes one session's [Web]: an http.Handler with state and
//     an access log. It is cheap, because the Set is shared.
//  3. Package serve serves a Web over http and https, here or in a container. [NewLocal]
//     shows all hosts to a person on one localhost address.
//
// Package template makes the pages of a host's templates, and package route reads its routes
// and its state at the start.
//
// sites/README.md describes the format. The package resolves no host names; the
// launcher makes the browser find the hosts.
package web

import (
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime/multipart"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/openchrome/bench/harness/internal/web/route"
)

// maxBody bounds the body of a request, in bytes. A Web reads at most maxBodies at the same
// time, because the fields of one can take several times its size. Others wait.
const (
	maxBody   = 1 << 20
	maxBodies = 8
)

// A Web serves a Set to one session. It is an http.Handler that selects the host by the
// Host header. Its state and its access log are not shared with other Webs. It is safe for
// concurrent use.
//
// Answers depend only on the request and the requests before it: there is no Date
// header, and nothing may be cached.
type Web struct {
	set    atomic.Pointer[Set]
	bodies chan struct{} // has an element for each body that is being read
	atOnce bool

	mu    sync.Mutex
	state map[string]*route.State // by host; missing: the state at the start of a session
	hits  map[*route.Route]int    // matching requests so far, for routes with a "first"
	log   accessLog
	past  past
}

// NewWeb returns a Web with no state and an empty log.
func (s *Set) NewWeb() *Web {
	w := &Web{bodies: make(chan struct{}, maxBodies), state: make(map[string]*route.State), hits: make(map[*route.Route]int)}
	w.set.Store(s)
	return w
}

// Set returns the Set that w serves.
func (w *Web) Set() *Set { return w.set.Load() }

// AtOnce makes the web leave out all delays. A request that would hang is broken off. Call it
// before the first request.
func (w *Web) AtOnce() { w.atOnce = true }

// A reply is an answer that has not been written yet.
type reply struct {
	status      int
	contentType string
	body        []byte
	location    string
	allow       string
	cookies     []*http.Cookie
	headers     http.Header
	delay       time.Duration
	fault       string  // of the connection; "": none
	stream      *stream // nil: a whole body
}

// ServeHTTP answers r. It logs r before it sends the first byte of the answer, so that a
// client with an answer finds its request in the log. A request that gets no answer is
// logged with status 0. A request for a host that is not in the Set gets status 421 and is
// not logged.
func (w *Web) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	came := time.Now()
	end := w.open()
	defer func() { end() }()
	host := hostOf(r.Host)
	var body head // for the log
	r.Body = struct {
		io.Reader
		io.Closer
	}{io.TeeReader(r.Body, &body), r.Body}
	set := w.set.Load()
	site, known := set.site(host), set.Has(host)
	var a reply
	switch {
	case known && site == nil:
		a = plain(http.StatusMisdirectedRequest, fmt.Sprintf("the task has no values for the host %q", host))
	case site == nil:
		a = plain(http.StatusMisdirectedRequest, fmt.Sprintf("no fixture host %q", host))
	case r.TLS != nil && hostOf(r.TLS.ServerName) != host:
		a = plain(http.StatusMisdirectedRequest, "this connection was made for another host")
	case route.Reserved(r.URL.Path):
		a = plain(http.StatusNotFound, "this path is for the log of requests")
	default:
		a = w.answer(site, host, rw, r)
	}
	if w.atOnce {
		a.delay = 0
		if a.fault == route.Hang {
			a.fault = route.Reset
		}
	}
	a.wait(r)
	if site != nil {
		w.enter(came, host, r, body, a)
	}
	w.send(rw, r, a, end)
}

// send writes an answer. It calls sent when all lines of a stream were sent.
func (w *Web) send(rw http.ResponseWriter, r *http.Request, a reply, sent func()) {
	if a.stream != nil && a.status != 0 && r.Method != http.MethodHead {
		w.pour(rw, r, a, sent)
	} else {
		write(rw, r, a)
	}
}

// head keeps the beginning of a body: the log leaves a longer one out.
type head []byte

func (h *head) Write(p []byte) (int, error) {
	*h = append(*h, p[:min(len(p), maxLogBody+1-len(*h))]...)
	return len(p), nil
}

// hostOf returns the host of a Host header in lower case, without its port and
// without the dot of a fully qualified name.
func hostOf(h string) string {
	if name, _, err := net.SplitHostPort(h); err == nil {
		h = name
	}
	return strings.TrimSuffix(strings.ToLower(h), ".")
}

func (w *Web) answer(s *site, host string, rw http.ResponseWriter, r *http.Request) reply {
	if r.ContentLength != 0 {
		select {
		case w.bodies <- struct{}{}:
			defer func() { <-w.bodies }()
		case <-r.Context().Done():
			panic(http.ErrAbortHandler)
		}
	}
	page, err := readRequest(rw, r)
	if err != nil {
		w.mu.Lock()
		w.past.lost = true
		w.mu.Unlock()
		what := "form"
		if isJSON(r) {
			what = "JSON"
		}
		if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
			return plain(http.StatusRequestEntityTooLarge, "the "+what+" is larger than 1 MiB")
		}
		return plain(http.StatusBadRequest, "the "+what+" cannot be read")
	}
	if page.Method == route.Message {
		return plain(http.StatusMethodNotAllowed, "only a socket sends a message")
	}
	page.Host, page.Param, page.joined = host, s.values, flat(page.sent)
	rt, err := w.route(s, &page)
	switch {
	case err != nil:
		return plain(http.StatusInsufficientStorage, err.Error())
	case rt != nil:
		a := s.routed(rt, page)
		a.headers, a.delay, a.fault = rt.Headers, rt.Delay, rt.Fault
		if rt.Stream != nil {
			a.stream, a.contentType = &stream{rt, s, host}, "text/event-stream"
			if isSocket(r) {
				a.status = http.StatusSwitchingProtocols
			}
		}
		return a
	case page.Method == "GET":
		if f := s.pages[page.Path]; f != nil {
			return f.reply(http.StatusOK, page)
		}
	}
	allowed := s.allow(page.Path)
	if len(allowed) == 0 || slices.Contains(allowed, page.Method) {
		return s.errorPage(http.StatusNotFound, page)
	}
	a := plain(http.StatusMethodNotAllowed, "this page does not take "+strconv.Quote(r.Method))
	a.allow = strings.Join(allowed, ", ")
	return a
}

// readRequest returns the parts of a request that routes and templates use. HEAD counts as
// GET. For a file in the form field F, the value of F is the file's name, and the fields
// F.size and F.sha256 describe its content.
func readRequest(rw http.ResponseWriter, r *http.Request) (Page, error) {
	p := Page{Method: r.Method, Path: r.URL.Path, Cookie: cookies(r), header: r.Header, queried: r.URL.RawQuery != ""}
	p.sent = withoutHashes(r.URL.Query())
	p.Query = flat(p.sent)
	if p.Method == http.MethodHead {
		p.Method = http.MethodGet
	}
	body := http.MaxBytesReader(rw, r.Body, maxBody)
	if isJSON(r) {
		values, err := readJSON(body)
		p.JSON = flat(withoutHashes(values))
		maps.Copy(p.sent, values)
		return p, err
	}
	// This request has no query, so that a fault in the query does not count as one in the form.
	sent := http.Request{Method: r.Method, Header: r.Header, URL: new(url.URL), Body: body}
	if err := sent.ParseForm(); err != nil {
		return p, err
	}
	if err := sent.ParseMultipartForm(maxBody); err != nil && !errors.Is(err, http.ErrNotMultipart) {
		return p, err
	}
	withoutHashes(sent.PostForm)
	if sent.MultipartForm != nil {
		for name, files := range sent.MultipartForm.File {
			if err := addFiles(sent.PostForm, name, files); err != nil {
				return p, err
			}
		}
	}
	p.Form = flat(sent.PostForm)
	maps.Copy(p.sent, sent.PostForm)
	return p, nil
}

// cookies returns the cookies of a request.
func cookies(r *http.Request) map[string]string {
	out := make(map[string]string)
	for _, c := range r.Cookies() {
		// Of two cookies with the same name, the first has the longer path (RFC 6265, 5.4).
		if _, ok := out[c.Name]; !ok {
			out[c.Name] = c.Value
		}
	}
	return out
}

// hashSuffix ends the name of the field with a file's hash: doc.sha256 for doc.
const hashSuffix = ".sha256"

// withoutHashes removes the fields whose names end in .sha256, and returns v. So only a file
// that arrived has a hash.
func withoutHashes(v url.Values) url.Values {
	maps.DeleteFunc(v, func(name string, _ []string) bool { return strings.HasSuffix(name, hashSuffix) })
	return v
}

// addFiles adds the fields of files that were sent in the form field name.
func addFiles(form url.Values, name string, files []*multipart.FileHeader) error {
	for _, header := range files {
		f, err := header.Open()
		if err != nil {
			return err
		}
		h := sha256.New()
		_, err = io.Copy(h, f)
		f.Close()
		if err != nil {
			return err
		}
		form.Add(name, header.Filename)
		form.Add(name+".size", strconv.FormatInt(header.Size, 10))
		form.Add(name+hashSuffix, hex.EncodeToString(h.Sum(nil)))
	}
	return nil
}

func flat(v url.Values) map[string]string {
	out := make(map[string]string, len(v))
	for name, values := range v {
		out[name] = strings.Join(values, ", ")
	}
	return out
}

// allow returns the methods that some route or page takes at path, sorted.
func (s *site) allow(path string) []string {
	var out []string
	if s.pages[path] != nil {
		out = append(out, "GET", "HEAD")
	}
	for _, r := range s.routes {
		if r.At(path) && r.Method != route.Message {
			out = append(out, r.Method)
			if r.Method == http.MethodGet {
				out = append(out, "HEAD")
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func plain(status int, text string) reply {
	return reply{status: status, contentType: "text/plain; charset=utf-8", body: []byte(text + "\n")}
}

func (f *file) reply(status int, p Page) reply {
	a := reply{status: status, contentType: f.contentType, body: f.data}
	if f.tmpl != nil {
		var err error
		if a.body, err = f.tmpl.Run(p); err != nil {
			return plain(http.StatusInternalServerError, err.Error())
		}
	}
	return a
}

// errorPage returns the host's 404 page for status 404, if it has one, or else a
// page that shows the status.
func (s *site) errorPage(status int, p Page) reply {
	if status == http.StatusNotFound && s.notFound != nil {
		return s.notFound.reply(status, p)
	}
	text := fmt.Sprintf("%d %s", status, http.StatusText(status))
	return reply{status: status, contentType: contentTypes[".html"], body: []byte(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>` + text + `</title>
<h1>` + text + `</h1>
</html>
`)}
}

func write(rw http.ResponseWriter, r *http.Request, a reply) {
	if a.status == 0 {
		a.breakOff(rw, r)
	}
	a.head(rw.Header())
	if a.status != http.StatusNoContent {
		rw.Header().Set("Content-Length", strconv.Itoa(len(a.body)))
	}
	rw.WriteHeader(a.status)
	if a.fault == route.Cut {
		rw.Write(a.body[:len(a.body)/2])
		http.NewResponseController(rw).Flush()
		a.breakOff(rw, r)
	}
	if r.Method != http.MethodHead {
		rw.Write(a.body)
	}
}

// head writes the headers of an answer, apart from its length.
func (a *reply) head(h http.Header) {
	h["Date"] = nil // otherwise net/http adds this header (Go 1.26, as documented)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	if a.contentType != "" {
		h.Set("Content-Type", a.contentType)
	}
	if a.location != "" {
		h.Set("Location", a.location)
	}
	if a.allow != "" {
		h.Set("Allow", a.allow)
	}
	maps.Copy(h, a.headers)
	for _, c := range a.cookies {
		h.Add("Set-Cookie", c.String())
	}
}

// route returns the route that answers p, or nil. It applies the route's changes to the
// state, notes a wrong act, and sets p.State and p.List to the result. All this is atomic: no
// other request of the session can come between. The error says that the state would be too
// large.
func (w *Web) route(s *site, p *Page) (*route.Route, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	sent := &route.Request{Method: p.Method, Path: p.Path, Query: p.queried, Cookie: p.Cookie, Header: p.header}
	sent.Sent, sent.Joined = p.sent, p.joined
	now := w.state[p.Host]
	if now == nil {
		now = s.start
	}
	var found *route.Route
	var err error
	for _, r := range s.routes {
		if !r.Matches(sent, now) || r.Receipt && len(w.log.wrong) > 0 {
			continue
		}
		if r.First > 0 {
			if w.hits[r] == r.First {
				continue
			}
			w.hits[r]++
		}
		found = r
		break
	}
	before := now
	if found != nil {
		now, err = found.Change(sent, now)
		w.state[p.Host] = now
		if found.Wrong != "" && err == nil {
			w.log.addWrong(p.Host, found.Wrong)
		}
	}
	w.note(p.Host, route.Act{Request: sent, At: time.Now(), By: found, Before: before, After: now}, err)
	p.State, p.List = now.Values, now.Lists
	return found, err
}

// routed returns the route's answer to p. If it has neither a file nor a location, a success
// shows the page of the path, and an error shows a page with the status.
func (s *site) routed(r *route.Route, p Page) reply {
	var a reply
	switch f := s.pages[p.Path]; {
	case r.Location != "" || r.Bodiless() || r.Stream != nil:
		a = reply{status: r.Status, location: r.Location}
	case r.File != "":
		a = s.files[r.File].reply(r.Status, p)
	case r.Status >= 400:
		a = s.errorPage(r.Status, p)
	case f != nil:
		a = f.reply(r.Status, p)
	default:
		a = s.errorPage(http.StatusNotFound, p)
	}
	a.cookies = r.Cookies
	return a
}

// wait waits for the answer's delay. If the client leaves or the web closes first, the
// answer is never sent. An answer that is never sent has status 0.
func (a *reply) wait(r *http.Request) {
	if a.fault == route.Reset || a.fault == route.Hang {
		a.status = 0
	}
	if a.delay == 0 {
		return
	}
	readBody(r)
	timer := time.NewTimer(a.delay)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-r.Context().Done():
		a.status, a.fault = 0, route.Reset
	}
}

// breakOff ends the request without an answer, or without the rest of the answer.
func (a *reply) breakOff(rw http.ResponseWriter, r *http.Request) {
	switch a.fault {
	case route.Hang:
		readBody(r)
		<-r.Context().Done()
	case route.Reset:
		// If a connection breaks before the first byte, browsers and net/http repeat the
		// request, provided that they reuse the connection or opened it in advance, as
		// Chromium does for each page. An interim response prevents the repetition.
		rw.WriteHeader(http.StatusProcessing)
		if c, _, err := http.NewResponseController(rw).Hijack(); err == nil {
			Reset(c)
		}
	}
	panic(http.ErrAbortHandler)
}

// Reset resets a connection below TLS. A reset leaves no TIME_WAIT entry. Hundreds of them
// per second would use up the ports. Unlike closing a TLS connection, a reset never waits
// for the other side.
func Reset(c net.Conn) {
	if t, ok := c.(*tls.Conn); ok {
		c = t.NetConn()
	}
	if t, ok := c.(*net.TCPConn); ok {
		t.SetLinger(0)
	}
	c.Close()
}

// readBody reads the rest of the body. Until this is done, net/http does not detect that
// the client leaves.
func readBody(r *http.Request) { io.CopyN(io.Discard, r.Body, maxBody) }
