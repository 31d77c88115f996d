package openchrome

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/openchrome/bench/harness/watchdog"
	"github.com/openchrome/bench/sites"
)

// devtools is a Chromium driven by the DevTools protocol over a pipe: JSON
// messages that end in a zero byte, to the browser's file 3 and from its file 4.
// It exists so that tests can ask the browser itself.
type devtools struct {
	w  io.Writer
	id int

	mu      sync.Mutex
	waiting map[int]chan devtoolsMessage
	loaded  chan struct{}
	session string
}

type devtoolsMessage struct {
	ID     int             `json:"id"`
	Method string          `json:"method"`
	Result json.RawMessage `json:"result"`
	Error  *struct{ Message string }
}

// newDevtools starts a Chromium on the fixture web with one empty tab.
func newDevtools(t *testing.T, set *sites.Set) *devtools {
	t.Helper()
	path := needChromium(t)
	ca, err := sites.NewCA(set.Hosts()...)
	if err != nil {
		t.Fatal(err)
	}
	w, err := newWeb(set, ca, false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	fromTest, toBrowser, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	fromBrowser, toTest, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	dir, remove, err := watchdog.TempDir()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { remove() })
	if err := makeSessionDir(dir); err != nil {
		t.Fatal(err)
	}
	flags := slices.DeleteFunc(chromiumFlags(profileOf(dir), w, set, ca), func(f string) bool {
		return strings.HasPrefix(f, "--remote-debugging-port")
	})
	cmd := exec.Command(path, append(flags, "--remote-debugging-pipe")...)
	cmd.ExtraFiles = []*os.File{fromTest, toTest}
	cmd.Dir, cmd.Env = dir, cleanEnv(dir)
	watchdog.Lead(cmd)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	fromTest.Close()
	toTest.Close()
	release := watchdog.Group(cmd.Process.Pid)
	t.Cleanup(func() {
		toBrowser.Close()
		watchdog.KillGroup(cmd.Process.Pid)
		cmd.Wait()
		release()
	})
	d := &devtools{w: toBrowser, waiting: map[int]chan devtoolsMessage{}, loaded: make(chan struct{}, 1)}
	go d.read(fromBrowser)
	d.attach(t)
	return d
}

func (d *devtools) read(r io.Reader) {
	br := bufio.NewReader(r)
	for {
		raw, err := br.ReadBytes(0)
		if err != nil {
			break
		}
		var m devtoolsMessage
		if json.Unmarshal(raw[:len(raw)-1], &m) != nil {
			continue
		}
		if m.Method == "Page.loadEventFired" {
			d.loaded <- struct{}{}
		}
		d.mu.Lock()
		if c := d.waiting[m.ID]; c != nil && m.ID != 0 {
			c <- m
			delete(d.waiting, m.ID)
		}
		d.mu.Unlock()
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, c := range d.waiting {
		close(c)
	}
}

func (d *devtools) send(ctx context.Context, method string, params, result any) error {
	c := make(chan devtoolsMessage, 1)
	d.mu.Lock()
	d.id++
	d.waiting[d.id] = c
	request := map[string]any{"id": d.id, "method": method, "params": params}
	if d.session != "" {
		request["sessionId"] = d.session
	}
	raw, err := json.Marshal(request)
	if err == nil {
		_, err = d.w.Write(append(raw, 0))
	}
	d.mu.Unlock()
	if err != nil {
		return err
	}
	select {
	case <-ctx.Done():
		return fmt.Errorf("%s: %w", method, ctx.Err())
	case m, ok := <-c:
		switch {
		case !ok:
			return errors.New(method + ": Chromium is gone")
		case m.Error != nil:
			return errors.New(method + ": " + m.Error.Message)
		case result == nil:
			return nil
		}
		return json.Unmarshal(m.Result, result)
	}
}

func (d *devtools) attach(t *testing.T) {
	t.Helper()
	var target struct{ TargetID string }
	var session struct{ SessionID string }
	err := d.send(t.Context(), "Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	if err == nil {
		err = d.send(t.Context(), "Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &session)
	}
	if err == nil {
		d.session = session.SessionID
		err = d.send(t.Context(), "Page.enable", struct{}{}, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// open navigates and waits for the page's load event.
func (d *devtools) open(t *testing.T, url string) {
	t.Helper()
	var nav struct{ ErrorText string }
	err := d.send(t.Context(), "Page.navigate", map[string]any{"url": url}, &nav)
	if err == nil && nav.ErrorText != "" {
		err = errors.New(nav.ErrorText)
	}
	if err != nil {
		t.Fatalf("open %s: %v", url, err)
	}
	select {
	case <-d.loaded:
	case <-t.Context().Done():
		t.Fatalf("open %s: no load event", url)
	}
}

// evaluate gives v the value of an expression.
func (d *devtools) evaluate(t *testing.T, expression string, v any) {
	t.Helper()
	var got struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails json.RawMessage
	}
	err := d.send(t.Context(), "Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true}, &got)
	if err == nil && got.ExceptionDetails != nil {
		err = errors.New(string(got.ExceptionDetails))
	}
	if err == nil {
		err = json.Unmarshal(got.Result.Value, v)
	}
	if err != nil {
		t.Fatalf("evaluate %s: %v", expression, err)
	}
}
