package confine

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/openchrome/bench/harness/internal/need"
)

// dialEnv makes the test binary dial addresses, print what it reads at the last one, and exit with 7.
const dialEnv = "CONFINE_TEST_DIAL"

func TestMain(m *testing.M) {
	if id := os.Getenv(ipcEnv); id != "" {
		goIPC(id)
		os.Exit(0)
	}
	addrs := strings.Fields(os.Getenv(dialEnv))
	if len(addrs) == 0 {
		os.Exit(m.Run())
	}
	var all []net.Conn
	for _, addr := range addrs {
		c, err := net.Dial("tcp", addr)
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		all = append(all, c)
	}
	io.Copy(os.Stdout, all[len(all)-1])
	os.Exit(7)
}

func newNetwork(t testing.TB) (Means, *Network) {
	t.Helper()
	all := Candidates()
	i := slices.IndexFunc(all, func(m Means) bool { return m.Network })
	if i < 0 {
		t.Skip("no filter of system calls for this processor")
	}
	n, err := all[i].NewNetwork()
	if err == nil {
		t.Cleanup(func() { n.Close() })
		var l net.Listener
		if l, err = n.Listen(); err == nil {
			l.Close()
		}
	}
	if err != nil {
		need.Missing(t, err)
	}
	return all[i], n
}

// dialer returns a command that dials the address in the network, and where its output goes.
func dialer(t testing.TB, m Means, addr string) (*exec.Cmd, *os.File) {
	t.Helper()
	out, w, err := os.Pipe()
	need.OK(t, err)
	t.Cleanup(func() { out.Close(); w.Close() })
	cmd := exec.Command(os.Args[0])
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = t.TempDir(), []string{dialEnv + "=" + addr}, w, w
	m.Confine(cmd, Access{Read: []string{filepath.Dir(os.Args[0])}, Write: []string{cmd.Dir}})
	return cmd, out
}

// Only programs in a network reach its listeners, even after its copy has ended.
func TestNetwork(t *testing.T) {
	m, n := newNetwork(t)
	l, err := n.Listen()
	need.OK(t, err)
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			io.WriteString(c, "hello")
			c.Close()
		}
	}()
	addr := l.Addr().String()
	if c, err := net.Dial("tcp", addr); err == nil {
		c.Close()
		t.Error("reached from outside")
	}
	inside, out := dialer(t, m, addr)
	need.OK(t, n.Start(inside))
	n.Close()
	err = inside.Wait()
	inside.Stdout.(*os.File).Close()
	if said, _ := io.ReadAll(out); string(said) != "hello" || inside.ProcessState.ExitCode() != 7 {
		t.Errorf("inside: %v, %q", err, said)
	}
	need.Fails(t, n.Start(inside), "")

	// A program that is started without one has an empty network.
	alone, out := dialer(t, m, addr)
	need.Fails(t, alone.Run(), "")
	alone.Stdout.(*os.File).Close()
	if said, _ := io.ReadAll(out); !bytes.Contains(said, []byte("unreachable")) {
		t.Errorf("from another network: %q", said)
	}
}

// A network ends with us: its copy reads from a socket that only we hold.
func TestNetworkCloses(t *testing.T) {
	_, n := newNetwork(t)
	need.OK(t, n.Close())
	need.OK(t, n.Close())
	need.Fails(t, need.Err(n.Listen()), "")
}

func TestUnreadable(t *testing.T) {
	dir := t.TempDir()
	for name, mode := range map[string]os.FileMode{
		"passwd": 0o644, "shadow": 0o640, "keys/cert.pem": 0o644, "keys/key.pem": 0o600, "private/key.pem": 0o644, "listed/key.pem": 0o600,
	} {
		path := filepath.Join(dir, name)
		need.OK(t, os.MkdirAll(filepath.Dir(path), 0o755))
		need.OK(t, os.WriteFile(path, nil, mode))
	}
	need.OK(t, os.Symlink("passwd", filepath.Join(dir, "link")))
	for name, mode := range map[string]os.FileMode{"private": 0o710, "listed": 0o711} {
		need.OK(t, os.Chmod(filepath.Join(dir, name), mode))
	}
	var got []string
	for _, path := range unreadable(dir) {
		rel, err := filepath.Rel(dir, path)
		need.OK(t, err)
		got = append(got, rel)
	}
	want := []string{"keys/key.pem", "listed/key.pem", "private", "shadow"}
	need.Equal(t, "", want, got)
}

// After a message that is not a reply, nothing is read as the reply to the next request.
func TestAskAfterError(t *testing.T) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	need.OK(t, err)
	ours, err := unixConn(fds[0])
	need.OK(t, err)
	theirs, err := unixConn(fds[1])
	need.OK(t, err)
	defer theirs.Close()
	need.OK(t, errors.Join(send(theirs, []string{"no reply"}), send(theirs, reply{Pid: 1})))
	n := &Network{conn: ours, ended: make(chan struct{})}
	if _, _, err := n.ask(request{}); err == nil {
		t.Fatal("no error")
	}
	if r, _, err := n.ask(request{}); err == nil {
		t.Errorf("the next request got %+v", r)
	}
}
