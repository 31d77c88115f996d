package web

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/web/route"
)

// maxLog and maxLogBytes bound a Web's log: entries, and bytes of what a request wrote.
const (
	maxLog      = 10_000
	maxLogBytes = 4 << 20
)

// A Log is a Web's access log at one moment.
type Log struct {
	Requests []Request `json:"requests,omitempty"` // in the order of their answers
	// Own holds the entries that the web itself makes: https://HOST/.wrong/REASON with status
	// 200 for each wrong act, and https://HOST/.end/PATH for each receipt of a host of which
	// a route has answered a request. Its status is 200 if the receipt's conditions hold now
	// and no wrong act has happened; else 409.
	Own []Request `json:"own,omitempty"`
	// Full says that later requests are missing: there were more than 10,000, or than 4 MiB of
	// methods, URLs, types and bodies.
	Full bool `json:"full,omitempty"`
	// Active is when a request last came or was answered; now, while one is open. It is zero
	// before the first request.
	Active time.Time `json:"active,omitzero"`
	// Missed says why receipts were missed; only [Web.Why] has it.
	Missed []record.Missed `json:"missed,omitempty"`
}

// A Request is one entry of a [Log].
type Request struct {
	Came   time.Time `json:"came,omitzero"` // zero for an entry of the web's own
	Time   time.Time `json:"time"`          // when it was answered
	Method string    `json:"method"`        // the method, as sent
	URL    string    `json:"url"`           // scheme://host/path?query, as the page wrote it, without a port
	Host   string    `json:"host"`
	Path   string    `json:"path"` // the path, decoded and without the query
	Status int       `json:"status"`
	// Type and Body are the Content-Type and the body, as sent; empty without a body, or if it
	// is larger than 64 KiB.
	Type string `json:"type,omitempty"`
	Body string `json:"body,omitempty"`
	// Sent is the SHA-256 of the body of a whole answer with status 200, in hex.
	Sent string `json:"sent,omitempty"`
}

// maxLogBody bounds the body of an entry, in bytes.
const maxLogBody = 64 << 10

type accessLog struct {
	requests []Request
	bytes    int
	full     bool
	wrong    []Request // the wrong acts, once for each host and reason
	open     int       // requests without an answer
	active   time.Time // when a request last came or was answered
}

// open notes that a request came. The result notes its end, once.
func (w *Web) open() (end func()) {
	note := func(n int) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.log.open += n
		w.log.active = time.Now()
	}
	note(1)
	return sync.OnceFunc(func() { note(-1) })
}

// enter adds a request to the log. It leaves out favicon.ico, because timing decides whether
// a browser requests it.
func (w *Web) enter(came time.Time, host string, r *http.Request, body []byte, a reply) {
	if r.URL.Path == "/favicon.ico" {
		return
	}
	full := *r.URL
	full.Scheme, full.Host = "http", host
	if r.TLS != nil {
		full.Scheme = "https"
	}
	u := full.String()
	entry := Request{Came: came, Method: r.Method, URL: u, Host: host, Path: r.URL.Path, Status: a.status}
	if a.status == http.StatusOK && a.fault == "" && a.stream == nil {
		sum := sha256.Sum256(a.body)
		entry.Sent = hex.EncodeToString(sum[:])
	}
	if len(body) > 0 && len(body) <= maxLogBody {
		entry.Type, entry.Body = r.Header.Get("Content-Type"), string(body)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	l := &w.log
	l.bytes += len(u) + len(entry.Method) + len(entry.Type) + len(entry.Body)
	if l.full || len(l.requests) == maxLog || l.bytes > maxLogBytes {
		l.full = true
		return
	}
	entry.Time = time.Now()
	l.requests = append(l.requests, entry)
}

// own is an entry that the web itself makes.
func own(host, path string, status int) Request {
	u := url.URL{Scheme: "https", Host: host, Path: path}
	return Request{Time: time.Now(), Method: http.MethodGet, URL: u.String(), Host: host, Path: path, Status: status}
}

// addWrong notes a wrong act. The caller holds w.mu.
func (l *accessLog) addWrong(host, reason string) {
	path := route.WrongPath + "/" + reason
	if !slices.ContainsFunc(l.wrong, func(r Request) bool { return r.Host == host && r.Path == path }) {
		l.wrong = append(l.wrong, own(host, path, http.StatusOK))
	}
}

// WrongAct returns the reason of a wrong act, if r is its entry in a [Log].
func (r Request) WrongAct() (reason string, ok bool) {
	if r.Status != http.StatusOK {
		return "", false
	}
	return strings.CutPrefix(r.Path, route.WrongPath+"/")
}

// Log returns the log so far. The caller may change it.
func (w *Web) Log() Log {
	w.mu.Lock()
	defer w.mu.Unlock()
	l := Log{Requests: slices.Clone(w.log.requests), Own: slices.Clone(w.log.wrong), Full: w.log.full, Active: w.log.active}
	if w.log.open > 0 {
		l.Active = time.Now()
	}
	for _, host := range slices.Sorted(maps.Keys(w.state)) {
		for _, r := range w.set.Load().site(host).routes {
			if !r.Receipt {
				continue
			}
			status := http.StatusConflict
			if len(w.log.wrong) == 0 && r.Ends(w.state[host]) {
				status = http.StatusOK
			}
			l.Own = append(l.Own, own(host, route.EndPath+r.Path, status))
		}
	}
	return l
}
