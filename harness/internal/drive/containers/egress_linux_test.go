package containers

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"syscall"
	"testing"

	"github.com/moby/moby/client"

	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/need"
)

// leakMarker is in every foreign name that the tests ask for.
const leakMarker = "bench-leak"

// No packet leaves the network of a run, whatever runs there asks for; and the
// same on the live web does leave, which shows that the capture would see it.
func TestNothingLeaves(t *testing.T) {
	needEngine(t)
	t.Run("server", func(t *testing.T) {
		testNothingLeaves(t, options(t), func(t *testing.T, s session.Session, _ bool) {
			if r := call(t, s, "fetch", "https://example.com/", 0); r.IsError() {
				t.Error(r.Text())
			}
			var all sync.WaitGroup
			for i := range 10 {
				all.Go(func() { call(t, s, "resolve", fmt.Sprintf("h%d.%s.org", i, leakMarker), 0) })
			}
			for _, to := range []string{"udp/192.0.2.7:3478", "udp/8.8.8.8:53", "tcp/192.0.2.7:443", "udp/224.0.0.251:5353"} {
				all.Go(func() { call(t, s, "dial", to, 0) })
			}
			all.Wait()
		})
	})
	t.Run("OpenChrome", func(t *testing.T) {
		o := options(t)
		o.Server, o.Package = "", realPackage(t)
		testNothingLeaves(t, o, func(t *testing.T, s session.Session, live bool) {
			got := browse(t, s, "https://leak.test/", "await window.done")
			if !live && got != "reached: " {
				t.Errorf("the page has %s; want nothing", got)
			}
		})
	})
}

func testNothingLeaves(t *testing.T, o Options, ask func(t *testing.T, s session.Session, live bool)) {
	for _, live := range []bool{false, true} {
		t.Run(map[bool]string{false: "hermetic", true: "live"}[live], func(t *testing.T) {
			e := needEngine(t)
			o.LiveWeb = live
			l := newLauncher(t, o)
			n, err := e.api.NetworkInspect(t.Context(), l.(*launcher).network, client.NetworkInspectOptions{})
			need.OK(t, err)
			capture := startCapture(t, n.Network.IPAM.Config[0].Subnet)
			ask(t, started(t, l), live)
			inside, left := capture.stop()
			if inside == 0 {
				t.Error("no packet of the session was seen; the capture does not work")
			}
			switch {
			case live && len(left) == 0:
				t.Error("on the live web nothing was seen to leave; the capture does not work")
			case !live:
				for what, n := range left {
					t.Errorf("%d packets left: %s", n, what)
				}
			}
		})
	}
}

// capture looks at every packet of this machine: see packet(7).
type capture struct {
	fd     int
	subnet netip.Prefix
	over   chan struct{} // closed by stop
	done   sync.WaitGroup
	inside int            // packets between members of the subnet
	left   map[string]int // what went elsewhere, how often
}

func startCapture(t *testing.T, subnet netip.Prefix) *capture {
	t.Helper()
	const all = syscall.ETH_P_ALL<<8&0xff00 | syscall.ETH_P_ALL>>8
	fd, err := syscall.Socket(syscall.AF_PACKET, syscall.SOCK_DGRAM|syscall.SOCK_CLOEXEC, all)
	if errors.Is(err, syscall.EPERM) {
		t.Skipf("not run, since capturing packets needs root: %v", err)
	}
	need.OK(t, err)
	// Wakes the reader up, so that it sees when the test is over.
	syscall.SetsockoptTimeval(fd, syscall.SOL_SOCKET, syscall.SO_RCVTIMEO, &syscall.Timeval{Usec: 200_000})
	syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_RCVBUF, 8<<20)
	c := &capture{fd: fd, subnet: subnet, over: make(chan struct{}), left: make(map[string]int)}
	t.Cleanup(func() { syscall.Close(fd) })
	c.done.Go(func() {
		buf := make([]byte, 1<<16)
		for {
			n, from, err := syscall.Recvfrom(fd, buf, 0)
			if err == nil {
				c.packet(buf[:n], from.(*syscall.SockaddrLinklayer))
				continue
			}
			select {
			case <-c.over:
				return
			default:
			}
		}
	})
	return c
}

// stop returns what was seen. Packets that are under way are waited for.
func (c *capture) stop() (inside int, left map[string]int) {
	close(c.over)
	c.done.Wait()
	return c.inside, c.left
}

func (c *capture) packet(p []byte, on *syscall.SockaddrLinklayer) {
	src, dst, ok := addresses(p)
	if !ok {
		return
	}
	name := fmt.Sprint("interface ", on.Ifindex)
	if i, err := net.InterfaceByIndex(on.Ifindex); err == nil {
		name = i.Name
	}
	// Multicast goes round inside the network; its bridge is an island.
	round := dst.IsMulticast() && (len(name) > 4 && name[:4] == "veth" || len(name) > 3 && name[:3] == "br-")
	switch {
	case bytes.Contains(p, []byte(leakMarker)):
		c.left[fmt.Sprintf("%s to %s on %s, with %s in it", src, dst, name, leakMarker)]++
	case !c.subnet.Contains(src) || round:
	case c.subnet.Contains(dst):
		c.inside++
	default:
		c.left[fmt.Sprintf("%s to %s on %s", src, dst, name)]++
	}
}

// addresses reads an IP header: RFC 791, RFC 8200.
func addresses(p []byte) (src, dst netip.Addr, ok bool) {
	switch {
	case len(p) >= 20 && p[0]>>4 == 4 && int(binary.BigEndian.Uint16(p[2:])) <= len(p):
		return netip.AddrFrom4([4]byte(p[12:])), netip.AddrFrom4([4]byte(p[16:])), true
	case len(p) >= 40 && p[0]>>4 == 6:
		return netip.AddrFrom16([16]byte(p[8:])), netip.AddrFrom16([16]byte(p[24:])), true
	}
	return src, dst, false
}
