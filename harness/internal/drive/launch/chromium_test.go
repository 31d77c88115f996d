package launch

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/web"
	"github.com/openchrome/bench/harness/internal/web/serve"
)

func TestChromium(t *testing.T) {
	set, ca := probeSites(t, `
		const seen = localStorage.seen || "nothing";
		localStorage.seen = "something";
		document.title = [origin, isSecureContext, navigator.language, new Date(0).getHours(), innerWidth, seen].join(" ")`)
	for range 2 { // the second profile is as empty as the first
		b := startBrowser(t, set, ca, ca)
		need.Begins(t, b.observer.Version(), "Chrome/")
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
		need.Equal(t, "access log", want, b.urls(t))
		b.close()
		need.Gone(t, b.dir)
		if left := stayOf(b.dir); len(left) > 0 {
			t.Errorf("left:\n%s", strings.Join(left, "\n"))
		}
	}
}

// TestChromiumLongTemp: however long TMPDIR is, a browser starts, and all that it
// makes is in its session's folder.
func TestChromiumLongTemp(t *testing.T) {
	tmp := filepath.Join(t.TempDir(), strings.Repeat("x", 60))
	need.OK(t, os.Mkdir(tmp, 0o700))
	t.Setenv("TMPDIR", tmp)
	set, ca := probeSites(t, `document.title = "there"`)
	b := startBrowser(t, set, ca, ca)
	need.Is(t, "the page says", "there", b.title(t, "https://probe.test/"))
	if socket, err := os.Readlink(filepath.Join(profileOf(b.dir), "SingletonSocket")); runtime.GOOS == "linux" && !strings.HasPrefix(socket, b.dir) {
		t.Errorf("Chromium's socket is at %q, error %v", socket, err)
	}
	b.Cmd.Process.Kill() // it removes nothing itself
	b.close()
	need.Gone(t, filepath.Join(tmp, "*"))
}

// TestChromiumVerifies: only the run's own CA is trusted.
func TestChromiumVerifies(t *testing.T) {
	set, ca := probeSites(t, `document.title = "trusted"`)
	_, another := probeSites(t, "")
	b := startBrowser(t, set, ca, another)
	need.Is(t, "a page of a CA that is not trusted", "Privacy error", b.title(t, "https://probe.test/"))
	if got := b.urls(t); got != nil {
		t.Errorf("it was asked for: %v", got)
	}
}

// TestChromiumReachesNothingElse: not this machine, and not the fixture web
// under another name or port.
func TestChromiumReachesNothingElse(t *testing.T) {
	outside, err := net.Listen("tcp", "127.0.0.1:0")
	need.OK(t, err)
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
	need.Is(t, "the page reached something", "done", b.title(t, "http://probe.test/"))
	if n := reached.Load(); n != 0 {
		t.Errorf("a server of this machine was reached %d times", n)
	}
	need.Equal(t, "access log", []string{"http://probe.test/"}, b.urls(t))
}

// TestChromiumReloadsNothing: what a page asks for depends on no clock of the browser.
func TestChromiumReloadsNothing(t *testing.T) {
	dir := t.TempDir()
	need.Write(t, filepath.Join(dir, "probe.test", "routes.json"), `[{"path": "/", "fault": "reset"}]`)
	set, err := web.Open(dir)
	need.OK(t, err)
	ca, err := serve.NewCA(set.Hosts()...)
	need.OK(t, err)
	b := startBrowser(t, set, ca, ca)
	b.get(t, http.MethodPut, "new?https://probe.test/", new(struct{}))
	need.Until(t, "the first request", func() bool { return b.urls(t) != nil })
	<-time.After(5 * time.Second) // left alone, Chromium tries again after one
	need.Equal(t, "access log", []string{"https://probe.test/"}, b.urls(t))
}

func TestChromiumEnds(t *testing.T) {
	set, ca := testWeb(t)
	b := startBrowser(t, set, ca, ca)
	b.Cmd.Process.Kill()
	<-b.Ended
	<-b.observer.Done()
}

func TestChromiumDoesNotStart(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	program := filepath.Join(t.TempDir(), "chromium")
	need.OK(t, os.WriteFile(program, []byte("#!/bin/sh\necho 'ERROR: no usable sandbox' >&2\nexit 3\n"), 0o755))
	_, err := startChromium(t.Context(), program, t.TempDir(), nil, nil, Confinement{})
	need.Is(t, "error", "Chromium ended: exit status 3: ERROR: no usable sandbox", fmt.Sprint(err))
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

// TestChromiumLive: with the live web the fixture hosts are still ours, and
// what else there is goes where the machine goes.
func TestChromiumLive(t *testing.T) {
	set, ca := probeSites(t, "")
	w, err := newWeb(set, ca, true, nil)
	need.OK(t, err)
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
	need.Equal(t, "proxies", want, proxyEnv(set))
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
		need.Is(t, fmt.Sprintf("user %d, environment %q", test.uid, test.env), test.want, noSandbox(test.uid, test.env))
	}
}

func TestHostRules(t *testing.T) {
	hosts := []string{"a.test", "b.test"}
	const mapped = "MAP a.test:80 web-7:8080,MAP a.test:443 web-7:8443,MAP b.test:80 web-7:8080,MAP b.test:443 web-7:8443"
	if got, want := HostRules(hosts, "web-7:8080", "web-7:8443", false), mapped+",MAP * ~NOTFOUND"; got != want {
		t.Errorf("rules %s, want %s", got, want)
	}
	need.Is(t, "rules of the live web", mapped, HostRules(hosts, "web-7:8080", "web-7:8443", true))
}
