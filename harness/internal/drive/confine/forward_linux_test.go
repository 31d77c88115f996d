package confine

import (
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/openchrome/bench/harness/internal/need"
)

// A network's way out leads to the ports that were named, at the address that was meant, and closes
// with the network.
func TestForward(t *testing.T) {
	m, n := newNetwork(t)
	const here = "127.0.0.9" // another one than the harness would use by itself
	ended := make(chan error, 1)
	serve := func(text string) *net.TCPAddr {
		l, err := net.Listen("tcp4", here+":0")
		need.OK(t, err)
		t.Cleanup(func() { l.Close() })
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				io.WriteString(c, text)
				if text == "waits" {
					_, err := c.Read(make([]byte, 1))
					ended <- err
				}
				c.Close()
			}
		}()
		return l.Addr().(*net.TCPAddr)
	}
	open, waits, closed := serve("hello"), serve("waits"), serve("closed")
	need.OK(t, n.Forward([]uint16{uint16(open.Port), uint16(waits.Port)}))
	dial := func(at *net.TCPAddr) (said string, code int) {
		cmd, out := dialer(t, m, at.String())
		need.OK(t, n.Start(cmd))
		if at == waits {
			buffer := make([]byte, 5)
			io.ReadFull(out, buffer)
			n.Close()
		}
		cmd.Wait()
		cmd.Stdout.(*os.File).Close()
		text, _ := io.ReadAll(out)
		return string(text), cmd.ProcessState.ExitCode()
	}
	if said, code := dial(open); said != "hello" || code != 7 {
		t.Errorf("through the way out: %q, exit %d", said, code)
	}
	if said, code := dial(closed); code != 1 {
		t.Errorf("to another port: %q, exit %d", said, code)
	}
	dial(waits)
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		t.Error("a connection outlives the network")
	}
}

// All ports together have maxForwarded connections: each takes two files, which other episodes need.
func TestForwardLimit(t *testing.T) {
	m, n := newNetwork(t)
	came := make(chan struct{})
	var ports []uint16
	var addrs []string
	for range 3 {
		l, err := net.Listen("tcp4", "127.0.0.1:0")
		need.OK(t, err)
		defer l.Close()
		go func() {
			for {
				if _, err := l.Accept(); err != nil {
					return
				}
				select {
				case came <- struct{}{}:
				case <-t.Context().Done():
				}
			}
		}()
		ports = append(ports, uint16(l.Addr().(*net.TCPAddr).Port))
		addrs = append(addrs, slices.Repeat([]string{l.Addr().String()}, maxForwarded/2)...)
	}
	need.OK(t, n.Forward(ports))
	cmd, _ := dialer(t, m, strings.Join(addrs, " "))
	need.OK(t, n.Start(cmd))
	defer cmd.Wait()
	defer cmd.Process.Kill()
	for range maxForwarded {
		<-came
	}
	select {
	case <-came:
		t.Errorf("more than %d connections are forwarded", maxForwarded)
	case <-time.After(time.Second):
	}
}
