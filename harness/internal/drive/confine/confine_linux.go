package confine

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"

	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"

	// Imported so that its init runs before ours: a keeper's environment holds our orders,
	// but they are for the program that the keeper starts.
	_ "github.com/openchrome/bench/harness/internal/drive/watchdog"
)

// system lists the paths that every program can read, if they exist. Each kind of
// confinement adds /proc.
var system = []string{
	"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/sys",
	"/var/cache/fontconfig",
	// The targets of /etc/resolv.conf. Beside them is a socket that resolves names.
	"/run/systemd/resolve/resolv.conf", "/run/systemd/resolve/stub-resolv.conf",
	"/nix/store", "/gnu/store", "/run/current-system",
}

// devices lists the devices that every program can read and write.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"}

// minLandlock is the first version that stops a program from truncating files that it may
// not write.
const minLandlock = 3

func candidates() []Means {
	spaces := []Means{{Namespaces: true}}
	if arch != 0 {
		spaces = []Means{{Namespaces: true, Network: true, Seccomp: true}, {Namespaces: true, Seccomp: true}}
	}
	abi, err := ll.LandlockGetABIVersion()
	if err != nil || abi < minLandlock {
		return spaces
	}
	var strongest []Means
	for _, m := range append(slices.Clone(spaces), Means{Seccomp: arch != 0}) {
		m.Landlock = abi
		strongest = append(strongest, m)
	}
	return append(strongest, spaces...)
}

// prepare makes cmd start a copy of this program in new namespaces. The copy may make
// mounts there until it becomes the command. Its network is new and empty; [Network.Start]
// replaces it.
func (m Means) prepare(cmd *exec.Cmd) {
	cmd.Path = "/proc/self/exe"
	if !m.Namespaces {
		return
	}
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = new(syscall.SysProcAttr)
	}
	var network uintptr
	if m.Network {
		network = unix.CLONE_NEWNET
	}
	sameUser(cmd.SysProcAttr, unix.CLONE_NEWUSER|unix.CLONE_NEWNS|unix.CLONE_NEWPID|unix.CLONE_NEWIPC|network, unix.CAP_SYS_ADMIN)
}

// sameUser makes a process start in new namespaces, with these capabilities there and as
// the same user as outside: Chromium has a sandbox for every user but root.
func sameUser(a *syscall.SysProcAttr, namespaces uintptr, caps ...uintptr) {
	a.Cloneflags |= namespaces
	a.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Geteuid(), HostID: os.Geteuid(), Size: 1}}
	a.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getegid(), HostID: os.Getegid(), Size: 1}}
	a.AmbientCaps = caps
}

func init() {
	raw := os.Getenv(env)
	if raw == "" {
		return
	}
	if err := obey(raw); err != nil {
		fmt.Fprintln(os.Stderr, "confine:", err)
		os.Exit(126)
	}
	os.Exit(0)
}

func obey(raw string) error {
	os.Unsetenv(env)
	var o orders
	if err := json.Unmarshal([]byte(raw), &o); err != nil {
		return err
	}
	if o.Path == "" {
		return serveNetwork()
	}
	return o.become()
}

// become confines this process and replaces it by the command. It returns only if that fails.
func (o *orders) become() error {
	runtime.LockOSThread() // each thread has its own privileges, and exec keeps the privileges of this thread
	if o.Namespaces {
		if err := o.enter(); err != nil {
			return fmt.Errorf("namespaces: %w", err)
		}
	}
	// The current folder is still in the old root.
	if err := os.Chdir(o.Dir); err != nil {
		return err
	}
	if o.Landlock > 0 {
		if err := o.restrict(); err != nil {
			return fmt.Errorf("landlock: %w", err)
		}
	}
	if err := dropPrivileges(); err != nil {
		return fmt.Errorf("privileges: %w", err)
	}
	if o.Seccomp {
		if err := o.restrictCalls(); err != nil {
			return fmt.Errorf("seccomp: %w", err)
		}
	}
	return fmt.Errorf("%s: %w", o.Path, syscall.Exec(o.Path, os.Args, os.Environ()))
}

// dropPrivileges drops all capabilities for good. Root is then an ordinary user who owns
// many files.
func dropPrivileges() error {
	var none [2]unix.CapUserData
	return errors.Join(
		unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0),
		unix.Capset(&unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}, &none[0]),
	)
}

// procIsWritable reports whether a program may write to /proc. Chromium's sandbox
// writes to its own folder there. Root has no such sandbox, and could write settings
// of the kernel there.
func procIsWritable() bool { return os.Geteuid() != 0 }
