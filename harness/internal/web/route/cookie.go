package route

import (
	"net/http"
	"strings"

	"github.com/openchrome/bench/harness/internal/text/display"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
)

// The limits of maxAge, in seconds. Every episode is shorter than minMaxAge, so the clock never
// decides whether a cookie is sent.
const (
	minMaxAge = 60 * 60
	maxMaxAge = 365 * 24 * 60 * 60
)

var sameSites = map[string]http.SameSite{"Lax": http.SameSiteLaxMode, "Strict": http.SameSiteStrictMode, "None": http.SameSiteNoneMode}

// setCookie reads the cookies of a route. An empty value deletes the cookie.
func (d *routeReader) setCookie(n *jsonfile.Node) {
	if !d.filled(n, jsonfile.Object, "an object of cookies") {
		return
	}
	for _, m := range n.Items {
		c := &http.Cookie{Name: m.Key, Path: "/"}
		switch m.Kind {
		case jsonfile.String:
			c.Value = m.Text
		case jsonfile.Object:
			d.cookie(m, c)
		default:
			d.Wrong(m, "a string, or an object with value")
		}
		d.useful(m, c)
		if c.Value == "" {
			c.MaxAge = -1
		}
		if err := c.Valid(); err != nil {
			d.FaultAt(m, "is not a valid cookie: %s", display.VisibleTo(err.Error(), 60))
		}
		d.r.Cookies = append(d.r.Cookies, c)
	}
}

func (d *routeReader) cookie(n *jsonfile.Node, c *http.Cookie) {
	d.Fields(n,
		jsonfile.Field{Name: "value", Required: true, Read: func(n *jsonfile.Node) {
			d.Want(n, jsonfile.String, "a string")
			c.Value = n.Text
		}},
		jsonfile.Field{Name: "path", Read: func(n *jsonfile.Node) {
			if c.Path = d.Text(n); c.Path != "" && !strings.HasPrefix(c.Path, "/") {
				d.Wrong(n, "a path that begins with /")
			}
		}},
		jsonfile.Field{Name: "secure", Read: func(n *jsonfile.Node) { c.Secure = d.Bool(n) }},
		jsonfile.Field{Name: "httpOnly", Read: func(n *jsonfile.Node) { c.HttpOnly = d.Bool(n) }},
		jsonfile.Field{Name: "sameSite", Read: func(n *jsonfile.Node) {
			c.SameSite = sameSites[d.OneOf(n, []string{"Lax", "None", "Strict"})]
		}},
		jsonfile.Field{Name: "maxAge", Read: func(n *jsonfile.Node) { c.MaxAge = d.Int(n, minMaxAge, maxMaxAge) }},
	)
}

// useful adds a fault if browsers ignore the cookie because of its attributes, or if an
// attribute has no effect.
func (d *routeReader) useful(n *jsonfile.Node, c *http.Cookie) {
	prefixed := strings.HasPrefix(c.Name, "__Host-") || strings.HasPrefix(c.Name, "__Secure-")
	switch {
	case n.Cut:
	case c.SameSite == http.SameSiteNoneMode && !c.Secure:
		d.FaultAt(n.Get("sameSite"), "browsers ignore a cookie with sameSite None unless it is secure; add \"secure\": true")
	case prefixed && !c.Secure:
		d.FaultAt(n, "browsers ignore a cookie with this name unless it is secure; add \"secure\": true")
	case strings.HasPrefix(c.Name, "__Host-") && c.Path != "/":
		d.FaultAt(n.Get("path"), "browsers ignore a cookie with this name unless its path is /; remove the path")
	case c.MaxAge != 0 && c.Value == "":
		d.FaultAt(n.Get("maxAge"), "an empty value deletes the cookie; remove maxAge")
	}
}
