package route

import (
	"net/http"

	"github.com/openchrome/bench/harness/internal/text/display"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
)

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
