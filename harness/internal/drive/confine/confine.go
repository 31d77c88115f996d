// Package confine starts programs that can use only permitted files and networks.
//
//  1. [Candidates] lists the kinds of confinement that this system may have, the
//     strongest first. Only trying them shows which one works.
//  2. [Means.Confine] changes a command so that it starts a copy of this program
//     with orders in an environment variable.
//  3. That copy confines itself in the init of this package and then becomes the
//     command: the process, its group and its standard files stay the same.
//  4. [Means.NewNetwork] makes a network for programs that must reach each other, and
//     [Network.Start] starts them there.
//
// This happens in init, and not in a function that main calls, because the inits of other
// packages take 30 ms and the command needs none of them.
package confine

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// env holds the orders for a copy of this program.
const env = "OPENCHROME_BENCH_CONFINE"

// Access lists the files that a program may use. It can always read the system:
// programs, libraries, settings, /proc, /sys and devices such as /dev/null. Of the settings
// in /etc it can read only what every user can, even as root.
type Access struct {
	Read  []string // files, and folders with everything below them, to read and execute
	Write []string // folders with everything below them, for any use except making devices
	// Hide lists files and folders that stay hidden even if a folder of Read or of the
	// system contains them. Paths of Read and Write below them are shown.
	Hide []string
	// Connect lists the TCP ports that it may connect to; nil: all. Landlock from version
	// 4 enforces this. With seccomp, a program with a list cannot use UDP.
	Connect []uint16
	// Datagrams says that a program with a list of ports can use UDP nevertheless, to any
	// address: it needs that to resolve names.
	Datagrams bool
	// Interfaces says that it may list the network's interfaces and learn of their changes.
	// Only seccomp enforces this.
	Interfaces bool
}

// Means says how to confine a program. The zero value confines nothing.
//
// With its own namespaces for mounts, processes, users and IPC, a program has only its own
// files, processes, privileges and shared memory. Landlock alone does not hide the existence of files, and
// lets their owner change their permissions.
//
// With a network of its own, a program reaches only the programs of its session, and only
// they reach it. Seccomp refuses keyrings and sockets that no namespace holds, without
// namespaces System V's shared memory and message queues, and without a network of its own most
// ways around Landlock's rules for TCP.
type Means struct {
	Namespaces bool
	Network    bool // requires Namespaces and Seccomp
	Landlock   int  // the version of its ABI; 0: not used
	Seccomp    bool
}

// String returns the means in words, such as "namespaces, a network of its own, Landlock 7
// and seccomp", or "none".
func (m Means) String() string {
	var words []string
	if m.Namespaces {
		words = append(words, "namespaces")
	}
	if m.Network {
		words = append(words, "a network of its own")
	}
	if m.Landlock > 0 {
		words = append(words, fmt.Sprint("Landlock ", m.Landlock))
	}
	if m.Seccomp {
		words = append(words, "seccomp")
	}
	switch last := len(words) - 1; last {
	case -1:
		return "none"
	case 0:
		return words[0]
	default:
		return strings.Join(words[:last], ", ") + " and " + words[last]
	}
}

// Candidates returns the means that the kernel may have, the strongest first and the
// zero Means last.
func Candidates() []Means { return append(candidates(), Means{}) }

// orders tell the copy of this program how to confine itself and what to become.
type orders struct {
	Means
	Access
	Path, Dir string
	Cover     []string // files and folders below those of Read, to replace by empty ones
}

// Confine changes cmd, whose Path and Dir are set, so that it starts confined.
// Set its Env before. Afterwards you may add to its SysProcAttr, but not replace it.
// The zero Means changes nothing. If the confinement does not work, the command
// prints the reason on stderr when it runs, and exits with status 126.
func (m Means) Confine(cmd *exec.Cmd, a Access) {
	if m == (Means{}) {
		return
	}
	var cover []string
	hide := a.Hide
	if m.Namespaces {
		cover = secrets() // a mount for each entry of /etc would take longer
	} else {
		hide = slices.Concat(hide, secrets())
	}
	a.Read, a.Hide = without(slices.Concat(system, a.Read), hide), nil
	raw, _ := json.Marshal(orders{m, a, cmd.Path, cmd.Dir, cover}) // encoding strings and numbers cannot fail
	cmd.Env = append(slices.Clip(cmd.Environ()), env+"="+string(raw))
	m.prepare(cmd)
}

// settings is the folder whose secrets are hidden, such as passwords and private keys.
const settings = "/etc"

// secrets returns the files and folders below settings that not every user can read. Root
// would own them even without privileges.
var secrets = sync.OnceValue(func() (hidden []string) {
	if os.Geteuid() != 0 {
		return nil // the kernel hides them from the programs of a user
	}
	return unreadable(settings)
})

func unreadable(dir string) (hidden []string) {
	filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.Type()&fs.ModeSymlink != 0 {
			return nil
		}
		info, err := e.Info()
		switch {
		case err != nil:
		case e.IsDir() && info.Mode()&0o001 == 0:
			hidden = append(hidden, path)
			return fs.SkipDir
		case !e.IsDir() && info.Mode()&0o004 == 0:
			hidden = append(hidden, path)
		}
		return nil
	})
	return hidden
}

// without returns the paths that exist and are not hidden. If a folder holds a hidden
// path, its entries take its place.
func without(paths, hidden []string) []string {
	var real []string
	for _, h := range hidden {
		if h == "" {
			continue
		}
		if abs, err := filepath.Abs(h); err == nil {
			h = abs
		}
		if h, err := resolve(h); err == nil {
			real = append(real, h)
		}
	}
	var shown []string
	var show func(path string)
	show = func(path string) {
		where, err := filepath.EvalSymlinks(path)
		if err != nil || slices.Contains(real, where) {
			return
		}
		if !slices.ContainsFunc(real, func(h string) bool { return Within(h, where) }) {
			shown = append(shown, path)
			return
		}
		entries, _ := os.ReadDir(path)
		for _, e := range entries {
			show(filepath.Join(path, e.Name()))
		}
	}
	for _, path := range paths {
		show(path)
	}
	return shown
}

// resolve returns path without symbolic links. The end of path need not exist: the
// folder of a run's reports may not have been made yet.
func resolve(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if dir := filepath.Dir(path); errors.Is(err, fs.ErrNotExist) && dir != path {
		real, err = resolve(dir)
		real = filepath.Join(real, filepath.Base(path))
	}
	return real, err
}

// Within reports whether path is dir or below it.
func Within(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}
