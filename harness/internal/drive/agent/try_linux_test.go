package agent

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/openchrome/bench/harness/internal/drive/confine"
	"github.com/openchrome/bench/harness/internal/drive/watchdog"
	"github.com/openchrome/bench/harness/internal/need"
)

// try tries a way out, such as "read /a/b", and reports whether it works.
func try(way string) bool {
	how, at, _ := strings.Cut(way, " ")
	opens := func(path string, flag int) bool {
		f, err := os.OpenFile(path, flag, 0)
		if err != nil {
			return false
		}
		defer f.Close()
		_, err = f.Read(make([]byte, 1))
		return err == nil || flag != os.O_RDONLY
	}
	dials := func(network string) bool {
		c, err := net.DialTimeout(network, at, time.Second)
		if err != nil {
			return false
		}
		defer c.Close()
		_, err = c.Write([]byte("x"))
		return err == nil
	}
	switch how {
	case "read":
		return opens(at, os.O_RDONLY)
	case "append":
		return opens(at, os.O_WRONLY|os.O_APPEND)
	case "list":
		entries, err := os.ReadDir(at)
		return err == nil && len(entries) > 0
	case "make":
		return os.WriteFile(filepath.Join(at, "made"), nil, 0o600) == nil
	case "symlink":
		return os.Symlink(at, "link") == nil && opens("link", os.O_RDONLY)
	case "hardlink":
		return os.Link(at, "hard") == nil
	case "remove":
		return os.Rename(at, at+".gone") == nil
	case "chmod":
		return os.Chmod(at, 0o777) == nil
	case "tcp", "unix":
		return dials(how)
	case "udp":
		return answered(at)
	case "listen":
		l, err := net.Listen("tcp4", at)
		if err != nil {
			return false
		}
		defer l.Close()
		l.(*net.TCPListener).SetDeadline(time.Now().Add(time.Second))
		_, err = l.Accept()
		return err == nil
	case "fastopen", "mptcp":
		return connects(how, at)
	case "signal":
		pid, _ := strconv.Atoi(at)
		return syscall.Kill(pid, 0) == nil
	case "trace":
		pid, _ := strconv.Atoi(at)
		return opens(fmt.Sprintf("/proc/%d/mem", pid), os.O_RDWR)
	}
	panic(way)
}

// answered reports whether something answers a datagram.
func answered(at string) bool {
	c, err := net.Dial("udp4", at)
	if err != nil {
		return false
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(time.Second))
	c.Write([]byte("x"))
	n, err := c.Read(make([]byte, 9))
	return err == nil && n == 1
}

// echo answers datagrams at an address.
func echo(t *testing.T, at string) (string, bool) {
	c, err := net.ListenPacket("udp4", at)
	if err != nil {
		return "", false
	}
	t.Cleanup(func() { c.Close() })
	go func() {
		for b := make([]byte, 9); ; {
			n, from, err := c.ReadFrom(b)
			if err != nil {
				return
			}
			c.WriteTo(b[:n], from)
		}
	}()
	return c.LocalAddr().String(), true
}

// visit connects to an address again and again while the test runs.
func visit(t *testing.T, at string) {
	tick := time.NewTicker(20 * time.Millisecond)
	t.Cleanup(tick.Stop)
	go func() {
		for t.Context().Err() == nil {
			select {
			case <-tick.C:
			case <-t.Context().Done():
			}
			if c, err := net.Dial("tcp4", at); err == nil {
				c.Close()
			}
		}
	}()
}

// connects connects in a way that Landlock does not see.
func connects(how, at string) bool {
	addr, err := net.ResolveTCPAddr("tcp4", at)
	if err != nil {
		return false
	}
	to := &unix.SockaddrInet4{Port: addr.Port, Addr: [4]byte(addr.IP.To4())}
	protocol := unix.IPPROTO_TCP
	if how == "mptcp" {
		protocol = unix.IPPROTO_MPTCP
	}
	s, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, protocol)
	if err != nil {
		return false
	}
	defer unix.Close(s)
	if how == "mptcp" {
		return unix.Connect(s, to) == nil
	}
	return unix.Sendto(s, []byte("x"), unix.MSG_FASTOPEN, to) == nil
}

// No way leads a confined agent to the contract, the log, keys, other sessions, their DevTools or
// the fixture web. The same ways work without confinement, so that the test can fail.
func TestWaysOut(t *testing.T) {
	home, out, tasks := t.TempDir(), t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	session, remove, err := watchdog.TempDir()
	need.OK(t, err)
	defer remove()
	self, _ := os.Executable()
	write := func(parts ...string) string {
		path := filepath.Join(parts...)
		need.Write(t, path, "secret")
		return path
	}
	contract, log := write(tasks, "t", "task.json"), write(out, "events", "r.jsonl")
	report, key, dot := write(out, "reports", "r.json"), write(home, "seed.key"), write(home, ".ssh", "id")
	profile := write(session, "profile", "Cookies")
	freed := map[string]net.Listener{}
	listen := func(network, at string) string {
		l, err := net.Listen(network, at)
		need.OK(t, err)
		t.Cleanup(func() { l.Close() })
		freed[l.Addr().String()] = l
		return l.Addr().String()
	}
	devtools, web := listen("tcp4", "127.0.0.1:0"), listen("tcp4", "0.0.0.0:0")
	packets, ok := echo(t, "127.0.0.1:0")
	if !ok {
		t.Fatal("no datagrams here")
	}
	free := listen("tcp4", "127.0.0.1:0")
	_, freePort, _ := net.SplitHostPort(free)
	freed[free].Close()
	socket := listen("unix", filepath.Join(session, "s"))
	abstract := listen("unix", fmt.Sprintf("@openchrome-bench-test-%d", os.Getpid()))
	_, webPort, _ := net.SplitHostPort(web)
	me := os.Getpid()
	ways := []string{
		"read " + contract, "list " + tasks, "read " + log, "append " + log, "symlink " + log, "hardlink " + log, "chmod " + log, "remove " + report,
		"read " + report, "read " + self, "read " + key, "read " + dot, "make " + home,
		fmt.Sprintf("read /proc/%d/environ", me), fmt.Sprintf("read /proc/%d/root%s", me, log), fmt.Sprintf("list /proc/%d/cwd", me), fmt.Sprint("trace ", me), fmt.Sprint("signal ", me),
		"read " + profile, "make " + session, "list " + filepath.Dir(session),
		"tcp " + devtools, "mptcp " + devtools, "fastopen " + devtools, "udp " + packets, "listen 0.0.0.0:" + freePort, "tcp 127.0.0.1:" + webPort, "unix " + socket, "unix " + abstract,
	}
	if addrs, err := net.InterfaceAddrs(); err == nil {
		for _, a := range addrs {
			if ip, ok := a.(*net.IPNet); ok && !ip.IP.IsLoopback() && ip.IP.To4() != nil {
				ways = append(ways, "tcp "+net.JoinHostPort(ip.IP.String(), webPort))
				free = net.JoinHostPort(ip.IP.String(), freePort)
				break
			}
		}
	}
	visit(t, free)
	list, _ := json.Marshal(ways)
	work := func(unconfined bool, o Options) (open []string) {
		o.Hide = []string{filepath.Join(out, "events"), filepath.Join(out, "reports"), tasks, key}
		a := scripted(t, "tries "+string(list), o)
		if unconfined {
			a.means = confine.Means{}
		} else if !a.means.Network || a.means.Landlock < 6 || !a.means.Seccomp {
			t.Skipf("this system confines only by %s", a.means)
		}
		p := episode(t.Context(), t, a, 5)
		if p.said.Error != "" || p.err != nil {
			t.Fatal(p.err, p.said.Error)
		}
		for line := range strings.Lines(string(p.said.Output)) {
			if way, ok := strings.CutSuffix(line, ": true\n"); ok {
				open = append(open, way)
			}
		}
		if n := strings.Count(string(p.said.Output), "\n"); n != len(ways) {
			t.Fatalf("%d of %d ways were tried:\n%s", n, len(ways), p.said.Output)
		}
		return open
	}
	if open := work(false, Options{}); open != nil {
		t.Errorf("ways out of the confinement:\n%s", strings.Join(open, "\n"))
	}
	if open := work(false, Options{Read: dot}); len(open) != 1 || open[0] != "read "+dot {
		t.Errorf("with -agentRead=%s, these ways are open: %q", dot, open)
	}
	if open := work(false, Options{Ports: "443"}); len(open) != 0 {
		t.Errorf("with another port, these ways are open: %q", open)
	}
	// A port opens at every address, and DNS.
	_, port, _ := net.SplitHostPort(web)
	name, ok := echo(t, "127.0.0.53:53")
	if !ok {
		name, ok = echo(t, "127.0.0.54:53")
	}
	if ok {
		ways = append(ways, "udp "+name)
		list, _ = json.Marshal(ways)
	}
	var want []string
	for _, way := range ways {
		if strings.HasPrefix(way, "tcp ") && strings.HasSuffix(way, ":"+port) || way == "udp "+name {
			want = append(want, way)
		}
	}
	need.Equal(t, "with a port, these ways are open", want, work(false, Options{Ports: port}))
	if open := work(true, Options{}); len(ways) < 20 || len(open) < len(ways)-4 {
		t.Errorf("only %d of %d ways work without confinement: %q", len(open), len(ways), open)
	}
}
