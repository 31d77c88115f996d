package confine

import (
	"cmp"
	"context"
	"io"
	"net"
	"strconv"
	"sync"
	"time"

	"golang.org/x/net/ipv4"
	"golang.org/x/sys/unix"
)

const (
	dns = 53

	// maxForwarded is how many connections, and maxAsked how many questions for names, are forwarded at
	// a time. More connections wait, and more questions are lost: programs ask again.
	maxForwarded = 32
	maxAsked     = 8
	maxDatagram  = 4 << 10 // bytes of a question or an answer; what is longer comes over TCP
	nameTimeout  = 5 * time.Second
)

// Forward opens the network's way out: to these TCP ports and the DNS servers of every IPv4
// address. There every address is the network's own, so what is sent to it arrives here and is
// sent on by this process. Close ends it. It does nothing for the machine's network.
func (n *Network) Forward(ports []uint16) error {
	if n == nil {
		return nil
	}
	slots := make(chan struct{}, maxForwarded)
	for _, port := range ports {
		l, err := n.listen(port)
		if err != nil {
			return err
		}
		context.AfterFunc(n.ctx, func() { l.Close() })
		go func() {
			for c, err := l.Accept(); err == nil; c, err = l.Accept() {
				slots <- struct{}{} // does not wait forever: forward ends with the network
				go func() { n.forward(c); <-slots }()
			}
		}()
	}
	f, err := n.open(request{Names: true})
	if err != nil {
		return err
	}
	defer f.Close()
	c, err := net.FilePacketConn(f)
	if err != nil {
		return err
	}
	context.AfterFunc(n.ctx, func() { c.Close() })
	names := ipv4.NewPacketConn(c)
	if err := names.SetControlMessage(ipv4.FlagDst, true); err != nil {
		return err
	}
	for range maxAsked {
		go n.answer(names)
	}
	return nil
}

// forward connects in with the address that it was meant for.
func (n *Network) forward(in net.Conn) {
	defer in.Close()
	out, err := new(net.Dialer).DialContext(n.ctx, "tcp4", in.LocalAddr().String())
	if err != nil {
		return
	}
	defer out.Close()
	defer context.AfterFunc(n.ctx, func() { in.Close(); out.Close() })()
	var both sync.WaitGroup
	both.Go(func() { io.Copy(out, in); out.(*net.TCPConn).CloseWrite() })
	both.Go(func() { io.Copy(in, out); in.Close() })
	both.Wait()
}

// answer sends questions on to the server that they are meant for, and its answers back, one by
// one.
func (n *Network) answer(names *ipv4.PacketConn) {
	data := make([]byte, maxDatagram)
	for {
		size, meant, from, err := names.ReadFrom(data)
		if err != nil {
			return
		}
		out, err := net.DialUDP("udp4", nil, &net.UDPAddr{IP: meant.Dst, Port: dns})
		if err != nil {
			continue
		}
		out.SetDeadline(time.Now().Add(nameTimeout))
		out.Write(data[:size])
		if size, err = out.Read(data); err == nil {
			names.WriteTo(data[:size], &ipv4.ControlMessage{Src: meant.Dst}, from)
		}
		out.Close()
	}
}

// ownAll makes every IPv4 address one of the loopback interface, by networks that double in
// size: 1.0.0.0/8, 2.0.0.0/7, up to 128.0.0.0/1.
func ownAll() error {
	set := func(bit int, what uint, first int) error {
		return setLoopback(":"+strconv.Itoa(bit), what, func(r *unix.Ifreq) { r.SetInet4Addr([]byte{byte(first), 0, 0, 0}) })
	}
	for bit := range 8 {
		if err := cmp.Or(set(bit, unix.SIOCSIFADDR, 1<<bit), set(bit, unix.SIOCSIFNETMASK, 0xff<<bit)); err != nil {
			return err
		}
	}
	return nil
}
