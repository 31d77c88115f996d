package web

import (
	"net/http"
	"slices"
	"time"
)

// maxLog and maxLogBytes bound a Web's log: entries, and bytes of what a request wrote.
const (
	maxLog      = 10_000
	maxLogBytes = 4 << 20
)

// A Request is one entry of a Web's access log. The log is in the order of the
// answers.
type Request struct {
	Time   time.Time `json:"time"`   // when it was answered
	Method string    `json:"method"` // the method, as sent
	URL    string    `json:"url"`    // scheme://host/path?query, as the page wrote it, without a port
	Host   string    `json:"host"`
	Path   string    `json:"path"` // the path, decoded and without the query
	Status int       `json:"status"`
	// Type and Body are the Content-Type and the body, as sent; empty without a body, or if it
	// is larger than 64 KiB.
	Type string `json:"type,omitempty"`
	Body string `json:"body,omitempty"`
}

// maxLogBody bounds the body of an entry, in bytes.
const maxLogBody = 64 << 10

type accessLog struct {
	requests  []Request
	bytes     int
	truncated bool
}

// enter adds a request to the log. It leaves out favicon.ico, because timing decides whether
// a browser requests it.
func (w *Web) enter(host string, r *http.Request, body []byte, status int) {
	if r.URL.Path == "/favicon.ico" {
		return
	}
	full := *r.URL
	full.Scheme, full.Host = "http", host
	if r.TLS != nil {
		full.Scheme = "https"
	}
	u := full.String()
	entry := Request{Method: r.Method, URL: u, Host: host, Path: r.URL.Path, Status: status}
	if len(body) > 0 && len(body) <= maxLogBody {
		entry.Type, entry.Body = r.Header.Get("Content-Type"), string(body)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	l := &w.log
	l.bytes += len(u) + len(entry.Method) + len(entry.Type) + len(entry.Body)
	if l.truncated || len(l.requests) == maxLog || l.bytes > maxLogBytes {
		l.truncated = true
		return
	}
	entry.Time = time.Now()
	l.requests = append(l.requests, entry)
}

// Log returns a copy of the log: the requests answered so far, oldest first.
func (w *Web) Log() []Request {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.log.requests)
}

// Truncated reports whether the log is full (10,000 entries, or 4 MiB of methods, URLs,
// types and bodies) and later requests are missing from it.
func (w *Web) Truncated() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.log.truncated
}
