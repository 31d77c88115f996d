package observer

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"

	"github.com/openchrome/bench/harness/internal/drive/devtools"
	"github.com/openchrome/bench/harness/internal/drive/watchdog"
	"github.com/openchrome/bench/harness/internal/judge"
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

// pipe is our end of a browser's two pipes.
type pipe struct{ r, w *os.File }

func (p pipe) Read(b []byte) (int, error)  { return p.r.Read(b) }
func (p pipe) Write(b []byte) (int, error) { return p.w.Write(b) }
func (p pipe) Close() error {
	p.w.Close()
	return p.r.Close()
}

// startBrowser starts a Chromium with one empty tab. kill ends it.
func startBrowser(t testing.TB, flags ...string) (ours pipe, kill func()) {
	t.Helper()
	path := needChromium(t)
	dir, remove, err := watchdog.TempDir()
	need.OK(t, err)
	t.Cleanup(func() { remove() })
	fromUs, w, err := os.Pipe()
	need.OK(t, err)
	r, toUs, err := os.Pipe()
	need.OK(t, err)
	flags = append([]string{
		"--remote-debugging-pipe", "--user-data-dir=" + dir, "--headless=new", "--window-size=1920,1167", "--lang=en-US",
		"--no-first-run", "--disable-gpu", "--disable-dev-shm-usage", "--disable-breakpad", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--disable-extensions", "--use-mock-keychain", "--password-store=basic",
		"--site-per-process", "--no-proxy-server", "--disable-infobars",
		"--host-resolver-rules=MAP *.test 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
	}, flags...)
	if os.Geteuid() == 0 {
		flags = append(flags, "--no-sandbox") // it refuses to run as root with one
	}
	cmd := exec.Command(path, append(flags, "about:blank")...)
	cmd.ExtraFiles = []*os.File{fromUs, toUs}
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "HOME="+dir, "TMPDIR="+dir)
	watchdog.Lead(cmd)
	need.OK(t, cmd.Start())
	fromUs.Close()
	toUs.Close()
	release := watchdog.Group(cmd.Process.Pid)
	ours = pipe{r, w}
	kill = func() { watchdog.KillGroup(cmd.Process.Pid) }
	t.Cleanup(func() {
		ours.Close()
		kill()
		cmd.Wait()
		release()
	})
	return ours, kill
}

// observe attaches to a browser of its own, and returns the id of its first tab.
func observe(t testing.TB, flags ...string) (*Observer, string) {
	t.Helper()
	pipe, _ := startBrowser(t, flags...)
	o := attach(t, pipe)
	return o, string(o.tabs[0].id)
}

func attach(t testing.TB, p io.ReadWriteCloser) *Observer {
	t.Helper()
	ctx := need.Within(t, 60*time.Second)
	o, err := Attach(ctx, p)
	need.OK(t, err)
	t.Cleanup(func() { o.Close() })
	return o
}

// serve starts a web of pages: the path is a key, the value an HTML body.
func serve(t testing.TB, pages map[string]string) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, ok := pages[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		if strings.HasSuffix(r.URL.Path, ".js") {
			w.Header().Set("Content-Type", "text/javascript")
		} else {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			body = icon + body
		}
		fmt.Fprint(w, body)
	}))
	t.Cleanup(s.CloseClientConnections)
	t.Cleanup(s.Close)
	return s
}

// icon keeps the browser from asking for one.
const icon = `<!doctype html><link rel=icon href="data:,">`

// navigate begins to load a URL in a tab.
func navigate(t testing.TB, o *Observer, tab, url string) {
	t.Helper()
	r, err := devtools.Call(t.Context(), o.sessionOf(t, tab), page.Navigate, page.NavigateParams{URL: url})
	need.OK(t, err)
	need.Is(t, fmt.Sprintf("navigate to %s", url), "", r.ErrorText)
}

func (o *Observer) sessionOf(t testing.TB, id string) devtools.Session {
	t.Helper()
	o.mu.Lock()
	defer o.mu.Unlock()
	found := o.find(id)
	if found == nil {
		t.Fatalf("no tab %s", id)
	}
	return found.session
}

// readWhen reads until a reading is as the test wants it.
func readWhen(t testing.TB, o *Observer, r Request, ok func(Reading) bool) Reading {
	t.Helper()
	ctx := need.Within(t, 30*time.Second)
	for {
		got, err := o.Read(ctx, r)
		if err == nil && ok(got) {
			return got
		}
		if ctx.Err() != nil {
			t.Fatalf("never as it should be: %+v, error %v", got, err)
		}
		if err == nil {
			continue
		}
		select { // a blank tab
		case <-time.After(time.Millisecond):
		case <-ctx.Done():
		}
	}
}

// open loads a URL in a tab and reads it once it is settled.
func open(t testing.TB, o *Observer, tab, url string, needs judge.Needs) Reading {
	t.Helper()
	navigate(t, o, tab, url)
	return readWhen(t, o, Request{TabID: tab, Needs: needs, SessionID: "s"}, func(r Reading) bool { return r.Settled })
}

// newTab opens a tab and waits until it is watched.
func newTab(t testing.TB, o *Observer, url string) string {
	t.Helper()
	r, err := devtools.Call(t.Context(), devtools.Session{Conn: o.conn}, target.CreateTarget, target.CreateTargetParams{URL: url})
	need.OK(t, err)
	waitFor(t, func() bool {
		o.mu.Lock()
		defer o.mu.Unlock()
		return o.find(string(r.TargetID)) != nil
	})
	return string(r.TargetID)
}

func closeTab(t testing.TB, o *Observer, id string) {
	t.Helper()
	need.OK(t, need.Err(devtools.Call(t.Context(), devtools.Session{Conn: o.conn}, target.CloseTarget, target.CloseTargetParams{TargetID: target.ID(id)})))
}

// waitFor waits until ok.
func waitFor(t testing.TB, ok func() bool) {
	t.Helper()
	tick, end := time.Tick(2*time.Millisecond), time.After(30*time.Second)
	for !ok() {
		select {
		case <-tick:
		case <-end:
			t.Fatal("never happens")
		}
	}
}

// waitNoPage reads until there is no page, and says why.
func waitNoPage(t testing.TB, o *Observer, tab string) (why string) {
	t.Helper()
	waitFor(t, func() bool {
		_, err := o.Read(t.Context(), Request{TabID: tab})
		if none, ok := errors.AsType[*NoPage](err); ok {
			why = none.Why + " at " + none.URL
		}
		return err != nil
	})
	return why
}
