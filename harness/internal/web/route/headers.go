package route

import (
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/internal/text/display"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
)

// headers are the headers that a route may set. Names that begin with X- are also allowed.
// Other headers are not allowed: the web writes them itself, or the browser would remember
// them after the session.
var headers = []string{
	"Access-Control-Allow-Credentials", "Access-Control-Allow-Headers", "Access-Control-Allow-Methods",
	"Access-Control-Allow-Origin", "Access-Control-Expose-Headers", "Content-Disposition", "Content-Language",
	"Content-Security-Policy", "Cross-Origin-Embedder-Policy", "Cross-Origin-Opener-Policy",
	"Cross-Origin-Resource-Policy", "Link", "Permissions-Policy", "Referrer-Policy", "Refresh", "Retry-After",
	"WWW-Authenticate",
}

var (
	ownHeader   = regexp.MustCompile(`^X-[A-Za-z0-9-]+$`)
	headerValue = regexp.MustCompile(`^[!-~]([ -~]*[!-~])?$`)
)

func (d *routeReader) headers(n *jsonfile.Node) {
	d.r.Headers = make(http.Header)
	if !d.filled(n, jsonfile.Object, "an object of strings") {
		return
	}
	for _, item := range n.Items {
		name, value := item.Key, item.Text
		d.r.Headers.Set(name, value)
		switch {
		case !d.Want(item, jsonfile.String, "a string"):
		case !slices.Contains(headers, name) &&
			(!ownHeader.MatchString(name) || strings.EqualFold(name, "X-Content-Type-Options")):
			advice := display.DidYouMean(name, headers)
			if advice == "" {
				advice = "; allowed: " + strings.Join(headers, ", ") + ", and names that begin with X-"
			}
			d.FaultAt(item, "is not a header that a route can set%s", advice)
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
