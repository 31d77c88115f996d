package confine

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/openchrome/bench/harness/internal/drive/watchdog"
)

// Network is a network with only a loopback interface. Programs in it reach each other and
// the listeners of [Network.Listen]. No other program reaches them, whoever runs it. The nil
// Network is the machine's own.
//
// A copy of this program makes the network and starts programs there. A copy is needed
// because without root only a new process can enter a network namespace, and its children
// inherit it. The kernel removes the network when its last program and socket are gone.
type Network struct {
	conn   *net.UnixConn   // to the copy
	ctx    context.Context // ends with Close
	cancel context.CancelFunc
	ended  chan struct{} // closed when the copy has ended
	stderr bytes.Buffer  // of the copy; read it only after ended is closed
}

// networkTimeout bounds one request to the copy, which takes milliseconds.
const networkTimeout = 30 * time.Second

// request asks the copy to start a program with the attached files, or without a path to listen.
type request struct {
	Path, Dir string
	Args, Env []string
	Sys       *syscall.SysProcAttr
	Port      uint16 // of all addresses; 0: a free one of 127.0.0.1
	Names     bool   // listen for questions for names
}

// reply is the copy's answer. A listener is attached to it.
type reply struct {
	Pid   int
	Error string
}

// NewNetwork returns a new network; nil if m has none. The caller must close it.
func (m Means) NewNetwork() (*Network, error) {
	if !m.Network {
		return nil, nil
	}
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("network: %w", err)
	}
	theirs := os.NewFile(uintptr(fds[1]), "network")
	defer theirs.Close()
	n := &Network{ended: make(chan struct{})}
	n.ctx, n.cancel = context.WithCancel(context.Background())
	if n.conn, err = unixConn(fds[0]); err != nil {
		return nil, fmt.Errorf("network: %w", err)
	}
	raw, _ := json.Marshal(orders{Means: Means{Network: true}}) // encoding strings and numbers cannot fail
	cmd := &exec.Cmd{
		Path: "/proc/self/exe", Args: []string{"openchrome-bench-network"}, Env: []string{env + "=" + string(raw)},
		ExtraFiles: []*os.File{theirs}, Stderr: &n.stderr,
	}
	watchdog.Lead(cmd)
	sameUser(cmd.SysProcAttr, unix.CLONE_NEWUSER|unix.CLONE_NEWNET, unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN, unix.CAP_NET_BIND_SERVICE)
	if err := cmd.Start(); err != nil {
		n.conn.Close()
		return nil, fmt.Errorf("network: %w", err)
	}
	go func() {
		cmd.Wait()
		close(n.ended)
	}()
	return n, nil
}

// unixConn returns the connection of a Unix socket, and closes fd.
func unixConn(fd int) (*net.UnixConn, error) {
	f := os.NewFile(uintptr(fd), "network")
	defer f.Close()
	c, err := net.FileConn(f)
	if err != nil {
		return nil, err
	}
	return c.(*net.UnixConn), nil
}

// Listen listens on a free port of 127.0.0.1 in the network.
func (n *Network) Listen() (net.Listener, error) {
	if n == nil {
		return net.Listen("tcp", "127.0.0.1:0")
	}
	return n.listen(0)
}

func (n *Network) listen(port uint16) (net.Listener, error) {
	f, err := n.open(request{Port: port})
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return net.FileListener(f)
}

func (n *Network) open(q request) (*os.File, error) {
	_, files, err := n.ask(q)
	if err == nil && len(files) != 1 {
		err = errors.New("no socket came")
	}
	if err != nil {
		closeAll(files)
		return nil, fmt.Errorf("network: listen: %w", err)
	}
	return files[0], nil
}

// Start starts cmd in the network, like [exec.Cmd.Start]. [Means.Confine] must have changed
// cmd, and its standard files must be nil or an [os.File].
func (n *Network) Start(cmd *exec.Cmd) error {
	if n == nil {
		return cmd.Start()
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer null.Close()
	files := []*os.File{null, null, null}
	for i, standard := range []any{cmd.Stdin, cmd.Stdout, cmd.Stderr} {
		if f, ok := standard.(*os.File); ok {
			files[i] = f
		}
	}
	sys := *cmd.SysProcAttr
	// With CLONE_PARENT it is our child and not the copy's, so that we can wait for it.
	sys.Cloneflags = sys.Cloneflags&^unix.CLONE_NEWNET | unix.CLONE_PARENT
	r, got, err := n.ask(request{Path: cmd.Path, Dir: cmd.Dir, Args: cmd.Args, Env: cmd.Environ(), Sys: &sys}, append(files, cmd.ExtraFiles...)...)
	closeAll(got)
	if err != nil {
		return fmt.Errorf("network: start %s: %w", cmd.Path, err)
	}
	cmd.Process, err = os.FindProcess(r.Pid)
	return err
}

// Close ends the copy. The network stays for the programs and listeners in it.
func (n *Network) Close() error {
	if n == nil {
		return nil
	}
	n.cancel()
	n.conn.Close() // ends the copy, which reads from it
	<-n.ended
	return nil
}

func (n *Network) ask(q request, files ...*os.File) (r reply, got []*os.File, err error) {
	n.conn.SetDeadline(time.Now().Add(networkTimeout))
	if err = send(n.conn, q, files...); err == nil {
		got, err = receive(n.conn, &r)
	}
	if err != nil {
		n.conn.Close() // a late reply would be taken for the next one
	} else if r.Error != "" {
		err = errors.New(r.Error)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, unix.EPIPE) || errors.Is(err, unix.ECONNRESET) {
		<-n.ended
		err = fmt.Errorf("its copy ended: %s", strings.TrimSpace(n.stderr.String()))
	}
	return r, got, err
}

// serveNetwork does the work of the copy: it sets up the network and serves requests. It returns when its
// socket, which is file 3, closes.
func serveNetwork() error {
	c, err := unixConn(3)
	if err != nil {
		return err
	}
	if err := loopbackUp(); err != nil {
		return fmt.Errorf("start the loopback interface: %w", err)
	}
	for {
		var q request
		files, err := receive(c, &q)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		var r reply
		var made []*os.File
		if q.Path == "" {
			made, err = q.listen()
		} else {
			r.Pid, err = q.start(files)
		}
		if err != nil {
			r.Error = err.Error()
		}
		closeAll(files)
		if err := send(c, r, made...); err != nil {
			return err
		}
		closeAll(made)
	}
}

func (q request) start(files []*os.File) (pid int, err error) {
	var fds []uintptr
	for _, f := range files {
		fds = append(fds, f.Fd())
	}
	return syscall.ForkExec(q.Path, q.Args, &syscall.ProcAttr{Dir: q.Dir, Env: q.Env, Files: fds, Sys: q.Sys})
}

func (q request) listen() ([]*os.File, error) {
	var l interface {
		io.Closer
		File() (*os.File, error)
	}
	var err error
	at := net.IPv4(127, 0, 0, 1)
	if q.Port != 0 || q.Names {
		at, err = nil, ownAll()
	}
	switch {
	case err != nil:
		return nil, err
	case q.Names:
		l, err = net.ListenUDP("udp4", &net.UDPAddr{Port: dns})
	default:
		l, err = net.ListenTCP("tcp4", &net.TCPAddr{IP: at, Port: int(q.Port)})
	}
	if err != nil {
		return nil, err
	}
	defer l.Close()
	f, err := l.File()
	if err != nil {
		return nil, err
	}
	return []*os.File{f}, nil
}

// loopbackUp starts the loopback interface, which is down in a new network namespace.
func loopbackUp() error {
	return setLoopback("", unix.SIOCSIFFLAGS, func(r *unix.Ifreq) { r.SetUint16(unix.IFF_UP) })
}

// setLoopback sets something of the loopback interface, or of one of its addresses.
func setLoopback(address string, what uint, fill func(*unix.Ifreq)) error {
	s, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(s)
	lo, err := unix.NewIfreq("lo" + address)
	if err != nil {
		return err
	}
	fill(lo)
	return unix.IoctlIfreq(s, what, lo)
}

// headerSize is the size in bytes of the length before each message. The files are attached
// to the length.
const headerSize = 8

func send(c *net.UnixConn, v any, files ...*os.File) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return err
	}
	var rights []byte
	if len(files) > 0 {
		var fds []int
		for _, f := range files {
			fds = append(fds, int(f.Fd()))
		}
		rights = unix.UnixRights(fds...)
	}
	if _, _, err := c.WriteMsgUnix(binary.BigEndian.AppendUint64(nil, uint64(len(raw))), rights, nil); err != nil {
		return err
	}
	_, err = c.Write(raw)
	return err
}

// maxFiles is how many files a message can have: the standard files and Chromium's pipe.
const maxFiles = 8

func receive(c *net.UnixConn, v any) (files []*os.File, err error) {
	header, rights := make([]byte, headerSize), make([]byte, unix.CmsgSpace(4*maxFiles))
	n, rn, _, _, err := c.ReadMsgUnix(header, rights)
	if err != nil {
		return nil, err
	}
	messages, err := unix.ParseSocketControlMessage(rights[:rn])
	if err != nil {
		return nil, err
	}
	for _, m := range messages {
		fds, err := unix.ParseUnixRights(&m)
		if err != nil {
			return files, err
		}
		for _, fd := range fds {
			files = append(files, os.NewFile(uintptr(fd), "received"))
		}
	}
	if _, err := io.ReadFull(c, header[n:]); err != nil {
		return files, err
	}
	raw := make([]byte, binary.BigEndian.Uint64(header))
	if _, err := io.ReadFull(c, raw); err != nil {
		return files, err
	}
	return files, json.Unmarshal(raw, v)
}

func closeAll(files []*os.File) {
	for _, f := range files {
		f.Close()
	}
}
