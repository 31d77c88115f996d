package observer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/websocket"

	"github.com/openchrome/bench/harness/internal/need"
)

// A rival is the server under test as an attacker: another DevTools client of the browser,
// with a session of its own on the tab that we read.
type rival struct {
	ws      *websocket.Conn
	session string
	tab     string                                     // its id is also that of its frame
	inner   string                                     // the frame of the page's iframe
	on      func(method string, params map[string]any) // runs on the reader's goroutine
	lastID  atomic.Int64
	got     func(object string) // gets the objects that the rival asked for; may be nil
	worked  atomic.Int64        // commands that the browser did without an exception
	hits    atomic.Int64        // worlds and scripts of ours that it heard of

	mu      sync.Mutex
	waiting map[int64]chan map[string]any
}

// observeWithRival attaches an observer, and then a rival, to a browser.
func observeWithRival(t *testing.T) (*Observer, string, *rival) {
	t.Helper()
	dir := t.TempDir()
	o, tab := observe(t, "--user-data-dir="+dir, "--remote-debugging-port=0", "--remote-allow-origins=*")
	var port []byte
	waitFor(t, func() bool {
		port, _ = os.ReadFile(filepath.Join(dir, "DevToolsActivePort"))
		return bytes.Count(port, []byte("\n")) > 0 && !bytes.HasSuffix(port, []byte("\n"))
	})
	address, path, _ := strings.Cut(string(port), "\n")
	ws, err := websocket.Dial("ws://127.0.0.1:"+address+path, "", "http://127.0.0.1/")
	need.OK(t, err)
	ws.MaxPayloadBytes = 64 << 20
	t.Cleanup(func() { ws.Close() })
	r := &rival{ws: ws, tab: tab, waiting: map[int64]chan map[string]any{}, on: func(string, map[string]any) {}}
	go r.read()
	r.session, _ = r.Call(t, "Target.attachToTarget", `{"targetId":%q,"flatten":true}`, tab)["sessionId"].(string)
	if r.session == "" {
		t.Fatal("the rival has no session")
	}
	return o, tab, r
}

func (r *rival) read() {
	for {
		var m struct {
			ID     int64
			Method string
			Params map[string]any
			Result map[string]any
			Error  any
		}
		if websocket.JSON.Receive(r.ws, &m) != nil {
			return
		}
		if m.Method != "" {
			r.mu.Lock()
			on := r.on
			r.mu.Unlock()
			on(m.Method, m.Params)
			continue
		}
		if details := m.Result["exceptionDetails"]; m.Error == nil && details == nil {
			r.worked.Add(1)
		}
		if object, ok := m.Result["result"].(map[string]any); ok && r.got != nil {
			if id, ok := object["objectId"].(string); ok {
				r.got(id)
			}
		}
		r.mu.Lock()
		answer := r.waiting[m.ID]
		delete(r.waiting, m.ID)
		r.mu.Unlock()
		if answer != nil {
			answer <- m.Result
		}
	}
}

// tell sends a command; params is JSON, with the verbs of fmt.
func (r *rival) tell(method, params string, args ...any) {
	r.send(r.lastID.Add(1), method, params, args)
}

func (r *rival) send(id int64, method, params string, args []any) {
	for i, a := range args {
		if s, ok := a.(string); ok { // %q is not JSON
			quoted, _ := json.Marshal(s)
			args[i] = json.RawMessage(quoted)
		}
	}
	params = fmt.Sprintf(strings.ReplaceAll(params, "%q", "%s"), args...)
	websocket.Message.Send(r.ws, fmt.Sprintf(`{"id":%d,"sessionId":%q,"method":%q,"params":%s}`, id, r.session, method, params))
}

// Call sends a command and waits for its result.
func (r *rival) Call(t *testing.T, method, params string, args ...any) map[string]any {
	t.Helper()
	answer, id := make(chan map[string]any, 1), r.lastID.Add(1)
	r.mu.Lock()
	r.waiting[id] = answer
	r.mu.Unlock()
	r.send(id, method, params, args)
	select {
	case result := <-answer:
		return result
	case <-time.After(2 * time.Second): // what the rival did may keep the page from answering
		return nil
	case <-t.Context().Done():
		return nil
	}
}

// told is a context that the browser told the rival of.
type told struct {
	id                float64
	name, kind, frame string
}

func (c told) isOurs() bool { return strings.HasPrefix(c.name, "openchrome-bench") }

func contextOf(params map[string]any) (c told) {
	m, _ := params["context"].(map[string]any)
	c.id, _ = m["id"].(float64)
	c.name, _ = m["name"].(string)
	more, _ := m["auxData"].(map[string]any)
	c.kind, _ = more["type"].(string)
	c.frame, _ = more["frameId"].(string)
	return c
}
