package confine

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/openchrome/bench/harness/internal/need"
)

// ipcEnv makes the test binary go the ways to what outlives a program, and print those that work. Its
// value is the id of a segment that was made outside.
const ipcEnv = "CONFINE_TEST_IPC"

// The keys of what is made outside and inside, and the name of a key and a queue.
const (
	outside = 0x0b5e0001
	inside  = 0x0b5e0002
)

const named = "openchrome-bench-test"

// goIPC goes each way. Its words are what it found there.
func goIPC(id string) {
	segment := 0
	fmt.Sscan(id, &segment)
	say := func(way string, ok bool) {
		if ok {
			fmt.Println(way)
		}
	}
	other, err := unix.SysvShmGet(outside, 0, 0)
	say("open a segment", err == nil && reads(other) == "secret")
	say("attach a segment by its id", reads(segment) == "secret")
	left, err := unix.SysvShmGet(inside, 8, 0)
	say("find what the program before left", err == nil && reads(left) == "left")
	if left, err = unix.SysvShmGet(inside, 8, unix.IPC_CREAT|0o600); err == nil {
		if data, err := unix.SysvShmAttach(left, 0, 0); err == nil {
			copy(data, "left")
			say("make a segment", true)
		}
	}
	for way, call := range map[string]uintptr{"make a semaphore": unix.SYS_SEMGET, "make a queue": unix.SYS_MSGGET} {
		args := [3]uintptr{uintptr(inside), unix.IPC_CREAT | 0o600}
		if call == unix.SYS_SEMGET {
			args = [3]uintptr{uintptr(inside), 1, unix.IPC_CREAT | 0o600}
		}
		_, _, errno := unix.Syscall(call, args[0], args[1], args[2])
		say(way, errno == 0)
	}
	name := append([]byte(named), 0)
	_, _, errno := unix.Syscall6(unix.SYS_MQ_OPEN, uintptr(unsafe.Pointer(&name[0])), unix.O_CREAT|unix.O_RDWR, 0o600, 0, 0, 0)
	say("make a POSIX queue", errno == 0)
	key, err := unix.KeyctlSearch(unix.KEY_SPEC_SESSION_KEYRING, "user", named, 0)
	data := make([]byte, 6)
	if err == nil {
		_, err = unix.KeyctlBuffer(unix.KEYCTL_READ, key, data, 0)
	}
	say("read a key", err == nil && string(data) == "secret")
	_, err = unix.RequestKey("user", named, "", 0)
	say("request a key", err == nil)
	_, err = unix.AddKey("user", named+"-left", []byte("x"), unix.KEY_SPEC_USER_KEYRING)
	say("leave a key", err == nil)
}

func reads(segment int) string {
	data, err := unix.SysvShmAttach(segment, 0, unix.SHM_RDONLY)
	if err != nil {
		return ""
	}
	defer unix.SysvShmDetach(data)
	return strings.TrimRight(string(data[:min(len(data), 6)]), "\x00")
}

// clean removes what a program may have left, and says what that was.
func clean() (left []string) {
	remove := func(what string, get, control uintptr, args ...uintptr) {
		id, _, errno := unix.Syscall(get, uintptr(inside), args[0], args[1])
		if errno == 0 {
			left = append(left, what)
			unix.Syscall6(control, id, args[2], args[3], 0, 0, 0)
		}
	}
	remove("a segment", unix.SYS_SHMGET, unix.SYS_SHMCTL, 0, 0, unix.IPC_RMID, 0)
	remove("a semaphore", unix.SYS_SEMGET, unix.SYS_SEMCTL, 0, 0, 0, unix.IPC_RMID)
	remove("a queue", unix.SYS_MSGGET, unix.SYS_MSGCTL, 0, 0, unix.IPC_RMID, 0)
	name := append([]byte(named), 0)
	if _, _, errno := unix.Syscall(unix.SYS_MQ_UNLINK, uintptr(unsafe.Pointer(&name[0])), 0, 0); errno == 0 {
		left = append(left, "a POSIX queue")
	}
	if key, err := unix.KeyctlSearch(unix.KEY_SPEC_USER_KEYRING, "user", named+"-left", 0); err == nil {
		left = append(left, "a key")
		unix.KeyctlInt(unix.KEYCTL_UNLINK, key, unix.KEY_SPEC_USER_KEYRING, 0, 0)
	}
	return left
}

// A confined program finds no shared memory and no key of others, also not of the program before
// it, and leaves none. Unconfined it goes all ways, so that the test can fail.
func TestNothingOutlives(t *testing.T) {
	segment, err := unix.SysvShmGet(outside, 8, unix.IPC_CREAT|unix.IPC_EXCL|0o600)
	if err != nil {
		t.Skipf("no shared memory here: %v", err)
	}
	defer unix.SysvShmCtl(segment, unix.IPC_RMID, nil)
	data, err := unix.SysvShmAttach(segment, 0, 0)
	need.OK(t, err)
	defer unix.SysvShmDetach(data)
	copy(data, "secret")
	keys := false // containers often refuse them
	run := func(t *testing.T, m Means) (ways []string) {
		t.Helper()
		runtime.LockOSThread() // a session keyring is a thread's
		if _, err := unix.KeyctlJoinSessionKeyring(named); err == nil {
			_, err = unix.AddKey("user", named, []byte("secret"), unix.KEY_SPEC_SESSION_KEYRING)
			keys = err == nil
		}
		cmd := exec.Command(os.Args[0])
		cmd.Dir, cmd.Env = t.TempDir(), []string{fmt.Sprint(ipcEnv, "=", segment)}
		m.Confine(cmd, Access{Read: []string{filepath.Dir(os.Args[0])}, Write: []string{cmd.Dir}})
		out, err := cmd.CombinedOutput()
		if err != nil && m != (Means{}) {
			t.Skipf("not on this system: %v: %s", err, out)
		}
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		for line := range strings.Lines(string(out)) {
			ways = append(ways, strings.TrimSpace(line))
		}
		return ways
	}
	for _, m := range Candidates() {
		t.Run(m.String(), func(t *testing.T) {
			defer clean()
			first, second, left := run(t, m), run(t, m), clean()
			if m == (Means{}) {
				if want := map[bool]int{true: 10, false: 7}[keys]; len(first) != want-1 || len(second) != want || len(left) < 4 {
					t.Errorf("unconfined, these ways work: %q, then %q; left: %q", first, second, left)
				}
				return
			}
			var want []string
			if m.Namespaces { // of its own
				want = []string{"make a queue", "make a segment", "make a semaphore"}
				if m.Landlock == 0 { // which sees a queue as a file
					want = append([]string{"make a POSIX queue"}, want...)
				}
			}
			for _, got := range [][]string{first, second} {
				need.Equal(t, "ways", want, slices.Sorted(slices.Values(got)))
			}
			if left != nil {
				t.Errorf("left: %q", left)
			}
		})
	}
}
