package route

import (
	"slices"
	"strings"
	"time"

	"github.com/openchrome/bench/harness/internal/text/jsonfile"
)

// A Line is sent over a stream of events or a socket.
type Line struct {
	Data  string
	Event string        // the name of the event; "": message. A socket sends only Data
	After time.Duration // after the line before
}

// line reads an entry of "stream": the data, or an object.
func (d *routeReader) line(n *jsonfile.Node) {
	var l Line
	if n.Kind == jsonfile.String {
		l.Data = n.Text
	} else {
		d.Fields(n,
			jsonfile.Field{Name: "data", Required: true, Read: func(n *jsonfile.Node) { l.Data = d.Text(n) }},
			jsonfile.Field{Name: "event", Read: func(n *jsonfile.Node) {
				if l.Event = d.Text(n); strings.ContainsAny(l.Event, "\r\n") {
					d.FaultAt(n, "has a line break; the name of an event has none")
				}
			}},
			jsonfile.Field{Name: "afterMs", Read: func(n *jsonfile.Node) {
				l.After = time.Duration(d.Int(n, 1, int(maxDelay/time.Millisecond))) * time.Millisecond
			}},
		)
	}
	d.r.Stream = append(d.r.Stream, l)
}

// stream checks the keys of a stream, and of a message over a socket.
func (d *routeReader) stream(n *jsonfile.Node) {
	r, stream, end := d.r, n.Get("stream"), n.Get("end")
	var bad []string
	why := "a stream"
	switch {
	case r.Method == Message:
		why, bad = "a message", []string{"setCookie", "headers", "delayMs", "fault", "status", "location", "file"}
		if r.below {
			d.FaultAt(n.Get("path"), "a socket has one path; leave out the *")
		}
	case stream != nil && r.Method != "GET":
		d.FaultAt(stream, "only GET opens a stream; correct the method, or use %s for messages over a socket", Message)
	case stream != nil:
		bad = []string{"fault", "status", "location", "file"}
	case end != nil:
		d.FaultAt(end, "only a stream ends; add \"stream\" or remove end")
	}
	for _, m := range n.Items {
		if slices.Contains(bad, m.Key) {
			d.FaultAt(m, "%s has no %s; remove it", why, m.Key)
		}
	}
}
