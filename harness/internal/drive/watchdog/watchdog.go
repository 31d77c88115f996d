// Package watchdog cleans up after this process, however it ends: by a return, a
// panic or kill -9.
//
//  1. The program calls [Main] before anything else. Main returns at once.
//  2. [Guard] says what to clean up if this process dies: a kind and an
//     argument. The first Guard starts the watchdog, a second copy of the
//     program in its own session. Each Guard sends the watchdog a JSON line.
//  3. When the process ends, for whatever reason, the pipe between the two closes.
//     The watchdog then runs the handlers of all guards that were not released.
//  4. At the next start, [Sweep] removes the folders that are still left, such as after
//     a power cut, or if the watchdog was killed too.
//
// On Linux a program that may start others runs below a keeper ([Keep]), which is another
// copy of this program. No descendant can escape from a keeper.
//
// The kinds known here are process groups ([Group]) and temporary folders
// ([TempDir]); other packages add theirs with [Handle].
package watchdog

import (
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// env is set in a watchdog's environment.
const env = "OPENCHROME_BENCH_WATCHDOG"

// A message goes from the process to its watchdog, as one line.
type message struct {
	ID     int    `json:"id"`
	Kind   string `json:"kind,omitempty"`
	Arg    string `json:"arg,omitempty"`
	Remove bool   `json:"remove,omitempty"`
}

func (m message) line() []byte {
	line, _ := json.Marshal(m) // encoding strings, numbers and booleans cannot fail
	return append(line, '\n')
}

// capable is set by Main. Without Main, a copy of this program would not become a watchdog
// but do all the program's work again.
var capable atomic.Bool

// Main makes the process a watchdog if it was started as one, and then never returns. It
// must run before the program does anything else: in an init of package main, or as the
// first line of a TestMain. In a program that never calls it, Guard guards nothing.
func Main() {
	if os.Getenv(env) == "" {
		capable.Store(true)
		return
	}
	os.Unsetenv(env)
	serve(os.Stdin)
	os.Exit(0)
}

// Guard makes the watchdog call the handler of kind with arg if this process ends before
// release is called. Handlers of one kind run one after the other, the latest Guard first.
// Guard does not fail: without a watchdog the process goes on unguarded. Several goroutines
// may call it.
func Guard(kind, arg string) (release func()) {
	id := guards.add(kind, arg)
	return sync.OnceFunc(func() { guards.remove(id) })
}

// sendTimeout bounds how long a suspended watchdog can block us.
const sendTimeout = time.Second

var guards guarded

// guarded is the guarded process's side.
type guarded struct {
	mu   sync.Mutex
	last int
	pipe *os.File    // nil: no watchdog runs
	dog  *os.Process // at the other end of the pipe
}

func (o *guarded) add(kind, arg string) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.last++
	m := message{ID: o.last, Kind: kind, Arg: arg}
	if o.last == 1 {
		o.start(m)
	} else {
		o.send(m)
	}
	return m.ID
}

func (o *guarded) remove(id int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.send(message{ID: id, Remove: true})
}

// start starts the watchdog. The first message is in its pipe before: it then knows it even if
// this process is killed at once.
func (o *guarded) start(m message) {
	if !capable.Load() {
		return
	}
	r, w, err := os.Pipe()
	if err != nil {
		return
	}
	defer r.Close()
	cmd, err := command()
	if err == nil {
		_, err = w.Write(m.line())
	}
	if err == nil {
		cmd.Stdin = r
		err = cmd.Start()
	}
	if err != nil {
		w.Close()
		return
	}
	o.pipe, o.dog = w, cmd.Process
	go cmd.Wait()
}

// TokenEnv is the environment variable with the bearer token for an OpenChrome
// that someone else runs.
const TokenEnv = "OPENCHROME_BENCH_TOKEN"

// Environ returns the environment for programs that we start. It is ours without the token,
// which they do not need.
func Environ() []string {
	return slices.DeleteFunc(os.Environ(), func(e string) bool { return strings.HasPrefix(e, TokenEnv+"=") })
}

// command returns the command for a watchdog: this program, without our terminal and
// outside our group. It does not inherit stdout and stderr, because their readers wait
// until all writers end.
func command() (*exec.Cmd, error) {
	self, err := executable()
	if err != nil {
		return nil, err
	}
	bases, err := tempBases()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self)
	cmd.Args[0] = "openchrome-bench-watchdog"
	cmd.Env = append(Environ(), env+"=1")
	cmd.Dir = bases[0]
	cmd.SysProcAttr = detached()
	return cmd, nil
}

// send writes a message. It kills a watchdog that does not read it, because a suspended one would
// take the end of the pipe for our death when it goes on.
func (o *guarded) send(m message) {
	if o.pipe == nil {
		return
	}
	o.pipe.SetWriteDeadline(time.Now().Add(sendTimeout))
	if _, err := o.pipe.Write(m.line()); err != nil {
		o.dog.Kill()
		o.pipe = nil
	}
}
