package web

import (
	"bufio"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/websocket"

	"github.com/openchrome/bench/harness/internal/need"
)

// Conditions on the headers of a request, and headers of an answer.
func TestRequestHeaders(t *testing.T) {
	w := oneSite(t, map[string]string{"_in.html": "in", "_no.html": "no", "part.txt": "0123456789", "_part.txt": "0123", "routes.json": `[
		{"path": "/in", "when": {"header": {"Authorization": "Basic ada:lock: 7"}}, "file": "_in.html"},
		{"path": "/in", "status": 401, "headers": {"WWW-Authenticate": "Basic realm=\"a\""}, "file": "_no.html"},
		{"path": "/part.txt", "when": {"header": {"Range": "bytes=0-3"}}, "status": 206, "headers": {"Content-Range": "bytes 0-3/10"}, "file": "_part.txt"},
		{"path": "/lang", "when": {"header": {"Accept-Language": {"matches": "fr.*"}}}, "headers": {"Content-Type": "application/pdf"}, "file": "_in.html"}]`}).NewWeb()
	for _, c := range []struct{ path, name, value, want string }{
		{"/in", "", "", "401 text/html; charset=utf-8 no"},
		{"/in", "Authorization", "Basic YWRhOmxvY2s6IDc=", "200 text/html; charset=utf-8 in"},
		{"/in", "Authorization", "Basic YWRhOmxvY2s=", "401 text/html; charset=utf-8 no"},
		{"/in", "Authorization", "Basic ada:lock: 7", "200 text/html; charset=utf-8 in"},
		{"/in", "Authorization", "Basic !", "401 text/html; charset=utf-8 no"},
		{"/part.txt", "Range", "bytes=0-3", "206 text/plain; charset=utf-8 0123"},
		{"/part.txt", "Range", "bytes=0-4", "200 text/plain; charset=utf-8 0123456789"},
		{"/lang", "Accept-Language", "fr-CH, en;q=0.5", "200 application/pdf in"},
	} {
		r := httptest.NewRequest("GET", "https://a.test"+c.path, nil)
		if c.name != "" {
			r.Header.Set(c.name, c.value)
		}
		rec := httptest.NewRecorder()
		w.ServeHTTP(rec, r)
		got := rec.Result().Status[:3] + " " + rec.Header().Get("Content-Type") + " " + rec.Body.String()
		need.Is(t, c.path+" "+c.value, c.want, got)
	}
}

const streams = `[
	{"path": "/events", "stream": ["one", {"data": "two\nlines", "event": "heat", "afterMs": 20}], "end": true},
	{"path": "/open", "stream": ["one"]},
	{"path": "/live", "stream": ["hello", {"data": "there", "afterMs": 20}]},
	{"method": "MESSAGE", "path": "/live", "when": {"field": {"message": "bid 3"}, "first": 1}, "set": {"bid": "3"}, "stream": ["taken"]},
	{"method": "MESSAGE", "path": "/live", "when": {"field": {"message": "bye"}}, "stream": ["ended"], "end": true},
	{"method": "MESSAGE", "path": "/live", "when": {"field": {"do.it": "now"}}, "stream": []},
	{"method": "MESSAGE", "path": "/live", "when": {"field": {"do.it": "never"}}, "wrong": "never"},
	{"path": "/end", "receipt": true, "when": {"state": {"bid": "3"}}, "file": "_in.html"}]`

// serveStreams serves a web with streams.
func serveStreams(t *testing.T) (*Web, *httptest.Server) {
	w := oneSite(t, map[string]string{"_in.html": "in", "routes.json": streams}).NewWeb()
	s := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		r.Host = "a.test"
		w.ServeHTTP(rw, r)
	}))
	t.Cleanup(s.Close)
	t.Cleanup(s.CloseClientConnections)
	return w, s
}

func TestEvents(t *testing.T) {
	w, s := serveStreams(t)
	answer, err := http.Get(s.URL + "/events")
	need.OK(t, err)
	all, err := readAll(answer)
	need.OK(t, err)
	need.Is(t, "type", "text/event-stream", answer.Header.Get("Content-Type"))
	need.Is(t, "events", "data: one\n\nevent: heat\ndata: two\ndata: lines\n\n", all)

	answer, err = http.Get(s.URL + "/open")
	need.OK(t, err)
	line, err := bufio.NewReader(answer.Body).ReadString('\n')
	need.OK(t, err)
	need.Is(t, "event of the open stream", "data: one\n", line)
	need.Until(t, "the web rests although the stream is open", func() bool { return time.Since(w.Log().Active) > 5*time.Millisecond })
	answer.Body.Close()
	need.Equal(t, "log", []string{"/events 200", "/open 200"}, statuses(w))
}

func readAll(r *http.Response) (string, error) {
	var b strings.Builder
	defer r.Body.Close()
	_, err := bufio.NewReader(r.Body).WriteTo(&b)
	return b.String(), err
}

func TestSocket(t *testing.T) {
	w, s := serveStreams(t)
	c, err := websocket.Dial("ws"+strings.TrimPrefix(s.URL, "http")+"/live", "", "https://a.test")
	need.OK(t, err)
	defer c.Close()
	hear := func() (text string) {
		if websocket.Message.Receive(c, &text) != nil {
			return "closed"
		}
		return text
	}
	need.Is(t, "first", "hello", hear())
	need.Is(t, "second", "there", hear())
	for _, m := range []string{"bid 4", "bid 3", `{"do": {"it": "now"}}`, "bye"} {
		need.OK(t, websocket.Message.Send(c, m))
	}
	need.Is(t, "answer", "taken", hear())
	need.Is(t, "answer to bye", "ended", hear())
	need.Is(t, "end", "closed", hear())
	need.Equal(t, "log", []string{"/live 101", "/live 404", "/live 204", "/live 204", "/live 204"}, statuses(w))
	need.Is(t, "body in the log", "bid 3", w.Log().Requests[2].Body)
	need.Is(t, "receipt", 200, w.Log().Own[0].Status)
	need.Is(t, "a request is no message", 405, do(t, w, "MESSAGE", "http://a.test/live", "message=bid+3").Code)

	c, err = websocket.Dial("ws"+strings.TrimPrefix(s.URL, "http")+"/live", "", "https://a.test")
	need.OK(t, err)
	need.OK(t, websocket.Message.Send(c, `{"do": {"it": "never"}}`))
	need.Until(t, "a wrong act", func() bool { return len(w.Log().Own) == 2 })
	need.Is(t, "wrong", "/.wrong/never", w.Log().Own[0].Path)
}
