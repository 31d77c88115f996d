// Package confine starts programs that see and write only what they are given.
//
//  1. [Candidates] lists what this system may have for it, the strongest first.
//     Only a try shows what works.
//  2. [Means.Confine] changes a command so that it starts this program once
//     more, with orders in an environment variable.
//  3. That copy confines itself in the init of this package and then becomes the
//     command: the process, its group and its standard files stay the same.
//
// It runs in an init, and not in a function that main calls, because other
// packages of the program take 30 ms to initialise, which nobody needs there.
package confine

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// env holds the orders for a copy of this program.
const env = "OPENCHROME_BENCH_CONFINE"

// Access is what a program may use beside the system: its programs, libraries,
// settings, /proc, /sys and devices such as /dev/null, which are there to read.
type Access struct {
	Read  []string // files and folders, with all below: to read and to execute
	Write []string // folders, with all below: to do anything but make devices
	// Hide are files and folders that are not shown, although a folder of Read
	// or the system holds them. What Read and Write name below them is shown.
	Hide []string
	// Connect are the TCP ports that it may connect to; nil: all. Only Landlock
	// from version 4 holds it to them.
	Connect []uint16
}

// Means are what confines a program. The zero value confines nothing.
//
// Namespaces of its own for mounts, processes and users show a program no file,
// no process and no privilege but its own. Landlock alone does not hide that a
// file is there, and lets its owner change its permissions.
type Means struct {
	Namespaces bool
	Landlock   int // the version of its ABI; 0: without it
}

// String names the means in words: "namespaces and Landlock 7", or "none".
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

// Candidates returns what the kernel may have, the strongest first, the zero
// Means last.
func Candidates() []Means { return append(candidates(), Means{}) }

// orders are for the copy of this program that becomes a command.
type orders struct {
	Means
	Path, Dir   string
	Read, Write []string
	Connect     []uint16
}

// Confine changes cmd, whose Path and Dir are set, so that it starts confined.
// Its Env must be set before, its SysProcAttr may only be added to afterwards.
// The zero Means changes nothing. That the confinement does not work shows when
// the command runs: it says why on stderr, and exits with status 126.
func (m Means) Confine(cmd *exec.Cmd, a Access) {
	if m == (Means{}) {
		return
	}
	raw, _ := json.Marshal(orders{
		Means: m, Path: cmd.Path, Dir: cmd.Dir, Connect: a.Connect, Write: a.Write,
		Read: without(slices.Concat(system, a.Read), a.Hide),
	}) // strings and numbers have no error
	cmd.Env = append(slices.Clip(cmd.Environ()), env+"="+string(raw))
	m.prepare(cmd)
}

// without returns the paths that are there, without what is hidden: of a folder
// that holds something hidden, the entries are named instead.
func without(paths, hidden []string) []string {
	var real []string
	for _, h := range hidden {
		if h == "" {
			continue
		}
		if abs, err := filepath.Abs(h); err == nil {
			h = abs
		}
		if h, err := filepath.EvalSymlinks(h); err == nil {
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

// within reports whether path is dir or below it.
func within(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}
