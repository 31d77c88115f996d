package sites

import (
	"regexp"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/display"
	"github.com/openchrome/bench/harness/jsonfile"
)

// headers are the headers that a route may set, besides those that begin with X-.
// The web itself writes the others, or they would outlive the session in the browser.
var headers = []string{
	"Access-Control-Allow-Credentials", "Access-Control-Allow-Headers", "Access-Control-Allow-Methods",
	"Access-Control-Allow-Origin", "Access-Control-Expose-Headers", "Content-Disposition", "Content-Language",
	"Content-Security-Policy", "Cross-Origin-Embedder-Policy", "Cross-Origin-Opener-Policy",
	"Cross-Origin-Resource-Policy", "Link", "Permissions-Policy", "Referrer-Policy", "Refresh", "Retry-After",
	"WWW-Authenticate",
}

// elsewhere is where a route says what a header would say.
var elsewhere = map[string]string{
	"location":     `use "location"`,
	"set-cookie":   `use "setCookie"`,
	"content-type": "it comes from the extension of the file",
}

var (
	ownHeader   = regexp.MustCompile(`^X-[A-Za-z0-9-]+$`)
	headerValue = regexp.MustCompile(`^[!-~]([ -~]*[!-~])?$`)
)

func (d *routeReader) headers(n *jsonfile.Node) {
	d.r.headers = d.pairs(n)
	for i, p := range d.r.headers {
		item := n.Items[i]
		switch lower := strings.ToLower(p.name); {
		case item.Kind != jsonfile.String: // refused
		case elsewhere[lower] != "":
			d.FaultAt(item, "a route does not set this header; %s", elsewhere[lower])
		case !slices.Contains(headers, p.name) && (!ownHeader.MatchString(p.name) || lower == "x-content-type-options"):
			advice := display.DidYouMean(p.name, headers)
			if advice == "" {
				advice = "; allowed: " + strings.Join(headers, ", ") + ", and others that begin with X-"
			}
			d.FaultAt(item, "a route cannot set this header%s", advice)
		case !headerValue.MatchString(p.value):
			d.FaultAt(item, "is %s, want printable ASCII without spaces at the ends", display.Quote(p.value))
		}
	}
}
