package agent

import (
	"bytes"
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/netutil"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/drive/confine"
)

// maxRequest is the size in bytes of the largest request. It keeps every event of a call within
// what the log allows.
const maxRequest = 256 << 10

// An agent has at most maxConns connections at a time; the next one waits. Each request must come
// within readTimeout. So the requests of an agent take at most 4 MiB together, and it cannot use up the
// files that other episodes need.
const (
	maxConns    = 16
	readTimeout = 10 * time.Second
	idleTimeout = time.Hour // without it, readTimeout would be that of an idle connection, too
)

// relistTimeout is how long an answer that changed the list of tools waits for the agent to list
// them again.
const relistTimeout = time.Second

// protocols are the versions of MCP that the endpoint speaks, the newest first. They differ in
// nothing that it uses.
var protocols = []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}

// JSON-RPC's codes for errors.
const (
	parseError     = -32700
	invalidRequest = -32600
	unknownMethod  = -32601
	invalidParams  = -32602
)

// An endpoint serves the tools of one episode over MCP, on a port of the loopback interface. It
// has no sessions: each POST is answered by itself.
type endpoint struct {
	token string
	rv    *rendezvous
	port  uint16
	serve *http.Server
}

func listen(token string, rv *rendezvous, network *confine.Network) (*endpoint, error) {
	l, err := network.Listen()
	if err != nil {
		return nil, fmt.Errorf("endpoint: %w", err)
	}
	return serve(l, uint16(l.Addr().(*net.TCPAddr).Port), token, rv), nil
}

func serve(l net.Listener, port uint16, token string, rv *rendezvous) *endpoint {
	e := &endpoint{token: token, rv: rv, port: port}
	e.serve = &http.Server{Handler: e, ReadTimeout: readTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: 64 << 10, ErrorLog: log.New(io.Discard, "", 0)}
	go e.serve.Serve(netutil.LimitListener(l, maxConns))
	return e
}

func (e *endpoint) url() string { return fmt.Sprintf("http://127.0.0.1:%d/mcp", e.port) }

func (e *endpoint) close() { e.serve.Close() }

// request is a JSON-RPC request or, without an id, a notification.
type request struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
}

// ServeHTTP implements [http.Handler].
func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	switch {
	case r.Header["Origin"] != nil: // a page of a browser asks
		http.Error(w, "requests of web pages are refused", http.StatusForbidden)
	case subtle.ConstantTimeCompare([]byte(token), []byte(e.token)) != 1:
		http.Error(w, "the bearer token is missing or wrong; send that of OPENCHROME_BENCH_MCP_TOKEN", http.StatusUnauthorized)
	case r.URL.Path != "/mcp":
		http.Error(w, "there is only /mcp", http.StatusNotFound)
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", http.MethodPost)
		http.Error(w, "only POST is allowed", http.StatusMethodNotAllowed)
	default:
		e.post(w, r)
	}
}

func (e *endpoint) post(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		http.Error(w, fmt.Sprintf("the request is larger than %d KiB", maxRequest>>10), http.StatusRequestEntityTooLarge)
		return
	}
	if err != nil {
		return // the client is gone, or too slow
	}
	http.NewResponseController(w).SetReadDeadline(time.Time{}) // its end would cancel a long call
	var q request
	switch {
	case !json.Valid(slices.Concat([]byte("[[[[[[[["), body, []byte("]]]]]]]]"))): // a report nests it that much deeper
		respond(w, nil, failed(parseError, "the request is not JSON, or nested too deep"))
	case json.Unmarshal(body, &q) != nil || q.Version != "2.0" || q.Method == "":
		respond(w, q.ID, failed(invalidRequest, "the request is not one JSON-RPC 2.0 request"))
	case q.ID == nil: // notifications need no answer
		w.WriteHeader(http.StatusAccepted)
	case q.Method == "tools/call":
		e.call(w, r, q)
	default:
		respond(w, q.ID, e.answer(q))
	}
}

// An answer is the member of a response that follows its id: "result" or "error".
type answer []byte

func result(raw json.RawMessage) answer { return append([]byte(`"result":`), raw...) }

func failed(code int, message string) answer {
	raw, _ := json.Marshal(adapter.RPCError{Code: code, Message: message}) // encoding texts cannot fail
	return append([]byte(`"error":`), raw...)
}

// answer answers all methods but tools/call.
func (e *endpoint) answer(q request) answer {
	switch q.Method {
	case "initialize":
		var params struct {
			Protocol string `json:"protocolVersion"`
		}
		json.Unmarshal(q.Params, &params)
		if !slices.Contains(protocols, params.Protocol) {
			params.Protocol = protocols[0]
		}
		return result(fmt.Appendf(nil, `{"protocolVersion":%q,"capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":%q,"version":"1"}}`, params.Protocol, serverName))
	case "ping":
		return result([]byte("{}"))
	case "tools/list":
		var list [][]byte
		for _, t := range e.rv.list() {
			raw := t.Raw
			if raw == nil { // the session does not know it
				raw, _ = json.Marshal(t)
			}
			list = append(list, raw)
		}
		return result(slices.Concat([]byte(`{"tools":[`), bytes.Join(list, []byte(",")), []byte("]}")))
	}
	return failed(unknownMethod, "there is no method "+q.Method)
}

// call makes a tool call in the episode, and answers when it has its result.
func (e *endpoint) call(w http.ResponseWriter, r *http.Request, q request) {
	var params struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}
	err := json.Unmarshal(q.Params, &params)
	if string(params.Arguments) == "null" {
		params.Arguments = nil
	}
	if err != nil || params.Name == "" || params.Arguments != nil && params.Arguments[0] != '{' {
		respond(w, q.ID, failed(invalidParams, "a call has a name, and arguments that are an object"))
		return
	}
	reply := e.rv.call(r.Context(), adapter.Call{Tool: params.Name, Args: params.Arguments})
	if reply.relisted == nil || !strings.Contains(r.Header.Get("Accept"), "text/event-stream") {
		respond(w, q.ID, reply.answer)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	stream(w, []byte(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`))
	limited, cancel := context.WithTimeout(r.Context(), relistTimeout)
	defer cancel()
	select {
	case <-reply.relisted:
	case <-limited.Done():
	}
	stream(w, response(q.ID, reply.answer))
}

func response(id json.RawMessage, a answer) []byte {
	if id == nil {
		id = []byte("null")
	}
	return slices.Concat([]byte(`{"jsonrpc":"2.0","id":`), []byte(id), []byte(","), []byte(a), []byte("}"))
}

func respond(w http.ResponseWriter, id json.RawMessage, a answer) {
	w.Header().Set("Content-Type", "application/json")
	w.Write(response(id, a)) // an error means that the client is gone
}

// stream writes a message as an event. A line end in it stays one.
func stream(w http.ResponseWriter, message []byte) {
	w.Write(slices.Concat([]byte("event: message\ndata: "), bytes.ReplaceAll(message, []byte("\n"), []byte("\ndata: ")), []byte("\n\n")))
	http.NewResponseController(w).Flush()
}

// rendezvous is where calls of the agent and the steps of the episode meet: each call waits until
// the episode takes it, and then until the episode has its result.
type rendezvous struct {
	calls chan *call
	over  chan struct{} // closed at the end of the episode

	mu      sync.Mutex
	tools   []adapter.Tool
	listed  chan struct{} // closed at the next tools/list
	first   chan struct{} // closed at the first tools/list
	pending *call         // which the episode makes
	at      int           // steps that there were when the pending call was taken
	made    int           // calls that the episode took
	late    int           // calls after the end
}

type call struct {
	adapter.Call
	reply chan reply
}

// reply is the answer to a call. relisted is not nil if the call changed the list of tools; it is
// closed when the agent has listed them again.
type reply struct {
	answer
	relisted <-chan struct{}
}

func newRendezvous(tools []adapter.Tool) *rendezvous {
	return &rendezvous{calls: make(chan *call), over: make(chan struct{}), tools: tools, listed: make(chan struct{}), first: make(chan struct{})}
}

func (rv *rendezvous) list() []adapter.Tool {
	rv.mu.Lock()
	defer rv.mu.Unlock()
	select {
	case <-rv.first:
	default:
		close(rv.first)
	}
	close(rv.listed)
	rv.listed = make(chan struct{})
	return rv.tools
}

// isOver is the answer to calls after the end.
var isOver = reply{answer: result([]byte(`{"content":[{"type":"text","text":"The episode is over"}],"isError":true}`))}

// call waits until the episode has made the call. ctx ends if the client is gone.
func (rv *rendezvous) call(ctx context.Context, c adapter.Call) reply {
	select {
	case <-rv.first:
	default:
		return reply{answer: failed(invalidRequest, "list the tools first, with tools/list: the clock of the episode starts then")}
	}
	sent := &call{c, make(chan reply, 1)}
	select {
	case <-rv.over: // even if the episode would take it at the same moment
		return rv.isLate()
	default:
	}
	select {
	case rv.calls <- sent:
	case <-rv.over:
		return rv.isLate()
	case <-ctx.Done():
		return reply{}
	}
	select {
	case r := <-sent.reply:
		return r
	case <-ctx.Done():
		return reply{}
	}
}

func (rv *rendezvous) isLate() reply {
	rv.mu.Lock()
	defer rv.mu.Unlock()
	rv.late++
	return isOver
}

func (rv *rendezvous) lateCalls() int {
	rv.mu.Lock()
	defer rv.mu.Unlock()
	return rv.late
}

// take makes a call the pending one. It reports false if the episode is over.
func (rv *rendezvous) take(c *call, steps int) bool {
	rv.mu.Lock()
	defer rv.mu.Unlock()
	select {
	case <-rv.over:
		rv.late++
		c.reply <- isOver
		return false
	default:
	}
	rv.pending, rv.at = c, steps
	rv.made++
	return true
}

// deliver answers the pending call by the last step, and shows the tools that there are now.
func (rv *rendezvous) deliver(s adapter.State) {
	rv.mu.Lock()
	defer rv.mu.Unlock()
	var relisted chan struct{}
	same := func(a, b adapter.Tool) bool { return bytes.Equal(a.Raw, b.Raw) }
	if !slices.EqualFunc(rv.tools, s.Tools, same) {
		rv.tools, relisted = s.Tools, rv.listed
	}
	c := rv.pending
	if rv.pending = nil; c == nil {
		return
	}
	if len(s.Steps) == rv.at { // the episode ended before it made the call
		rv.made--
		rv.late++
		c.reply <- isOver
		return
	}
	r := reply{relisted: relisted}
	switch last := s.Steps[len(s.Steps)-1].Result; {
	case last.Raw != nil:
		r.answer = result(last.Raw)
	case last.RPCError != nil:
		r.answer = failed(last.RPCError.Code, last.RPCError.Message)
	default:
		r.answer = failed(-32603, "the server gave no answer")
	}
	c.reply <- r
}

// end ends the episode for the agent. It returns how many calls the episode took.
func (rv *rendezvous) end(s adapter.State) (made int) {
	rv.mu.Lock()
	close(rv.over)
	rv.mu.Unlock()
	rv.deliver(s)
	rv.mu.Lock()
	defer rv.mu.Unlock()
	return rv.made
}
