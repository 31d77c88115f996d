package launch

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/drive/watchdog"
	"github.com/openchrome/bench/harness/internal/web"
	"github.com/openchrome/bench/harness/internal/web/serve"
)

// probeSites has two hosts whose pages report what they see in their title.
func probeSites(t *testing.T, script string) (*web.Set, *serve.CA) {
	t.Helper()
	dir := t.TempDir()
	for _, host := range []string{"probe.test", "other.test"} {
		page := "<!doctype html><meta charset=utf-8><link rel=icon href='data:,'><title>…</title><script>" + script + "</script>"
		if err := os.MkdirAll(filepath.Join(dir, host), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, host, "index.html"), []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	set, err := web.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	ca, err := serve.NewCA(set.Hosts()...)
	if err != nil {
		t.Fatal(err)
	}
	return set, ca
}

// testBrowser is a Chromium as the local launcher starts it.
type testBrowser struct {
	*chromium
	web   *fixtureWeb
	dir   string
	close func()
}

// needChromium is the path of one. The test is skipped with -short, and without
// Chromium unless this is CI.
func needChromium(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("needs Chromium, so only mage testAll runs it")
	}
	path, err := findChromium()
	if err != nil && os.Getenv("CI") == "true" {
		t.Fatal(err)
	}
	if err != nil {
		t.Skip(err)
	}
	return path
}

// startBrowser starts one that trusts pin.
func startBrowser(t *testing.T, set *web.Set, ca, pin *serve.CA) *testBrowser {
	t.Helper()
	path := needChromium(t)
	dir, remove, err := watchdog.TempDir()
	if err != nil {
		t.Fatal(err)
	}
	w, err := newWeb(set, ca, false, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := makeSessionDir(dir); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), session.LaunchTimeout)
	defer cancel()
	c, err := startChromium(ctx, path, dir, cleanEnv(dir), chromiumFlags(profileOf(dir), w, set, pin), confinement{})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.ready(ctx); err != nil {
		t.Fatal(err)
	}
	b := &testBrowser{chromium: c, web: w, dir: dir}
	b.close = func() {
		c.Close()
		w.Close()
		if err := remove(); err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(b.close)
	return b
}

// title opens a URL in a new tab and returns the tab's title once it is done
// with: when it does not end in … any more. See Chromium's HTTP endpoints at
// https://chromedevtools.github.io/devtools-protocol/.
func (b *testBrowser) title(t *testing.T, url string) string {
	t.Helper()
	var tab, now struct{ ID, Title, URL string }
	b.get(t, http.MethodPut, "new?"+url, &tab)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); <-tick.C {
		var tabs []struct{ ID, Title, URL string }
		b.get(t, http.MethodGet, "list", &tabs)
		i := slices.IndexFunc(tabs, func(x struct{ ID, Title, URL string }) bool { return x.ID == tab.ID })
		if i < 0 {
			t.Fatalf("%s: the tab is gone", url)
		}
		// Until the page has a title, its address stands for it.
		now = tabs[i]
		if now.Title != "" && now.Title != "about:blank" && !strings.HasSuffix(now.Title, "…") && !strings.Contains(url, now.Title) {
			return now.Title
		}
	}
	t.Fatalf("%s: after 20 s the title is %q", url, now.Title)
	return ""
}

func (b *testBrowser) get(t *testing.T, method, path string, v any) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, fmt.Sprintf("http://127.0.0.1:%d/json/%s", b.port, path), nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(v); err != nil {
		t.Fatal(err)
	}
}

// urls are those of the access log.
func (b *testBrowser) urls(t *testing.T) []string {
	t.Helper()
	var urls []string
	for _, r := range b.web.served.Log() {
		urls = append(urls, r.URL)
	}
	return urls
}

func TestChromium(t *testing.T) {
	set, ca := probeSites(t, `
		const seen = localStorage.seen || "nothing";
		localStorage.seen = "something";
		document.title = [origin, isSecureContext, navigator.language, new Date(0).getHours(), innerWidth, seen].join(" ")`)
	for range 2 { // the second profile is as empty as the first
		b := startBrowser(t, set, ca, ca)
		asked, err := askVersion(t.Context(), b.port)
		if err != nil || asked != b.version || !strings.Contains(asked, "/") {
			t.Errorf("version %q, over HTTP %q, error %v", b.version, asked, err)
		}
		tests := []struct{ url, title string }{
			{"https://probe.test/", "https://probe.test true en-US 0 1920 nothing"},
			{"https://probe.test/?again", "https://probe.test true en-US 0 1920 something"},
			{"http://other.test/", "http://other.test false en-US 0 1920 nothing"},
		}
		var want []string
		for _, tt := range tests {
			if got := b.title(t, tt.url); got != tt.title {
				t.Errorf("%s: %q, want %q", tt.url, got, tt.title)
			}
			want = append(want, tt.url)
		}
		if diff := cmp.Diff(want, b.urls(t)); diff != "" {
			t.Errorf("access log mismatch (-want +got):\n%s", diff)
		}
		b.close()
		if _, err := os.Stat(b.dir); err == nil {
			t.Errorf("%s is left", b.dir)
		}
		if left := stayOf(b.dir); len(left) > 0 {
			t.Errorf("left:\n%s", strings.Join(left, "\n"))
		}
	}
}

// TestChromiumLongTemp: however long TMPDIR is, a browser starts, and all that it
// makes is in its session's folder.
func TestChromiumLongTemp(t *testing.T) {
	tmp := filepath.Join(t.TempDir(), strings.Repeat("x", 60))
	if err := os.Mkdir(tmp, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", tmp)
	set, ca := probeSites(t, `document.title = "there"`)
	b := startBrowser(t, set, ca, ca)
	if got := b.title(t, "https://probe.test/"); got != "there" {
		t.Errorf("the page says %q", got)
	}
	if socket, err := os.Readlink(filepath.Join(profileOf(b.dir), "SingletonSocket")); runtime.GOOS == "linux" && !strings.HasPrefix(socket, b.dir) {
		t.Errorf("Chromium's socket is at %q, error %v", socket, err)
	}
	b.Cmd.Process.Kill() // it removes nothing itself
	b.close()
	if left, _ := os.ReadDir(tmp); len(left) > 0 {
		t.Errorf("left in TMPDIR: %v", left)
	}
}

// TestChromiumVerifies: only the run's own CA is trusted.
func TestChromiumVerifies(t *testing.T) {
	set, ca := probeSites(t, `document.title = "trusted"`)
	_, another := probeSites(t, "")
	b := startBrowser(t, set, ca, another)
	if got := b.title(t, "https://probe.test/"); got != "Privacy error" {
		t.Errorf("a page of a CA that is not trusted: %q", got)
	}
	if got := b.urls(t); got != nil {
		t.Errorf("it was asked for: %v", got)
	}
}

// TestChromiumReachesNothingElse: not this machine, and not the fixture web
// under another name or port.
func TestChromiumReachesNothingElse(t *testing.T) {
	outside, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer outside.Close()
	var reached atomic.Int64
	go http.Serve(outside, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		reached.Add(1)
		w.Header().Set("Access-Control-Allow-Origin", "*")
	}))
	_, port, _ := net.SplitHostPort(outside.Addr().String())
	set, ca := probeSites(t, `
		const port = "`+port+`";
		const urls = ["http://127.0.0.1:" + port, "http://localhost:" + port, "http://x.localhost:" + port, "http://[::1]:" + port,
			"http://probe.test:" + port, "http://unknown.test", "https://unknown.test", "https://probe.test.", "https://sub.probe.test",
			"https://www.google.com", "http://1.1.1.1", "http://169.254.169.254"];
		const get = u => fetch(u + "/", {mode: "no-cors"}).then(() => "reached " + u, () => "");
		const talk = u => new Promise(done => {
			const s = new WebSocket(u);
			s.onopen = () => done("reached " + u);
			s.onerror = () => done("");
		});
		Promise.all([...urls.map(get), talk("ws://127.0.0.1:" + port), talk("ws://localhost:" + port)])
			.then(all => { document.title = "done " + all.filter(x => x).join(" ") })`)
	b := startBrowser(t, set, ca, ca)
	// Over http: it may ask for all schemes without being mixed content.
	if got := b.title(t, "http://probe.test/"); got != "done" {
		t.Errorf("the page reached something: %s", got)
	}
	if n := reached.Load(); n != 0 {
		t.Errorf("a server of this machine was reached %d times", n)
	}
	if diff := cmp.Diff([]string{"http://probe.test/"}, b.urls(t)); diff != "" {
		t.Errorf("access log mismatch (-want +got):\n%s", diff)
	}
}

func TestChromiumEnds(t *testing.T) {
	set, ca := testWeb(t)
	b := startBrowser(t, set, ca, ca)
	b.Cmd.Process.Kill()
	<-b.Ended
	if _, err := askVersion(t.Context(), b.port); err == nil {
		t.Error("it still answers")
	}
	<-b.observer.Done()
}

func TestChromiumDoesNotStart(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	program := filepath.Join(t.TempDir(), "chromium")
	if err := os.WriteFile(program, []byte("#!/bin/sh\necho 'ERROR: no usable sandbox' >&2\nexit 3\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	_, err := startChromium(t.Context(), program, t.TempDir(), nil, nil, confinement{})
	if err == nil || err.Error() != "Chromium ended: exit status 3: ERROR: no usable sandbox" {
		t.Errorf("error %v", err)
	}
}

func TestFindChromium(t *testing.T) {
	t.Setenv("CHROME_PATH", "/no/such/browser")
	want := "CHROME_PATH: /no/such/browser is not a program that can be run; correct it"
	if path, err := findChromium(); err == nil || err.Error() != want {
		t.Errorf("found %q, error %v", path, err)
	}
	t.Setenv("CHROME_PATH", "")
	t.Setenv("PATH", t.TempDir())
	if runtime.GOOS != "linux" {
		return // browsers are found without the PATH
	}
	if path, err := findChromium(); err == nil {
		t.Errorf("found %q on an empty PATH", path)
	}
}

// stayOf returns the processes of dir that stay. One that was killed takes a moment to end.
func stayOf(dir string) (left []string) {
	for began := time.Now(); time.Since(began) < 10*time.Second; runtime.Gosched() {
		if left = processesOf(dir); len(left) == 0 {
			break
		}
	}
	return left
}

// processesOf returns the processes that know of a folder, by their command
// line or their environment. Zombies have neither.
func processesOf(dir string) []string {
	var found []string
	files, _ := filepath.Glob("/proc/[0-9]*")
	for _, p := range files {
		args, _ := os.ReadFile(p + "/cmdline")
		env, _ := os.ReadFile(p + "/environ")
		if p != fmt.Sprintf("/proc/%d", os.Getpid()) && (bytes.Contains(args, []byte(dir)) || bytes.Contains(env, []byte(dir))) {
			found = append(found, p+" "+string(bytes.ReplaceAll(args[:min(len(args), 200)], []byte{0}, []byte{' '})))
		}
	}
	return found
}

// TestChromiumLive: with the live web the fixture hosts are still ours, and
// what else there is goes where the machine goes.
func TestChromiumLive(t *testing.T) {
	set, ca := probeSites(t, "")
	w, err := newWeb(set, ca, true, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	flags := strings.Join(chromiumFlags("profile", w, set, ca), " ")
	if !strings.Contains(flags, "MAP probe.test:443 "+w.server.HTTPSAddr()) {
		t.Error("a fixture host is not mapped")
	}
	if strings.Contains(flags, "NOTFOUND") || strings.Contains(flags, "--no-proxy-server") {
		t.Errorf("the web is not live: %s", flags)
	}
	if w.log() != nil {
		t.Error("requests to the live web are known")
	}
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy"} {
		t.Setenv(name, "")
		os.Unsetenv(name)
	}
	t.Setenv("https_proxy", "http://proxy.example:1")
	t.Setenv("NO_PROXY", "intranet")
	hosts := "intranet," + strings.Join(set.Hosts(), ",")
	want := []string{"https_proxy=http://proxy.example:1", "no_proxy=" + hosts, "NO_PROXY=" + hosts}
	if diff := cmp.Diff(want, proxyEnv(set)); diff != "" {
		t.Errorf("proxies mismatch (-want +got):\n%s", diff)
	}
}

// Without its sandbox Chromium runs only as root, or if somebody asks for it.
func TestNoSandbox(t *testing.T) {
	for _, test := range []struct {
		uid  int
		env  string
		want string
	}{
		{0, "", "the harness ran as root"},
		{0, "1", "the harness ran as root"},
		{10001, "1", "OPENCHROME_BENCH_NO_SANDBOX is set"},
		{10001, "0", ""},
		{10001, "", ""},
		{-1, "", ""}, // Windows
	} {
		if got := noSandbox(test.uid, test.env); got != test.want {
			t.Errorf("user %d, environment %q: %q, want %q", test.uid, test.env, got, test.want)
		}
	}
}

func TestHostRules(t *testing.T) {
	hosts := []string{"a.test", "b.test"}
	const mapped = "MAP a.test:80 web-7:8080,MAP a.test:443 web-7:8443,MAP b.test:80 web-7:8080,MAP b.test:443 web-7:8443"
	if got, want := HostRules(hosts, "web-7:8080", "web-7:8443", false), mapped+",MAP * ~NOTFOUND"; got != want {
		t.Errorf("rules %s, want %s", got, want)
	}
	if got := HostRules(hosts, "web-7:8080", "web-7:8443", true); got != mapped {
		t.Errorf("rules of the live web %s, want %s", got, mapped)
	}
}
