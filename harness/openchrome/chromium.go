package openchrome

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/openchrome/bench/harness/observer"
	"github.com/openchrome/bench/sites"
)

// chromiumNames lists the programs to look for on the PATH, in this order.
var chromiumNames = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge", "msedge"}

// chromiumPaths lists the usual places of browsers that are not on the PATH.
var chromiumPaths = map[string][]string{
	"darwin": {
		"/Applications/Chromium.app/Contents/MacOS/Chromium",
		"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
		"/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
	},
	"windows": {
		`C:\Program Files\Google\Chrome\Application\chrome.exe`,
		`C:\Program Files (x86)\Google\Chrome\Application\chrome.exe`,
		`C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe`,
	},
}

// findChromium returns the path of the browser that CHROME_PATH names, or of the first
// one that it finds if CHROME_PATH is not set.
func findChromium() (string, error) {
	if named := os.Getenv("CHROME_PATH"); named != "" {
		path, err := exec.LookPath(named)
		if err != nil {
			return "", fmt.Errorf("CHROME_PATH: %s is not a program that can be run; correct it", named)
		}
		return path, nil
	}
	for _, name := range slices.Concat(chromiumNames, chromiumPaths[runtime.GOOS]) {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New("no Chromium found; install chromium or Google Chrome, or name one in CHROME_PATH")
}

// chromiumFlags returns the flags of a browser that resolves the fixture hosts, and other
// hosts only on the live web. The browser sends no requests of its own. Pages see the
// same language on every machine; [cleanEnv] sets the time zone.
func chromiumFlags(profile string, w *web, set *sites.Set, ca *sites.CA) []string {
	flags := []string{
		"--remote-debugging-port=0", // for the server: a free one; the profile names it
		"--user-data-dir=" + profile,
		"--headless=new",
		"--disable-infobars", // one on the first tab of root would make other tabs taller
		"--window-size=1920,1080",
		"--lang=en-US",
		"--no-first-run",
		"--no-default-browser-check",
		"--no-pings",
		"--disable-gpu",
		"--disable-dev-shm-usage",
		"--disable-breakpad",
		"--disable-background-networking",
		"--disable-component-update",
		"--disable-default-apps",
		"--disable-domain-reliability",
		"--disable-extensions",
		"--disable-sync",
		"--password-store=basic",
		"--use-mock-keychain",
		"--allow-browser-signin=false",
		"--gaia-url=http://127.0.0.1:9", // no answer, and no name to resolve
		"--disable-features=AutofillServerCommunication,CertificateTransparencyComponentUpdater,HttpsUpgrades," +
			"MediaRouter,NetworkTimeServiceQuerying,OptimizationHints,Translate,WebUIOmniboxPopup",
	}
	if rootHasNoSandbox() {
		flags = append(flags, "--no-sandbox")
	}
	var hosts []string
	var httpAddr, httpsAddr string
	if w.server != nil {
		hosts, httpAddr, httpsAddr = set.Hosts(), w.server.HTTPAddr(), w.server.HTTPSAddr()
		flags = append(flags, "--ignore-certificate-errors-spki-list="+ca.SPKI())
	}
	if !w.live {
		// WebRTC does not ask the resolver. Without a proxy, this flag leaves it no UDP.
		// (Chromium 156 ignores the longer --force-webrtc-ip-handling-policy.)
		flags = append(flags, "--no-proxy-server", "--webrtc-ip-handling-policy=disable_non_proxied_udp")
	}
	return append(flags, "--host-resolver-rules="+HostRules(hosts, httpAddr, httpsAddr, w.live), "about:blank")
}

// rootHasNoSandbox reports whether we are root: Chromium refuses to run as root with
// its sandbox.
func rootHasNoSandbox() bool { return os.Geteuid() == 0 }

// HostRules returns the value of Chromium's --host-resolver-rules that maps the ports
// 80 and 443 of each host to the two addresses of the fixture web, so that no port
// shows in a URL. Unless live is set, no other host can be reached, by name or by
// address.
func HostRules(hosts []string, httpAddr, httpsAddr string, live bool) string {
	var rules []string
	for _, h := range hosts {
		rules = append(rules, "MAP "+h+":80 "+httpAddr, "MAP "+h+":443 "+httpsAddr)
	}
	if !live {
		rules = append(rules, "MAP * ~NOTFOUND")
	}
	return strings.Join(rules, ",")
}

// chromium is a browser with an empty profile of its own.
type chromium struct {
	*process
	port int // of the DevTools protocol, on 127.0.0.1; the server attaches there

	attached chan struct{}      // closed when the attaching has ended; the rest is read after that
	observer *observer.Observer // nil on Windows
	version  string             // such as "Chrome/156.0.8078.79"
	err      error
}

// startChromium starts a browser that works in dir, confined, and returns when its port
// is known. The caller closes it, and calls ready before the browser is used. ctx must
// last until then.
func startChromium(ctx context.Context, path, dir string, env, flags []string, c confinement) (*chromium, error) {
	cmd := exec.Command(path, flags...)
	cmd.Dir = dir
	cmd.Env = env
	var pipe io.ReadWriteCloser
	var theirs duplex
	if runtime.GOOS != "windows" { // where package os/exec passes on only the standard files
		cmd.Args = slices.Insert(cmd.Args, 1, "--remote-debugging-pipe")
		var ours duplex
		var err error
		if ours, theirs, err = debuggingPipe(); err != nil {
			return nil, fmt.Errorf("start Chromium: %w", err)
		}
		pipe, cmd.ExtraFiles = ours, []*os.File{theirs.in, theirs.out}
	}
	c.apply(cmd, dir)
	p, err := startProcess("Chromium", cmd, false)
	theirs.Close()
	if err != nil {
		if pipe != nil {
			pipe.Close()
		}
		return nil, err
	}
	b := &chromium{process: p, attached: make(chan struct{})}
	go func() { // this takes longer than the port: the server can start meanwhile
		defer close(b.attached)
		if pipe != nil {
			b.observer, b.err = observer.Attach(ctx, pipe)
		}
	}()
	if b.port, err = devToolsPort(ctx, b.ended, profileOf(dir)); err != nil {
		err = b.notStarted(ctx, err)
		b.Close()
		return nil, err
	}
	return b, nil
}

// ready waits until the browser is observed. Before that, nothing may use it.
func (c *chromium) ready(ctx context.Context) error {
	<-c.attached
	if c.err == nil && c.observer != nil {
		c.version = c.observer.Version()
	} else if c.err == nil {
		c.version, c.err = askVersion(ctx, c.port)
	}
	if c.err != nil {
		return c.notStarted(ctx, c.err)
	}
	return nil
}

// notStarted adds to err what the browser says.
func (c *chromium) notStarted(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		return c.Explain(err)
	}
	return saying(fmt.Errorf("chromium does not start: %w", err), c.LastLine())
}

// Close ends the browser.
func (c *chromium) Close() error {
	c.kill()
	<-c.attached // its pipe has ended
	if c.observer != nil {
		c.observer.Close() // its pipe broke already
	}
	return nil
}

// duplex is our end of Chromium's --remote-debugging-pipe.
type duplex struct{ in, out *os.File }

func (d duplex) Read(b []byte) (int, error)  { return d.in.Read(b) }
func (d duplex) Write(b []byte) (int, error) { return d.out.Write(b) }
func (d duplex) Close() error                { return errors.Join(d.in.Close(), d.out.Close()) }

// debuggingPipe returns both ends of a pipe for Chromium, whose file 3 is theirs.in and
// file 4 theirs.out.
func debuggingPipe() (ours, theirs duplex, err error) {
	if theirs.in, ours.out, err = os.Pipe(); err != nil {
		return ours, theirs, err
	}
	if ours.in, theirs.out, err = os.Pipe(); err != nil {
		return ours, theirs, errors.Join(err, theirs.in.Close(), ours.out.Close())
	}
	return ours, theirs, nil
}

func profileOf(dir string) string { return filepath.Join(dir, "profile") }
func homeOf(dir string) string    { return filepath.Join(dir, "home") }
func tmpOf(dir string) string     { return filepath.Join(dir, "t") }

// devToolsPort waits for the file that names Chromium's port: the port is on the first
// line, the path of its WebSocket on the second.
func devToolsPort(ctx context.Context, ended <-chan struct{}, profile string) (int, error) {
	file := filepath.Join(profile, "DevToolsActivePort")
	tick := time.Tick(2 * time.Millisecond)
	for {
		data, _ := os.ReadFile(file)
		if first, path, ok := strings.Cut(string(data), "\n"); ok && path != "" {
			return strconv.Atoi(first)
		}
		select {
		case <-tick:
		case <-ended:
			return 0, errors.New("it opened no DevTools port")
		case <-ctx.Done():
			return 0, fmt.Errorf("it opens no DevTools port: %w", ctx.Err())
		}
	}
}

// askVersion asks the browser what it is, such as "Chrome/156.0.8078.79".
func askVersion(ctx context.Context, port int) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("http://127.0.0.1:%d/json/version", port), nil)
	if err != nil {
		return "", err
	}
	// A client of its own: no proxy, and no connection that stays.
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		return "", fmt.Errorf("its version: %w", err)
	}
	defer resp.Body.Close()
	var v struct{ Browser string }
	if err := json.NewDecoder(io.LimitReader(resp.Body, 1<<20)).Decode(&v); err != nil {
		return "", fmt.Errorf("its version: %w", err)
	}
	return v.Browser, nil
}

// cleanEnv returns the environment of a program of the session in dir. Its home and
// its temporary files are there. From the user's environment it has only the
// variables that are needed to find and start programs.
func cleanEnv(dir string) []string {
	env := []string{
		"HOME=" + homeOf(dir), "USERPROFILE=" + homeOf(dir),
		"TMPDIR=" + tmpOf(dir), "TEMP=" + tmpOf(dir), "TMP=" + tmpOf(dir),
		"LANG=C.UTF-8", "LANGUAGE=en_US", "TZ=UTC",
	}
	return append(env, lookUp("PATH", "SYSTEMROOT", "WINDIR", "COMSPEC", "PATHEXT")...)
}

// proxyEnv names the proxy of the live web. The fixture hosts bypass it.
func proxyEnv(set *sites.Set) []string {
	env := lookUp("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy")
	direct := cmp.Or(os.Getenv("no_proxy"), os.Getenv("NO_PROXY"))
	if set != nil {
		direct = strings.Trim(direct+","+strings.Join(set.Hosts(), ","), ",")
	}
	return append(env, "no_proxy="+direct, "NO_PROXY="+direct)
}

// lookUp returns the entries of our environment that have these names.
func lookUp(names ...string) []string {
	var env []string
	for _, name := range names {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	return env
}

// localSession is a session on a browser of our own.
type localSession struct {
	*Owned
	row      Server
	browser  *chromium
	node     *process      // the server
	oomKills func() uint64 // [oomKills], or a test's own
	before   uint64        // oomKills when the session began
}

// Observer implements [Session].
func (s *localSession) Observer() *observer.Observer { return s.browser.observer }

// Memory implements [Session].
func (s *localSession) Memory() int64 { return s.node.memory() }

// Server implements [Session].
func (s *localSession) Server() Server { return s.row }

// Ping implements [Session]. It also checks the browser, because OpenChrome answers
// without one. If the harness ended the browser, or the kernel killed processes for want
// of memory, the error is an [*Outage].
func (s *localSession) Ping(ctx context.Context) error {
	if n := s.oomKills() - s.before; n > 0 {
		return &Outage{fmt.Errorf("memory ran out; processes killed by the kernel since the session began: %d", n)}
	}
	select {
	case <-s.browser.ended:
		err := s.browser.end()
		if s.browser.ours.Load() {
			return &Outage{err}
		}
		return &BrowserEnd{Why: err.Error()}
	default:
		return s.Owned.Ping(ctx)
	}
}
