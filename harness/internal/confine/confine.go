// Package confine starts programs that can read and write only permitted files.
//
//  1. [Candidates] lists the kinds of confinement that this system may have, the
//     strongest first. Only trying them shows which one works.
//  2. [Means.Confine] changes a command so that it starts a copy of this program
//     with orders in an environment variable.
//  3. That copy confines itself in the init of this package and then becomes the
//     command: the process, its group and its standard files stay the same.
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
)

// env holds the orders for a copy of this program.
const env = "OPENCHROME_BENCH_CONFINE"

// Access lists the files that a program may use. It can always read the system:
// programs, libraries, settings, /proc, /sys and devices such as /dev/null.
type Access struct {
	Read  []string // files, and folders with everything below them, to read and execute
	Write []string // folders with everything below them, for any use except making devices
	// Hide lists files and folders that stay hidden even if a folder of Read or of the
	// system contains them. Paths of Read and Write below them are shown.
	Hide []string
	// Connect lists the TCP ports that it may connect to; nil: all. Only Landlock
	// from version 4 enforces this.
	Connect []uint16
}

// Means says how to confine a program. The zero value confines nothing.
//
// With its own namespaces for mounts, processes and users, a program has only its own
// files, processes and privileges. Landlock alone does not hide the existence of files, and
// lets their owner change their permissions.
type Means struct {
	Namespaces bool
	Landlock   int // the version of its ABI; 0: not used
}

// String returns the means in words: "namespaces and Landlock 7", or "none".
func (m Means) String() string {
	var words []string
	if m.Namespaces {
		words = append(words, "namespaces")
	}
	if m.Landlock > 0 {
		words = append(words, fmt.Sprint("Landlock ", m.Landlock))
	}
	if words == nil {
		return "none"
	}
	return strings.Join(words, " and ")
}

// Candidates returns the means that the kernel may have, the strongest first and the
// zero Means last.
func Candidates() []Means { return append(candidates(), Means{}) }

// orders tell the copy of this program how to confine itself and what to become.
type orders struct {
	Means
	Path, Dir   string
	Read, Write []string
	Connect     []uint16
}

// Confine changes cmd, whose Path and Dir are set, so that it starts confined.
// Set its Env before. Afterwards you may add to its SysProcAttr, but not replace it.
// The zero Means changes nothing. If the confinement does not work, the command
// prints the reason on stderr when it runs, and exits with status 126.
func (m Means) Confine(cmd *exec.Cmd, a Access) {
	if m == (Means{}) {
		return
	}
	raw, _ := json.Marshal(orders{
		Means: m, Path: cmd.Path, Dir: cmd.Dir, Connect: a.Connect, Write: a.Write,
		Read: without(slices.Concat(system, a.Read), a.Hide),
	}) // encoding strings and numbers cannot fail
	cmd.Env = append(slices.Clip(cmd.Environ()), env+"="+string(raw))
	m.prepare(cmd)
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
		if !slices.ContainsFunc(real, func(h string) bool { return within(h, where) }) {
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

// within reports whether path is dir or below it.
func within(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}
