package route

import (
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/internal/text/display"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
)

// denied are the headers that a route cannot set: the web writes them itself, or the browser would
// remember them after the session.
var denied = []string{
	"Alt-Svc", "Cache-Control", "Connection", "Content-Encoding", "Content-Length", "Date", "Location", "Set-Cookie",
	"Strict-Transport-Security", "Trailer", "Transfer-Encoding", "Upgrade", "X-Content-Type-Options",
}

var (
	headerName  = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?$`)
	headerValue = regexp.MustCompile(`^[!-~]([ -~]*[!-~])?$`)
)

func (d *routeReader) headers(n *jsonfile.Node) {
	d.r.Headers = make(http.Header)
	if !d.filled(n, jsonfile.Object, "an object of strings") {
		return
	}
	for _, item := range n.Items {
		name, value := item.Key, item.Text
		twice := d.r.Headers.Get(name) != ""
		d.r.Headers.Set(name, value)
		is := func(other string) bool { return strings.EqualFold(name, other) }
		switch {
		case !d.Want(item, jsonfile.String, "a string"):
		case !headerName.MatchString(name):
			d.FaultAt(item, "%s is not the name of a header; use letters, digits and hyphens", display.Quote(name))
		case slices.ContainsFunc(denied, is):
			d.FaultAt(item, "is a header that a route cannot set: %s", strings.Join(denied, ", "))
		case twice:
			d.FaultAt(item, "is there already, in another case; keep one of them")
		case !headerValue.MatchString(value):
			d.FaultAt(item, "is %s, want printable ASCII without a space at the start or end", display.Quote(value))
		}
	}
}

// setCookie reads the cookies of a route. An empty value deletes the cookie.
func (d *routeReader) setCookie(n *jsonfile.Node) {
	if !d.filled(n, jsonfile.Object, "an object of strings") {
		return
	}
	for _, m := range n.Items {
		c := &http.Cookie{Name: m.Key, Value: m.Text, Path: "/"}
		if c.Value == "" {
			c.MaxAge = -1
		}
		if err := c.Valid(); d.Want(m, jsonfile.String, "a string") && err != nil {
			d.FaultAt(m, "is not a valid cookie: %s", display.VisibleTo(err.Error(), 60))
		}
		d.r.Cookies = append(d.r.Cookies, c)
	}
}

// ownConditions are the request headers that are compared in another way, or differ between machines.
var ownConditions = []string{"Cookie", "Content-Length", "Content-Type", "Host", "User-Agent"}

// headerConditions reads conditions on the headers of a request.
func (d *routeReader) headerConditions(n *jsonfile.Node) {
	for _, item := range n.Items {
		switch name := item.Key; {
		case !headerName.MatchString(name):
			d.FaultAt(item, "%s is not the name of a header; use letters, digits and hyphens", display.Quote(name))
		case name != http.CanonicalHeaderKey(name):
			d.FaultAt(item, "write %s", display.Quote(http.CanonicalHeaderKey(name)))
		case slices.Contains(ownConditions, name):
			d.FaultAt(item, "no condition can compare this header; use \"cookie\" or \"field\" for what the page sends")
		}
	}
	d.r.when = append(d.r.when, d.values(n, "header", anyTime)...)
}

// header returns a header of the request; "" if it was not sent. The name and password of a Basic sign-in
// are decoded: "Basic ada:secret".
func (q *Request) header(name string) string {
	if name == "Authorization" {
		if user, password, ok := (&http.Request{Header: q.Header}).BasicAuth(); ok {
			return "Basic " + user + ":" + password
		}
	}
	return strings.Join(q.Header[name], ", ")
}
