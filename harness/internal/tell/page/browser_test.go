package page_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sync"
	"testing"
	"time"

	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/target"

	"github.com/openchrome/bench/harness/internal/drive/devtools"
	"github.com/openchrome/bench/harness/internal/drive/watchdog"
	"github.com/openchrome/bench/harness/internal/need"
)

func TestMain(m *testing.M) {
	watchdog.Main()
	os.Exit(m.Run())
}

// browser is a Chromium with one tab.
type browser struct {
	devtools.Session
	mu      sync.Mutex
	trouble []string // what a page must not do: errors, dialogs
}

// startBrowser starts a Chromium. The test is skipped with -short.
func startBrowser(t testing.TB) *browser {
	t.Helper()
	if testing.Short() {
		t.Skip("needs Chromium, so only mage testAll runs it")
	}
	path := need.Chromium(t)
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
	need.OK(t, errors.Join(fromUs.Close(), toUs.Close()))
	release := watchdog.Group(cmd.Process.Pid)
	b := new(browser)
	b.Conn = devtools.NewConn(duplex{r, w}, b.note)
	b.Start()
	t.Cleanup(func() {
		b.Close()
		watchdog.KillGroup(cmd.Process.Pid)
		cmd.Wait()
		release()
	})
	var all struct {
		Targets []struct {
			ID   string `json:"targetId"`
			Type string `json:"type"`
		} `json:"targetInfos"`
	}
	b.call(t, "Target.getTargets", nil, &all)
	for _, tab := range all.Targets {
		if tab.Type == "page" {
			var attached struct {
				ID target.SessionID `json:"sessionId"`
			}
			b.call(t, "Target.attachToTarget", map[string]any{"targetId": tab.ID, "flatten": true}, &attached)
			b.ID = attached.ID
		}
	}
	for _, domain := range []string{"Page", "Runtime", "Log"} {
		b.call(t, domain+".enable", nil, nil)
	}
	b.call(t, "Page.addScriptToEvaluateOnNewDocument", map[string]any{
		"source": `addEventListener("securitypolicyviolation", e => console.error("violates the policy: " + e.violatedDirective));
			window.alert = () => console.error("alert was called")`,
	}, nil)
	return b
}

// duplex is our end of a browser's two pipes.
type duplex struct{ in, out *os.File }

func (d duplex) Read(p []byte) (int, error)  { return d.in.Read(p) }
func (d duplex) Write(p []byte) (int, error) { return d.out.Write(p) }
func (d duplex) Close() error                { return errors.Join(d.out.Close(), d.in.Close()) }

func (b *browser) call(t testing.TB, method string, params, result any) {
	t.Helper()
	if params == nil {
		params = struct{}{}
	}
	if result == nil {
		result = new(struct{})
	}
	if err := b.Call(need.Within(t, 60*time.Second), method, params, result); err != nil {
		t.Fatalf("%s: %v", method, err)
	}
}

// note notes what pages must not do.
func (b *browser) note(_ target.SessionID, method string, params jsonv2.Value) {
	logged := method == "Runtime.consoleAPICalled" || method == "Log.entryAdded"
	bad := regexp.MustCompile(`"(error|warning)"`).Match(params)
	if logged && bad || method == "Runtime.exceptionThrown" || method == "Page.javascriptDialogOpening" {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.trouble = append(b.trouble, method+string(params))
	}
}

// troubles returns what the page must not do, and forgets it.
func (b *browser) troubles() (all []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	all, b.trouble = b.trouble, nil
	return all
}

// calm fails the test if the page logged an error, opened a dialog or broke its policy.
func (b *browser) calm(t testing.TB) {
	t.Helper()
	for _, line := range b.troubles() {
		t.Error(line)
	}
}

// eval evaluates an expression, and waits if it is a promise.
func (b *browser) eval(t testing.TB, expression string, result any) {
	t.Helper()
	var r struct {
		Result struct {
			Value jsonv2.Value `json:"value"`
		} `json:"result"`
		Exception jsonv2.Value `json:"exceptionDetails"`
	}
	b.call(t, "Runtime.evaluate", map[string]any{"expression": expression, "awaitPromise": true, "returnByValue": true}, &r)
	if r.Exception != nil {
		t.Fatalf("%s: %s", expression, r.Exception)
	}
	if result != nil {
		need.OK(t, json.Unmarshal(r.Result.Value, result))
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
		t.Fatalf("never: %s\nmeanwhile: %s\nthe page: %s", expression, b.troubles(), b.text(t, `location + document.body.innerText.slice(0, 3000)`))
	}
}

// untilIs waits until the expression has the text.
func (b *browser) untilIs(t testing.TB, expression, want string) {
	t.Helper()
	raw, err := json.Marshal(want)
	need.OK(t, err)
	b.until(t, "String("+expression+") === "+string(raw))
}

// open loads a page from disk, and waits for its list of episodes or what else it shows.
func (b *browser) open(t testing.TB, file, anchor string) {
	t.Helper()
	b.call(t, "Page.navigate", map[string]any{"url": "about:blank"}, nil) // another anchor alone would not load
	b.until(t, `location.href === "about:blank"`)
	b.call(t, "Page.navigate", map[string]any{"url": "file://" + filepath.ToSlash(file) + anchor}, nil)
	b.until(t, `location.protocol === "file:" && document.readyState === "complete" && (document.documentElement.dataset.ready || !document.getElementById("rows"))`)
}

// unfold opens all that is folded.
func (b *browser) unfold(t testing.TB) {
	t.Helper()
	b.eval(t, `document.querySelectorAll("details").forEach(d => d.open = true)`, nil)
}

// press sends the key to the page.
func (b *browser) press(t testing.TB, key string) {
	t.Helper()
	event := map[string]any{"type": "keyDown", "key": key}
	code := map[string]int{"Enter": 13, "Escape": 27, "ArrowUp": 38, "ArrowDown": 40}[key]
	if code > 0 {
		event["windowsVirtualKeyCode"] = code
	}
	if len(key) == 1 {
		event["text"] = key
	} else if key == "Enter" {
		event["text"] = "\r"
	}
	b.call(t, "Input.dispatchKeyEvent", event, nil)
	b.call(t, "Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": key}, nil)
}

// axe fails the test for each fault that axe-core finds in pages, in light and dark, wide and narrow.
func (b *browser) axe(t *testing.T, file string, anchors ...string) {
	const env = "OPENCHROME_BENCH_PEERS"
	modules := os.Getenv(env)
	if modules == "" {
		need.Missing(t, "needs axe-core: install it with .ci/peers.sh and set "+env)
	}
	source := string(need.Read(t, filepath.Join(modules, "axe-core", "axe.min.js")))
	b.call(t, "Page.setBypassCSP", map[string]any{"enabled": true}, nil) // axe-core parses HTML
	for _, scheme := range []string{"light", "dark"} {
		for _, width := range []int{1280, 390} {
			media := []map[string]any{{"name": "prefers-color-scheme", "value": scheme}}
			b.call(t, "Emulation.setEmulatedMedia", map[string]any{"features": media}, nil)
			size := map[string]any{"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
			b.call(t, "Emulation.setDeviceMetricsOverride", size, nil)
			for _, anchor := range anchors {
				b.open(t, file, anchor)
				if anchor != "" {
					b.until(t, heading)
				}
				b.unfold(t)
				b.eval(t, source+";0", nil)
				var faults []struct {
					ID, Help string
					Nodes    []struct{ HTML, FailureSummary string }
				}
				b.eval(t, `axe.run(document, {resultTypes: ["violations"]}).then(r => r.violations)`, &faults)
				for _, f := range faults {
					t.Errorf("%s, %d wide, %s: %s: %s\n%s", scheme, width, anchor, f.ID, f.Help, f.Nodes)
				}
			}
		}
	}
}
