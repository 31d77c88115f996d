package page_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/openchrome/bench/harness/internal/drive/watchdog"
	"github.com/openchrome/bench/harness/internal/need"
)

func TestMain(m *testing.M) {
	watchdog.Main()
	os.Exit(m.Run())
}

// needChromium returns the path of one. The test is skipped with -short.
func needChromium(t testing.TB) string {
	t.Helper()
	if testing.Short() {
		t.Skip("needs Chromium, so only mage testAll runs it")
	}
	return need.Chromium(t)
}

// browser is a Chromium, spoken to by DevTools messages on two pipes.
type browser struct {
	w        *os.File
	messages chan message
	id       int
	session  string   // of its tab
	trouble  []string // what a page must not do: errors, dialogs
}

type message struct {
	ID     int
	Method string
	Params json.RawMessage
	Result json.RawMessage
	Error  *struct{ Message string }
}

func startBrowser(t testing.TB) *browser {
	t.Helper()
	path := needChromium(t)
	dir, remove, err := watchdog.TempDir()
	need.OK(t, err)
	t.Cleanup(func() { remove() })
	fromUs, w, err := os.Pipe()
	need.OK(t, err)
	r, toUs, err := os.Pipe()
	need.OK(t, err)
	flags := []string{
		"--remote-debugging-pipe", "--user-data-dir=" + dir, "--headless=new", "--window-size=1280,900", "--lang=en-US",
		"--no-first-run", "--disable-gpu", "--disable-dev-shm-usage", "--disable-breakpad", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--disable-extensions", "--host-resolver-rules=MAP * ~NOTFOUND", "about:blank",
	}
	if os.Geteuid() == 0 {
		flags = append([]string{"--no-sandbox"}, flags...) // it refuses to run as root with one
	}
	cmd := exec.Command(path, flags...)
	cmd.ExtraFiles = []*os.File{fromUs, toUs}
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "HOME="+dir, "TMPDIR="+dir)
	watchdog.Lead(cmd)
	need.OK(t, cmd.Start())
	fromUs.Close()
	toUs.Close()
	release := watchdog.Group(cmd.Process.Pid)
	b := &browser{w: w, messages: make(chan message, 1000)}
	go b.read(r)
	t.Cleanup(func() {
		w.Close()
		watchdog.KillGroup(cmd.Process.Pid)
		cmd.Wait()
		release()
		r.Close()
	})
	var targets struct {
		TargetInfos []struct{ TargetID, Type string }
	}
	b.call(t, "Target.getTargets", nil, &targets)
	for _, target := range targets.TargetInfos {
		if target.Type == "page" {
			var attached struct{ SessionID string }
			b.call(t, "Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
			b.session = attached.SessionID
		}
	}
	for _, domain := range []string{"Page", "Runtime", "Log"} {
		b.call(t, domain+".enable", nil, nil)
	}
	b.call(t, "Page.addScriptToEvaluateOnNewDocument", map[string]any{
		"source": `addEventListener("securitypolicyviolation", e => console.error("violates the policy: " + e.violatedDirective))`,
	}, nil)
	return b
}

func (b *browser) read(r *os.File) {
	defer close(b.messages)
	in := bufio.NewReader(r)
	for {
		raw, err := in.ReadBytes(0)
		if err != nil {
			return
		}
		var m message
		if json.Unmarshal(bytes.TrimSuffix(raw, []byte{0}), &m) == nil {
			b.messages <- m
		}
	}
}

// call sends a command and returns its result. Meanwhile it notes what pages did.
func (b *browser) call(t testing.TB, method string, params, result any) {
	t.Helper()
	if params == nil {
		params = struct{}{}
	}
	b.id++
	raw, err := json.Marshal(map[string]any{"id": b.id, "method": method, "params": params, "sessionId": b.session})
	if b.session == "" {
		raw, err = json.Marshal(map[string]any{"id": b.id, "method": method, "params": params})
	}
	need.OK(t, err)
	need.OK(t, need.Err(b.w.Write(append(raw, 0))))
	end := time.After(60 * time.Second)
	for {
		select {
		case m, ok := <-b.messages:
			switch {
			case !ok:
				t.Fatalf("%s: the browser ended", method)
			case m.ID != b.id:
				b.note(m)
				continue
			case m.Error != nil:
				t.Fatalf("%s: %s", method, m.Error.Message)
			case result != nil:
				if err := json.Unmarshal(m.Result, result); err != nil {
					t.Fatalf("%s: %v", method, err)
				}
			}
			return
		case <-end:
			t.Fatalf("%s: no answer", method)
		}
	}
}

func (b *browser) note(m message) {
	switch m.Method {
	case "Runtime.exceptionThrown", "Page.javascriptDialogOpening":
		b.trouble = append(b.trouble, m.Method+string(m.Params))
	case "Runtime.consoleAPICalled", "Log.entryAdded":
		if text := string(m.Params); strings.Contains(text, `"error"`) || strings.Contains(text, `"warning"`) {
			b.trouble = append(b.trouble, m.Method+text)
		}
	}
}

// calm fails the test if the page logged an error, opened a dialog or broke its policy.
func (b *browser) calm(t testing.TB) {
	t.Helper()
	for _, line := range b.trouble {
		t.Error(line)
	}
	b.trouble = nil
}

// eval evaluates an expression, and waits if it is a promise.
func (b *browser) eval(t testing.TB, expression string, result any) {
	t.Helper()
	var r struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails json.RawMessage
	}
	b.call(t, "Runtime.evaluate", map[string]any{"expression": expression, "awaitPromise": true, "returnByValue": true}, &r)
	if r.ExceptionDetails != nil {
		t.Fatalf("%s: %s", expression, r.ExceptionDetails)
	}
	if result != nil {
		if err := json.Unmarshal(r.Result.Value, result); err != nil {
			t.Fatalf("%s: %v", expression, err)
		}
	}
}

// text is eval for an expression that gives a string.
func (b *browser) text(t testing.TB, expression string) (s string) {
	t.Helper()
	b.eval(t, "String("+expression+")", &s)
	return s
}

// until waits until the expression is true.
func (b *browser) until(t testing.TB, expression string) {
	t.Helper()
	var ok bool
	b.eval(t, fmt.Sprintf(`new Promise(done => {
		const end = performance.now() + 10000;
		const look = () => {
			if (%s) done(true);
			else if (performance.now() > end) done(false);
			else setTimeout(look, 5);
		};
		look();
	})`, expression), &ok)
	if !ok {
		t.Fatalf("never: %s\nmeanwhile: %s\nthe page: %s", expression, b.trouble, b.text(t, `location + document.body.innerText.slice(0, 3000)`))
	}
}

// open loads a page from disk, and waits for its list of episodes or what else it shows.
func (b *browser) open(t testing.TB, file, anchor string) {
	t.Helper()
	b.call(t, "Page.navigate", map[string]any{"url": "about:blank"}, nil) // another anchor alone would not load
	b.until(t, `location.href === "about:blank"`)
	b.call(t, "Page.navigate", map[string]any{"url": "file://" + filepath.ToSlash(file) + anchor}, nil)
	b.until(t, `location.protocol === "file:" && document.readyState === "complete" && (document.documentElement.dataset.ready || !document.getElementById("rows"))`)
}

// press sends the key to the page.
func (b *browser) press(t testing.TB, key string) {
	t.Helper()
	event := map[string]any{"type": "keyDown", "key": key}
	switch key {
	case "Enter":
		event["text"], event["windowsVirtualKeyCode"] = "\r", 13
	case "Escape":
		event["windowsVirtualKeyCode"] = 27
	case "ArrowDown":
		event["windowsVirtualKeyCode"] = 40
	case "ArrowUp":
		event["windowsVirtualKeyCode"] = 38
	default:
		event["text"] = key
	}
	b.call(t, "Input.dispatchKeyEvent", event, nil)
	b.call(t, "Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": key}, nil)
}

// look sets the colours and the size of the window.
func (b *browser) look(t testing.TB, scheme string, width int) {
	t.Helper()
	b.call(t, "Emulation.setEmulatedMedia", map[string]any{"features": []map[string]any{{"name": "prefers-color-scheme", "value": scheme}}}, nil)
	b.call(t, "Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}, nil)
}
