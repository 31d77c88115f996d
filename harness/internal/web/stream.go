package web

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"golang.org/x/net/websocket"

	"github.com/openchrome/bench/harness/internal/web/route"
)

// isSocket reports whether the request opens a WebSocket.
func isSocket(r *http.Request) bool { return strings.EqualFold(r.Header.Get("Upgrade"), "websocket") }

// A stream is an answer that a route sends line by line.
type stream struct {
	*route.Route
	site *site
	host string
}

// pour sends the lines of a stream, over a socket if r opens one. Then it calls sent, and stays
// open until the client leaves or the web closes, unless the route ends it.
func (w *Web) pour(rw http.ResponseWriter, r *http.Request, a reply, sent func()) {
	if isSocket(r) {
		server := websocket.Server{Handler: func(c *websocket.Conn) {
			c.MaxPayloadBytes = maxBody
			defer c.Close()
			// Close would wait for a page that reads nothing.
			defer context.AfterFunc(r.Context(), func() { c.SetDeadline(time.Now()) })()
			w.talk(c, r, a.stream, sent)
		}}
		server.ServeHTTP(rw, r)
		return
	}
	a.head(rw.Header())
	rw.WriteHeader(http.StatusOK)
	flusher := http.NewResponseController(rw)
	flusher.Flush()
	w.lines(r.Context(), a.stream.Route, func(l route.Line) error {
		if l.Event != "" {
			fmt.Fprintf(rw, "event: %s\n", l.Event)
		}
		for part := range strings.Lines(l.Data + "\n") {
			fmt.Fprintf(rw, "data: %s", part)
		}
		fmt.Fprintln(rw)
		return flusher.Flush()
	})
	if sent(); !a.stream.End && !w.atOnce {
		<-r.Context().Done()
	}
}

// lines sends the lines of a route, until one cannot be sent.
func (w *Web) lines(ctx context.Context, rt *route.Route, send func(route.Line) error) error {
	for _, l := range rt.Stream {
		if l.After > 0 && !w.atOnce {
			select {
			case <-time.After(l.After):
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		if err := send(l); err != nil {
			return err
		}
	}
	return nil
}

// talk sends the lines of s over a socket, and answers each message of the page with those of the
// first route that matches it.
func (w *Web) talk(c *websocket.Conn, r *http.Request, s *stream, sent func()) {
	send := func(l route.Line) error { return websocket.Message.Send(c, l.Data) }
	for rt := s.Route; ; {
		err := w.lines(r.Context(), rt, send)
		if sent(); err != nil || rt.End {
			return
		}
		var text string
		if websocket.Message.Receive(c, &text) != nil {
			return
		}
		came := time.Now()
		sent = w.open()
		if rt = w.heard(s, r, text, came); rt == nil {
			rt = new(route.Route)
		}
	}
}

// heard applies the route that matches a message, and returns it; nil if there is none. A JSON object
// has its fields; any other message is the field "message".
func (w *Web) heard(s *stream, r *http.Request, text string, came time.Time) *route.Route {
	w.bodies <- struct{}{}
	defer func() { <-w.bodies }()
	p := Page{Method: route.Message, Host: s.host, Path: r.URL.Path, Cookie: cookies(r), header: r.Header}
	p.sent = map[string][]string{"message": {text}}
	if fields, err := readJSON(strings.NewReader(text)); err == nil && strings.HasPrefix(strings.TrimSpace(text), "{") {
		p.sent = withoutHashes(fields)
	}
	p.joined = flat(p.sent)
	rt, err := w.route(s.site, &p)
	a := reply{status: http.StatusNoContent}
	switch {
	case err != nil:
		rt, a.status = nil, http.StatusInsufficientStorage
	case rt == nil:
		a.status = http.StatusNotFound
	}
	message := *r
	message.Method = route.Message
	w.enter(came, p.Host, &message, []byte(text), a)
	return rt
}
