package sites

import (
	"net/http"
	"slices"
	"time"
)

// maxLog and maxLogBytes bound a Web's log: entries, and bytes of URLs.
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
}

type accessLog struct {
	requests  []Request
	bytes     int
	truncated bool
}

// enter adds a request to the log. It leaves out favicon.ico, because it depends on timing
// whether a browser requests that.
func (w *Web) enter(host string, r *http.Request, status int) {
	if r.URL.Path == "/favicon.ico" {
		return
	}
	full := *r.URL
	full.Scheme, full.Host = "http", host
	if r.TLS != nil {
		full.Scheme = "https"
	}
	u := full.String()
	w.mu.Lock()
	defer w.mu.Unlock()
	l := &w.log
	l.bytes += len(u)
	if l.truncated || len(l.requests) == maxLog || l.bytes > maxLogBytes {
		l.truncated = true
		return
	}
	l.requests = append(l.requests, Request{
		Time: time.Now(), Method: r.Method,
		URL: u, Host: host, Path: r.URL.Path, Status: status,
	})
}

// Log returns a copy of the log: the requests answered so far, oldest first.
func (w *Web) Log() []Request {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.log.requests)
}

// Truncated reports whether the log is full (10,000 entries, or 4 MiB of URLs)
// and later requests are missing from it.
func (w *Web) Truncated() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.log.truncated
}
