package launch

import (
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/drive/confine"
	"github.com/openchrome/bench/harness/internal/drive/process"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/read/server"
)

// place is a machine with what an OpenChrome must not reach.
type place struct {
	pkg, log, out, tasks, home, tmp string
	port                            int
	abstract                        string
}

// fill puts everything back to where a way may have taken it from.
func (p *place) fill(t *testing.T) {
	t.Helper()
	os.Chmod(p.log, 0o644) // unless it is gone
	write(t, p.log, `{"type":"stop","success":"the contract"}`)
	write(t, filepath.Join(p.tasks, "task.html"), "<title>the contract of a task</title>")
	write(t, filepath.Join(p.out, "r.html"), "<title>the contract of a run</title>")
	write(t, filepath.Join(p.home, "secret"), "secret")
}

func newPlace(t *testing.T) *place {
	t.Helper()
	base := need.ShortTemp(t) // short: a socket of Chromium's has to fit into it
	p := &place{pkg: filepath.Join(base, "pkg"), tasks: filepath.Join(base, "tasks"), home: filepath.Join(base, "home"), tmp: filepath.Join(base, "t")}
	p.out = filepath.Join(p.pkg, "events") // within what must be shown
	p.log = filepath.Join(p.out, "r.jsonl")
	for _, dir := range []string{p.out, p.tasks, p.home, p.tmp, filepath.Join(p.pkg, "dist")} {
		need.OK(t, os.MkdirAll(dir, 0o755))
	}
	t.Setenv("HOME", p.home)
	t.Setenv("TMPDIR", p.tmp)
	write(t, filepath.Join(p.pkg, "package.json"), `{"name": "openchrome-mcp", "version": "0.0.1"}`)
	intruder := need.Read(t, "testdata/intruder.js")
	write(t, filepath.Join(p.pkg, "dist", "index.js"), string(intruder))
	self := need.Read(t, os.Args[0])
	need.OK(t, os.WriteFile(filepath.Join(p.pkg, "dist", "native"), self, 0o755))
	p.fill(t)
	log, err := os.Open(p.log) // as a harness holds it
	need.OK(t, err)
	t.Cleanup(func() { log.Close() })

	p.abstract = fmt.Sprintf("\x00%-107d", os.Getpid()) // Node gives names in their full length
	for _, at := range [][2]string{{"tcp", "127.0.0.1:0"}, {"unix", filepath.Join(p.out, "s")}, {"unix", p.abstract}} {
		l, err := net.Listen(at[0], at[1])
		need.OK(t, err)
		t.Cleanup(func() { l.Close() })
		if a, ok := l.Addr().(*net.TCPAddr); ok {
			p.port = a.Port
		}
	}
	return p
}

// echo answers datagrams, and returns its port.
func echo(t *testing.T) (port int) {
	t.Helper()
	c, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	need.OK(t, err)
	t.Cleanup(func() { c.Close() })
	go func() {
		for b := make([]byte, 99); ; {
			n, from, err := c.ReadFrom(b)
			if err != nil {
				return
			}
			c.WriteTo(b[:n], from)
		}
	}()
	return c.LocalAddr().(*net.UDPAddr).Port
}

// visit connects to a free port again and again while the test runs, and returns the port.
func visit(t *testing.T) (port int) {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	need.OK(t, err)
	l.Close()
	tick := time.NewTicker(50 * time.Millisecond)
	t.Cleanup(tick.Stop)
	go func() {
		for t.Context().Err() == nil {
			select {
			case <-tick.C:
			case <-t.Context().Done():
			}
			if c, err := net.Dial("tcp4", l.Addr().String()); err == nil {
				c.Close()
			}
		}
	}()
	return l.Addr().(*net.TCPAddr).Port
}

// webPort returns the port of the session's web.
func webPort(t *testing.T, s *localSession) int {
	t.Helper()
	m := regexp.MustCompile(`MAP example\.com:80 127\.0\.0\.1:(\d+)`).FindStringSubmatch(strings.Join(s.browser.Cmd.Args, " "))
	if m == nil {
		t.Fatal("no port of the web in Chromium's flags")
	}
	port, err := strconv.Atoi(m[1])
	need.OK(t, err)
	return port
}

// privateFile returns a file below /etc that only some users can read.
func privateFile() (file string) {
	filepath.WalkDir("/etc", func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return nil
		}
		if info, err := e.Info(); err == nil && info.Mode()&0o004 == 0 && info.Size() > 0 && !strings.HasPrefix(path, "/etc/shadow") {
			file = path
			return fs.SkipAll
		}
		return nil
	})
	return file
}

// gaps are the ways that stay open with these means; see package confine.
func gaps(m confine.Means) []string {
	var open []string
	if m.Landlock < 4 {
		open = append(open, "connect to the session's web")
	}
	if !m.Network {
		open = append(open, "listen on all addresses")
		if m.Landlock < 4 {
			open = append(open, "connect to another session's DevTools", "connect to a server of the machine")
		}
		if m.Landlock < 6 {
			open = append(open, "connect to an abstract socket")
		}
	}
	if m.Namespaces {
		return open
	}
	open = append(open, "change the permissions of the log")
	if m.Landlock < 6 {
		open = append(open, "signal the harness", "signal another session's server", "signal another session's Chromium")
	}
	if m.Landlock < 9 {
		open = append(open, "connect to a socket beside the log")
	}
	return open
}

// maybe are the ways that some systems close for everybody.
var maybe = []string{"read the log as another user", "open the harness's memory", "read the machine's passwords",
	"read a private file of the settings", "open a socket of virtual machines", "open sockets by io_uring",
	"connect to a server of the machine by Multipath TCP", "connect to the session's web by Multipath TCP"}

// waiting are the ways that wait for seconds before they give up, and that take nothing away.
// They are gone at the same time.
var waiting = []string{"open a task in a tab", "open a file beside the log in a tab", "open the harness's root in a tab",
	"send a datagram", "listen on all addresses"}

// TestConfined has an OpenChrome try some fifty ways to reach the contract, the
// log, the tasks, the home folder, the harness, another session and the network. Unconfined it
// goes all of them, so that a way that no longer leads anywhere shows.
func TestConfined(t *testing.T) {
	needChromium(t)
	need.Program(t, "node")
	for _, means := range confine.Candidates() {
		t.Run(means.String(), func(t *testing.T) {
			p := newPlace(t)
			set, ca := testWeb(t)
			l, err := startLocal(t.Context(), LocalOptions{
				Server: server.OpenChrome(), Package: p.pkg, Sites: set, CA: ca, Hide: []string{p.out, p.tasks},
			}, []confine.Means{means, {}})
			need.OK(t, err)
			if got := l.(*localLauncher).means; got != means {
				t.Skipf("this system does not have it, but %s", got)
			}
			s, other := launch(t, l), launch(t, l).(*localSession)
			need.Is(t, "the server says", means.String(), s.Identity().Confinement)
			targets := map[string]any{
				"log": p.log, "out": p.out, "tasks": p.tasks, "home": p.home, "tmp": p.tmp,
				"port": p.port, "abstract": p.abstract, "harness": os.Getpid(),
				"other":       filepath.Dir(other.Process.(*process.Process).Cmd.Dir),
				"otherServer": other.Process.(*process.Process).Cmd.Process.Pid, "otherBrowser": other.browser.Cmd.Process.Pid, "otherPort": other.browser.port,
			}
			targets["web"], targets["udp"], targets["free"] = webPort(t, s.(*localSession)), echo(t), visit(t)
			targets["private"] = privateFile()
			// What any user can do with curl.
			for what, port := range map[string]int{"DevTools": other.browser.port, "web": webPort(t, other)} {
				c, err := net.Dial("tcp4", fmt.Sprint("127.0.0.1:", port))
				if err == nil {
					c.Close()
				}
				if reached := err == nil; reached == means.Network {
					t.Errorf("%s of a session from outside: reached %t", what, reached)
				}
			}
			ways := strings.Split(do(t, s, "try", nil).Text(), "\n")
			var reached []string
			var mu sync.Mutex
			try := func(way string) {
				r, err := s.Call(t.Context(), adapter.Call{Tool: "try", Args: args(map[string]any{"way": way, "targets": targets})})
				mu.Lock()
				defer mu.Unlock()
				switch {
				case err != nil:
					t.Errorf("%s: %v", way, err)
				case r.IsError():
					t.Logf("%s: %s", way, r.Text())
				default:
					reached = append(reached, way)
				}
			}
			p.fill(t)
			var group sync.WaitGroup
			for _, way := range waiting {
				group.Go(func() { try(way) })
			}
			group.Wait()
			for _, way := range ways {
				if !slices.Contains(waiting, way) {
					p.fill(t)
					try(way)
				}
			}
			open := ways
			if means != (confine.Means{}) {
				open = gaps(means)
			}
			for _, way := range ways {
				if means == (confine.Means{}) && slices.Contains(maybe, way) {
					continue
				}
				if got, want := slices.Contains(reached, way), slices.Contains(open, way); got != want {
					t.Errorf("%s: reached %t, want %t", way, got, want)
				}
			}
		})
	}
}

// TestConfinedTools goes the ways that the tools of a real OpenChrome offer.
func TestConfinedTools(t *testing.T) {
	dist := need.OpenChrome(t)
	for _, means := range []confine.Means{confine.Candidates()[0], {}} {
		t.Run(means.String(), func(t *testing.T) {
			p := newPlace(t)
			set, ca := testWeb(t)
			l, err := startLocal(t.Context(), LocalOptions{Server: server.OpenChrome(), Package: dist, Sites: set, CA: ca}, []confine.Means{means})
			need.OK(t, err)
			s := launch(t, l)
			text := func(tool string, a map[string]any) string {
				r, err := s.Call(t.Context(), adapter.Call{Tool: tool, Args: args(a)})
				if err != nil {
					t.Fatalf("%s: %v", tool, err)
				}
				return r.Text()
			}
			tab := open(t, s, "https://example.com/")
			reached := map[string]bool{}
			see := func(way, got string) {
				t.Logf("%s: %.300s", way, got)
				reached[way] = strings.Contains(got, "the contract")
			}
			text("javascript_tool", map[string]any{"tabId": tab, "code": `document.body.innerHTML = "<input type=file>"; 1`})
			text("file_upload", map[string]any{"tabId": tab, "selector": "input", "filePaths": []string{p.log}})
			see("file_upload", text("javascript_tool", map[string]any{"tabId": tab, "code": `await document.querySelector("input").files[0].text()`}))
			text("page_pdf", map[string]any{"tabId": tab, "path": p.log})
			if data, err := os.ReadFile(p.log); err != nil || !strings.Contains(string(data), "the contract") {
				reached["page_pdf"] = true
			}
			p.fill(t)
			for _, at := range []string{"", fmt.Sprintf("/proc/%d/root", os.Getpid())} {
				if r, err := s.Call(t.Context(), adapter.Call{Tool: "tabs_create", Args: args(map[string]any{"url": "file://" + at + p.log})}); err == nil {
					see("tabs_create "+at, text("page_content", map[string]any{"tabId": r.TabID()}))
				}
			}
			for _, way := range []string{"file_upload", "page_pdf", "tabs_create ", fmt.Sprintf("tabs_create /proc/%d/root", os.Getpid())} {
				need.Is(t, fmt.Sprintf("%s: reached", way), means == (confine.Means{}), reached[way])
			}
		})
	}
}
