package confine

import (
	"fmt"
	"runtime"
	"slices"
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// arch is this processor in the words of seccomp; 0 if we have no filter for it. Both are
// little-endian and have one system call for each function of sockets.
var arch = map[string]uint32{"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64}[runtime.GOARCH]

// x32 is the bit in the numbers of system calls of another ABI on amd64.
const x32 = 0x40000000

// The places in seccomp_data, see seccomp(2). The kernel uses only the lower 4 bytes of the
// arguments that we look at.
var (
	loadNumber = bpf.LoadAbsolute{Off: 0, Size: 4}
	loadArch   = bpf.LoadAbsolute{Off: 4, Size: 4}
)

func loadArg(n uint32) bpf.Instruction { return bpf.LoadAbsolute{Off: 16 + 8*n, Size: 4} }

var allow = bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW}

func refuse(err unix.Errno) bpf.Instruction {
	return bpf.RetConstant{Val: unix.SECCOMP_RET_ERRNO | uint32(err)}
}

// when runs the block if the test of the loaded value holds.
func when(test bpf.JumpTest, value uint32, block ...bpf.Instruction) []bpf.Instruction {
	return append([]bpf.Instruction{bpf.JumpIf{Cond: test, Val: value, SkipTrue: 1}, bpf.Jump{Skip: uint32(len(block))}}, block...)
}

// keyCalls and ipcCalls reach what outlives a program and is every program's of the user: the
// kernel's keys, and what an IPC namespace holds.
var (
	keyCalls = []uint32{unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_KEYCTL}
	ipcCalls = []uint32{
		unix.SYS_SHMGET, unix.SYS_SHMAT, unix.SYS_SHMCTL, unix.SYS_SEMGET, unix.SYS_SEMOP, unix.SYS_SEMTIMEDOP, unix.SYS_SEMCTL,
		unix.SYS_MSGGET, unix.SYS_MSGSND, unix.SYS_MSGRCV, unix.SYS_MSGCTL, unix.SYS_MQ_OPEN, unix.SYS_MQ_UNLINK,
	}
)

// filter returns a program that refuses sockets of all families but Unix, internet and, if
// interfaces is set, netlink. Virtual machines' sockets (vsock), for instance, are of no
// namespace. With tcpOnly it also refuses what Landlock does not see: datagrams (unless they are
// set), Multipath TCP and TCP Fast Open. It refuses io_uring, which filters do not see.
//
// It refuses keyrings, and without an IPC namespace what would be in it. It also refuses the two ways in which the first program of a process namespace could make
// the kernel end it by SIGKILL: a limit of processor time, and a tracer.
func filter(ipc, interfaces, tcpOnly, datagrams bool) []bpf.Instruction {
	families := slices.Concat([]bpf.Instruction{loadArg(0)}, when(bpf.JumpEqual, unix.AF_UNIX, allow))
	if interfaces {
		families = append(families, when(bpf.JumpEqual, unix.AF_NETLINK, allow)...)
	}
	families = append(families, when(bpf.JumpNotEqual, unix.AF_INET, when(bpf.JumpNotEqual, unix.AF_INET6, refuse(unix.EAFNOSUPPORT))...)...)
	var sends []bpf.Instruction
	if tcpOnly {
		kinds := when(bpf.JumpNotEqual, unix.SOCK_STREAM, refuse(unix.EACCES))
		if datagrams {
			kinds = slices.Concat(when(bpf.JumpEqual, unix.SOCK_DGRAM, allow), kinds)
		}
		families = slices.Concat(families,
			[]bpf.Instruction{loadArg(1), bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: 0xf}}, // without SOCK_CLOEXEC and SOCK_NONBLOCK
			kinds,
			[]bpf.Instruction{loadArg(2)},
			when(bpf.JumpNotEqual, 0, when(bpf.JumpNotEqual, unix.IPPROTO_TCP, refuse(unix.EACCES))...))
		for _, send := range []struct{ call, flags uint32 }{{unix.SYS_SENDTO, 3}, {unix.SYS_SENDMSG, 2}, {unix.SYS_SENDMMSG, 3}} {
			sends = append(sends, when(bpf.JumpEqual, send.call, slices.Concat([]bpf.Instruction{loadArg(send.flags)},
				when(bpf.JumpBitsSet, unix.MSG_FASTOPEN, refuse(unix.EOPNOTSUPP)), []bpf.Instruction{allow})...)...)
		}
	}
	refused := slices.Clone(keyCalls)
	if !ipc {
		refused = append(refused, ipcCalls...)
	}
	var outlives []bpf.Instruction
	for _, call := range refused {
		outlives = append(outlives, when(bpf.JumpEqual, call, refuse(unix.EPERM))...)
	}
	return slices.Concat(
		[]bpf.Instruction{loadArch}, when(bpf.JumpNotEqual, arch, refuse(unix.ENOSYS)),
		[]bpf.Instruction{loadNumber}, when(bpf.JumpGreaterOrEqual, x32, refuse(unix.ENOSYS)),
		when(bpf.JumpEqual, unix.SYS_IO_URING_SETUP, refuse(unix.ENOSYS)),
		when(bpf.JumpEqual, unix.SYS_PTRACE, refuse(unix.EPERM)),
		when(bpf.JumpEqual, unix.SYS_SETRLIMIT, limits(0)...),
		when(bpf.JumpEqual, unix.SYS_PRLIMIT64, limits(1)...),
		outlives, sends,
		when(bpf.JumpEqual, unix.SYS_SOCKET, append(families, allow)...),
		[]bpf.Instruction{allow},
	)
}

// limits refuses the limit of processor time. n is the argument that names the limit.
func limits(n uint32) []bpf.Instruction {
	return slices.Concat([]bpf.Instruction{loadArg(n)}, when(bpf.JumpEqual, unix.RLIMIT_CPU, refuse(unix.EPERM)), []bpf.Instruction{allow})
}

// restrictCalls sets the filter for this thread and the command that it becomes. No
// program can gain privileges after dropPrivileges, so it needs none.
func (o *orders) restrictCalls() error {
	raw, err := bpf.Assemble(filter(o.Namespaces, o.Interfaces, o.Connect != nil, o.Datagrams))
	if err != nil {
		return err
	}
	program := make([]unix.SockFilter, len(raw))
	for i, r := range raw {
		program[i] = unix.SockFilter{Code: r.Op, Jt: r.Jt, Jf: r.Jf, K: r.K}
	}
	f := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	// Without the flag, older kernels make every program slower.
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_SPEC_ALLOW, uintptr(unsafe.Pointer(&f)))
	if errno != 0 {
		return fmt.Errorf("set the filter: %w", errno)
	}
	return nil
}
