package route

import (
	"net/http"
	"strings"

	"github.com/openchrome/bench/harness/internal/text/jsonfile"
)

// EndPath and WrongPath begin the paths of the entries that the web itself makes in the log of
// requests: the end state of a host, and the wrong acts of a session. No page can answer there.
const (
	EndPath   = "/.end"
	WrongPath = "/.wrong"
)

// Reserved reports whether a path is for the web's own entries.
func Reserved(path string) bool {
	return strings.HasPrefix(path, EndPath+"/") || strings.HasPrefix(path, WrongPath+"/")
}

// Ends reports whether the conditions of a receipt hold in this state.
func (r *Route) Ends(now *State) bool { return r.holds(&Request{}, now) }

// maxWrong bounds the reason of a wrong act, in bytes.
const maxWrong = 100

func (d *routeReader) wrong(n *jsonfile.Node) {
	reason := d.Text(n)
	if len(reason) > maxWrong {
		d.FaultAt(n, "is longer than %d bytes; shorten it", maxWrong)
	}
	d.r.Wrong = reason
}

// receipt checks that the state alone decides on a receipt, because the web also looks at the
// state when no page asks.
func (d *routeReader) receipt(n *jsonfile.Node) {
	at, r := n.Get("receipt"), d.r
	if at == nil || !r.Receipt {
		return
	}
	when := n.Get("when")
	switch {
	case n.Get("wrong") != nil:
		d.FaultAt(at, "a wrong act has no receipt; remove receipt or wrong")
	case r.Method != http.MethodGet || r.below:
		d.FaultAt(at, "a receipt is a page that GET shows at one path; remove receipt, or correct method or path")
	case when.Get("state") == nil && when.Get("rows") == nil:
		d.FaultAt(at, "a receipt needs a state that the act leaves; add \"when\": {\"state\": …} or {\"rows\": …}")
	}
	for _, key := range []string{"empty", "field", "query", "cookie", "first"} {
		if v := when.Get(key); v != nil {
			d.FaultAt(v, "a receipt depends on state and rows only; remove %s", key)
		}
	}
}
