package launch

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/drive/facts"
	"github.com/openchrome/bench/harness/internal/drive/process"
	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/read/server"
	"github.com/openchrome/bench/harness/internal/read/task"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/web"
	"github.com/openchrome/bench/harness/internal/web/serve"
)

func newLocal(t testing.TB) session.Launcher {
	t.Helper()
	dist := need.OpenChrome(t)
	set, ca := testWeb(t)
	l, err := NewLocal(t.Context(), LocalOptions{Server: server.OpenChrome(), Package: dist, Sites: set, CA: ca})
	need.OK(t, err)
	t.Cleanup(func() { l.Close() })
	return l
}

// do makes a call of OpenChrome that must succeed.
func do(t testing.TB, s session.Session, tool string, a map[string]any) adapter.Result {
	t.Helper()
	r, err := s.Call(t.Context(), adapter.Call{Tool: tool, Args: args(a)})
	need.OK(t, err)
	if r.IsError() {
		t.Fatalf("%s: %s", tool, r.Text())
	}
	return r
}

// open navigates and returns the tab.
func open(t testing.TB, s session.Session, url string) (tabID string) {
	t.Helper()
	var page struct{ TabID string }
	if r := do(t, s, "navigate", map[string]any{"url": url}); !r.JSON(&page) || page.TabID == "" {
		t.Fatalf("no tab in %s", r.Text())
	}
	return page.TabID
}

func TestLocal(t *testing.T) {
	l := newLocal(t)
	s := launch(t, l)
	server := s.Identity()
	if server.Version == "" || !strings.HasPrefix(server.Package, "sha256:") || !strings.Contains(server.Chromium, "/") {
		t.Errorf("Server = %+v", server)
	}
	want := record.Server{Name: "openchrome", Isolation: "fresh",
		Version: server.Version, Package: server.Package, Chromium: server.Chromium, Protocol: server.Protocol,
		Confinement: l.(*localLauncher).means.String()}
	need.Equal(t, "Server", want, server)
	// The tools are those that users get.
	if !session.Has(s, "memory") || session.Has(s, "console_capture") {
		t.Errorf("%d tools are listed: %v", len(s.Tools()), s.Tools())
	}

	tab := open(t, s, "https://example.com/")
	if text := do(t, s, "read_page", map[string]any{"tabId": tab}).Text(); !strings.Contains(text, "Example Domain") {
		t.Errorf("read_page: %s", text)
	}
	big := do(t, s, "javascript_tool", map[string]any{"tabId": tab, "code": "'x'.repeat(7 << 20)"})
	if n := len(big.Text()); n != 7<<20 {
		t.Errorf("7 MB came as %d bytes", n)
	}
	do(t, s, "javascript_tool", map[string]any{"tabId": tab, "code": "document.cookie = 'left=behind; max-age=999'"})
	r, err := s.Call(t.Context(), adapter.Call{Tool: "navigate", Args: args(map[string]any{"url": "https://unknown.test/"})})
	if err != nil || !strings.Contains(r.Text(), "ERR_NAME_NOT_RESOLVED") {
		t.Errorf("an unknown host: %s, error %v", r.Text(), err)
	}

	other := launch(t, l)
	tab = open(t, other, "https://example.com/")
	if got := do(t, other, "javascript_tool", map[string]any{"tabId": tab, "code": "document.cookie"}).Text(); got != "" {
		t.Errorf("a new session has cookies: %s", got)
	}
	log, err := other.Requests(t.Context())
	if err != nil || len(log.Requests) != 1 || log.Requests[0].URL != "https://example.com/" {
		t.Errorf("Requests = %v, %v", log, err)
	}

	// What they would otherwise leave in the system's temporary folder.
	dir := filepath.Dir(s.(*localSession).Process.(*process.Process).Cmd.Dir)
	if socket, err := os.Readlink(filepath.Join(profileOf(dir), "SingletonSocket")); runtime.GOOS == "linux" && !strings.HasPrefix(socket, dir) {
		t.Errorf("Chromium's socket is at %q, error %v", socket, err)
	}
	if pids, _ := filepath.Glob(filepath.Join(tmpOf(dir), "openchrome-*.pid")); len(pids) != 1 {
		t.Errorf("OpenChrome's pid files are %q", pids)
	}
	began := time.Now()
	need.OK(t, s.Close())
	if took := time.Since(began); took > 50*time.Second {
		t.Errorf("Close took %v", took)
	}
	if left := stayOf(dir); len(left) > 0 {
		t.Errorf("left:\n%s", strings.Join(left, "\n"))
	}
	need.Gone(t, dir)
}

func TestLocalServerDies(t *testing.T) {
	s := launch(t, newLocal(t))
	tab := open(t, s, "https://example.com/")
	ended := make(chan error, 1)
	go func() {
		_, err := s.Call(context.Background(), adapter.Call{Tool: "javascript_tool",
			Args: args(map[string]any{"tabId": tab, "code": "await new Promise(() => {})"})})
		ended <- err
	}()
	do(t, s, "tabs_context", nil)
	s.(*localSession).Process.(*process.Process).Cmd.Process.Kill()
	err := <-ended
	if e, ok := errors.AsType[*session.Error](err); !ok || !strings.HasPrefix(e.Error(), "javascript_tool: OpenChrome ended: signal: killed") {
		t.Errorf("error %v", err)
	}
}

// A session whose Chromium has ended says so, although its server still answers.
func TestLocalChromiumEnds(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	node := filepath.Join(t.TempDir(), "node")
	write(t, node, "#!/bin/sh\nexec "+line("plain")+"\n")
	chromium := needChromium(t)
	const ended = "Chromium ended: signal: killed"
	set, ca := testWeb(t)
	s := launch(t, &localLauncher{LocalOptions: LocalOptions{Server: server.OpenChrome(), Sites: set, CA: ca}, tools: LocalTools{Chromium: chromium, Node: node}}).(*localSession)
	need.OK(t, s.Ping(t.Context()))
	s.browser.Cmd.Process.Kill()
	<-s.Observer().Done() // the process ends a moment later
	need.OK(t, s.Base.Ping(t.Context()))
	err := s.Ping(t.Context())
	if !isOutage(err) || !strings.HasPrefix(err.Error(), ended) { // nobody knows who killed it
		t.Errorf("the session: %v", err)
	}
	_, err = facts.Prepare(t.Context(), s, task.Setup{})
	if err == nil || !strings.HasPrefix(err.Error(), "connect the server to the browser: "+ended) {
		t.Errorf("while it is prepared: %v", err)
	}
	_, err = facts.SourceOf(s).Read(t.Context(), facts.Request{TabID: "T"})
	if !isOutage(err) || !strings.HasPrefix(err.Error(), ended) {
		t.Errorf("facts: %v", err)
	}
	s.oomKills = func() uint64 { return s.before + 2 }
	const killed = "; memory ran out; processes killed by the kernel since the session began: 2"
	if _, err := facts.SourceOf(s).Read(t.Context(), facts.Request{TabID: "T"}); !isOutage(err) || !strings.HasPrefix(err.Error(), ended) || !strings.HasSuffix(err.Error(), killed) {
		t.Errorf("without memory: %v", err)
	}
	// Nor is it to blame for the end of a tab by SIGKILL.
	tabs := launch(t, &localLauncher{LocalOptions: LocalOptions{Server: server.OpenChrome(), Sites: set, CA: ca}, tools: LocalTools{Chromium: chromium, Node: node}}).(*localSession)
	need.OK(t, tabs.Outage(t.Context()))
	for _, p := range tabs.browser.Tree() {
		if args, err := p.Cmdline(); err == nil && strings.Contains(args, "--type=renderer") {
			p.Kill()
		}
	}
	ctx := need.Within(t, 20*time.Second)
	for err = nil; err == nil && ctx.Err() == nil; err = tabs.Outage(ctx) {
		tabs.Ping(ctx)
	}
	if !isOutage(err) || err.Error() != "SIGKILL ended the process of a tab" {
		t.Errorf("a killed tab: %v", err)
	}
	// Any other signal is an end of the session's own, whatever was killed elsewhere.
	own := launch(t, &localLauncher{LocalOptions: LocalOptions{Server: server.OpenChrome(), Sites: set, CA: ca}, tools: LocalTools{Chromium: chromium, Node: node}}).(*localSession)
	own.oomKills = func() uint64 { return own.before + 2 }
	if err := own.Ping(t.Context()); !isOutage(err) || !strings.HasPrefix(err.Error(), "memory ran out") {
		t.Errorf("while it runs, without memory: %v", err)
	}
	own.browser.Cmd.Process.Signal(syscall.SIGSEGV)
	<-own.Observer().Done()
	err = own.Ping(t.Context())
	if _, ok := errors.AsType[*facts.NoPage](err); !ok || !strings.HasPrefix(err.Error(), "Chromium ended: signal: ") {
		t.Errorf("crashed: %v", err)
	}
	// Nor is it to blame when we ended it.
	other := launch(t, &localLauncher{LocalOptions: LocalOptions{Server: server.OpenChrome(), Sites: set, CA: ca}, tools: LocalTools{Chromium: chromium, Node: node}}).(*localSession)
	other.browser.Kill()
	if err := other.Ping(t.Context()); !isOutage(err) {
		t.Errorf("ended by us: %v", err)
	}
}

func isOutage(err error) bool {
	_, ok := errors.AsType[*session.Outage](err)
	return ok
}

// TestLocalGivesUp: a start that is given up leaves nothing, wherever it is.
func TestLocalGivesUp(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs a shell, and processes to be looked at")
	}
	bin := t.TempDir()
	dir := need.ShortTemp(t) // short enough to be taken
	t.Setenv("TMPDIR", dir)
	set, ca := testWeb(t)
	const wait = "#!/bin/sh\nsleep 1000 & echo 'still starting' >&2; wait\n"
	chromium, node := filepath.Join(bin, "chromium"), filepath.Join(bin, "node")
	write(t, node, wait)
	write(t, chromium, wait)
	tests := []struct {
		name, chromium string
		limit          time.Duration
		want           string
	}{
		{"in Chromium", chromium, 300 * time.Millisecond, "local: chromium does not start: it opens no DevTools port: context deadline exceeded; its last output: still starting"},
		{"in OpenChrome", needChromium(t), 10 * time.Second, "local: initialize: transport error: context deadline exceeded; its last output: still starting"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := &localLauncher{LocalOptions: LocalOptions{Server: server.OpenChrome(), Sites: set, CA: ca}, tools: LocalTools{Chromium: tt.chromium, Node: node}}
			ctx := need.Within(t, tt.limit)
			s, err := l.Launch(ctx)
			if err == nil {
				s.Close()
				t.Fatal("it is a session")
			}
			if first, _, _ := strings.Cut(err.Error(), "\n"); first != tt.want {
				t.Errorf("error %q, want %q", err, tt.want)
			}
			if left := stayOf(dir); len(left) > 0 {
				t.Errorf("left:\n%s", strings.Join(left, "\n"))
			}
			need.Gone(t, filepath.Join(dir, "*"))
		})
	}
}

// useLocal starts and closes sessions until it is killed.
func useLocal() {
	set, err := web.Open()
	if err != nil {
		panic(err)
	}
	ca, err := serve.NewCA(set.Hosts()...)
	if err != nil {
		panic(err)
	}
	fmt.Println("begin")
	ctx := context.Background()
	l, err := NewLocal(ctx, LocalOptions{Server: server.OpenChrome(), Package: os.Getenv("OPENCHROME_DIST"), Sites: set, CA: ca})
	if err != nil {
		panic(err)
	}
	session := func() {
		s, err := l.Launch(ctx)
		if err != nil {
			panic(err)
		}
		s.Call(ctx, adapter.Call{Tool: "navigate", Args: args(map[string]any{"url": "https://example.com/"})})
		s.Close()
	}
	go func() {
		for {
			session()
		}
	}()
	for {
		session()
	}
}

// TestLocalKilled kills a harness with two sessions under way at 20 random
// moments and looks for anything that it started.
func TestLocalKilled(t *testing.T) {
	need.OpenChrome(t)
	// Short: a socket of Chromium's has to fit into it.
	tmp := need.ShortTemp(t)
	for i := range 20 {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), serverEnv+"=harness", "TMPDIR="+tmp)
		out, err := cmd.StdoutPipe()
		need.OK(t, err)
		need.OK(t, cmd.Start())
		bufio.NewReader(out).ReadString('\n')
		moment := rand.N(3 * time.Second)
		<-time.After(moment)
		running := len(processesOf(tmp))
		cmd.Process.Kill()
		cmd.Wait()
		killed := time.Now()
		tick := time.NewTicker(20 * time.Millisecond)
		for {
			left := stayOf(tmp)
			dirs, _ := filepath.Glob(tmp + "/*")
			if len(left) == 0 && len(dirs) == 0 {
				break
			}
			if time.Since(killed) > 15*time.Second {
				t.Fatalf("%d: 15 s after a kill at %v there are still\n%s\n%s", i, moment, strings.Join(left, "\n"), strings.Join(dirs, "\n"))
			}
			<-tick.C
		}
		tick.Stop()
		t.Logf("killed after %v: %d processes gone after %v", moment, running, time.Since(killed))
	}
}

// A session's server and browser can read the files that the harness gives them.
func TestLocalPutFiles(t *testing.T) {
	s := launch(t, newLocal(t))
	paths, err := s.PutFiles(t.Context(), map[string][]byte{"my letter.txt": []byte("Dear Ada"), "other": nil})
	need.OK(t, err)
	tab := open(t, s, "https://example.com/")
	do(t, s, "javascript_tool", map[string]any{"tabId": tab, "code": "document.body.innerHTML = '<input type=file id=doc>'"})
	do(t, s, "file_upload", map[string]any{"tabId": tab, "selector": "#doc", "filePaths": []string{paths["my letter.txt"]}})
	got := do(t, s, "javascript_tool", map[string]any{"tabId": tab, "code": "document.querySelector('#doc').files[0].name + ': ' + await document.querySelector('#doc').files[0].text()"})
	need.Is(t, "the page", "my letter.txt: Dear Ada", got.Text())
}
