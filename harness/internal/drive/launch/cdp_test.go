package launch

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"slices"
	"testing"

	"github.com/openchrome/bench/harness/internal/drive/process"
	"github.com/openchrome/bench/harness/internal/drive/watchdog"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/web"
	"github.com/openchrome/bench/harness/internal/web/serve"
)

// devtools is the pipe to a Chromium and one tab of it. Tests ask the browser through it,
// in the page's own world, which the observer cannot enter. It is for one goroutine.
type devtools struct {
	pipe    duplex
	answers *bufio.Reader
	id      int
	session string
	loaded  bool // since the last call
}

// newDevtools starts a Chromium on the fixture web with one empty tab.
func newDevtools(t *testing.T, set *web.Set) *devtools {
	t.Helper()
	path := needChromium(t)
	ca, err := serve.NewCA(set.Hosts()...)
	need.OK(t, err)
	w, err := newWeb(set, ca, false, nil)
	need.OK(t, err)
	t.Cleanup(func() { w.Close() })
	dir, remove, err := watchdog.TempDir()
	need.OK(t, err)
	t.Cleanup(func() { remove() })
	ours, theirs, err := debuggingPipe()
	need.OK(t, err)
	need.OK(t, MakeSessionDir(dir))
	cmd := exec.Command(path, slices.Concat([]string{"--remote-debugging-pipe"}, chromiumFlags(profileOf(dir), w, set, ca))...)
	cmd.Dir, cmd.Env, cmd.ExtraFiles = dir, CleanEnv(dir), []*os.File{theirs.in, theirs.out}
	p, err := process.Start("Chromium", cmd, false, nil)
	theirs.Close()
	need.OK(t, err)
	t.Cleanup(func() { p.Kill(); ours.Close() })

	d := &devtools{pipe: ours, answers: bufio.NewReader(ours)}
	var target struct{ TargetID string }
	var session struct{ SessionID string }
	d.call(t, "Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	d.call(t, "Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &session)
	d.session = session.SessionID
	d.call(t, "Page.enable", struct{}{}, &struct{}{})
	return d
}

type devtoolsMessage struct {
	ID     int             `json:"id"`
	Method string          `json:"method"`
	Result json.RawMessage `json:"result"`
	Error  *struct{ Message string }
}

// next returns the next message.
func (d *devtools) next(t *testing.T) (m devtoolsMessage) {
	t.Helper()
	raw, err := d.answers.ReadBytes(0)
	if err == nil {
		err = json.Unmarshal(raw[:len(raw)-1], &m)
	}
	if err != nil {
		t.Fatal("Chromium: ", err)
	}
	d.loaded = d.loaded || m.Method == "Page.loadEventFired"
	return m
}

// call runs a command and waits for its result.
func (d *devtools) call(t *testing.T, method string, params, result any) {
	t.Helper()
	d.id++
	request := map[string]any{"id": d.id, "method": method, "params": params}
	if d.session != "" {
		request["sessionId"] = d.session
	}
	raw, err := json.Marshal(request)
	if err == nil {
		d.loaded = false
		_, err = d.pipe.Write(append(raw, 0))
	}
	need.OK(t, err)
	m := d.next(t)
	for m.ID != d.id {
		m = d.next(t)
	}
	if m.Error != nil {
		t.Fatalf("%s: %s", method, m.Error.Message)
	}
	if err := json.Unmarshal(m.Result, result); err != nil {
		t.Fatalf("%s: %v", method, err)
	}
}

// open navigates and waits for the page's load event.
func (d *devtools) open(t *testing.T, url string) {
	t.Helper()
	var nav struct{ ErrorText string }
	if d.call(t, "Page.navigate", map[string]any{"url": url}, &nav); nav.ErrorText != "" {
		t.Fatalf("open %s: %s", url, nav.ErrorText)
	}
	for !d.loaded {
		d.next(t)
	}
}

// evaluate gives v the value of an expression.
func (d *devtools) evaluate(t *testing.T, expression string, v any) {
	t.Helper()
	var got struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails json.RawMessage
	}
	d.call(t, "Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true}, &got)
	var err error
	if got.ExceptionDetails != nil {
		err = errors.New(string(got.ExceptionDetails))
	} else {
		err = json.Unmarshal(got.Result.Value, v)
	}
	if err != nil {
		t.Fatalf("evaluate %s: %v", expression, err)
	}
}
