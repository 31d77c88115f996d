package launch

import (
	"fmt"
	"net"
	"os"
	"strconv"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// nativeWays are ways that JavaScript does not have. A server may start any program.
var nativeWays = map[string]func(port int) error{
	"fastopen": func(port int) error {
		s, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
		if err != nil {
			return err
		}
		return unix.Sendto(s, []byte("GET / HTTP/1.0\r\n\r\n"), unix.MSG_FASTOPEN, onLoopback(port))
	},
	"fastopen-msg": func(port int) error {
		s, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
		if err != nil {
			return err
		}
		return unix.Sendmsg(s, []byte("GET / HTTP/1.0\r\n\r\n"), nil, onLoopback(port), unix.MSG_FASTOPEN)
	},
	"multipath": func(port int) error {
		s, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, unix.IPPROTO_MPTCP)
		if err != nil {
			return err
		}
		return unix.Connect(s, onLoopback(port))
	},
	"vsock": func(int) error {
		_, err := unix.Socket(unix.AF_VSOCK, unix.SOCK_STREAM, 0)
		return err
	},
	"uring": func(int) error {
		var params [120]byte
		_, _, errno := unix.Syscall(unix.SYS_IO_URING_SETUP, 1, uintptr(unsafe.Pointer(&params)), 0)
		if errno != 0 {
			return errno
		}
		return nil
	},
	"datagram": func(port int) error {
		c, err := net.Dial("udp4", fmt.Sprint("127.0.0.1:", port))
		if err != nil {
			return err
		}
		c.SetDeadline(time.Now().Add(time.Second))
		if _, err := c.Write([]byte("secret")); err != nil {
			return err
		}
		_, err = c.Read(make([]byte, 9))
		return err
	},
}

func onLoopback(port int) *unix.SockaddrInet4 {
	return &unix.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}}
}

func init() { servers["native"] = native }

// native tries the way that the arguments name: the way and a port.
func native() {
	port, err := strconv.Atoi(os.Args[2])
	if err == nil {
		err = nativeWays[os.Args[1]](port)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
