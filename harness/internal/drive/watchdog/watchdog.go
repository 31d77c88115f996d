// Package watchdog cleans up after this process, however it ends: by a return, a
// panic or kill -9.
//
//  1. The program calls [Main] before anything else. Main returns at once.
//  2. [Guard] says what to clean up if this process dies: a kind and an
//     argument. The first Guard starts the watchdog, a second copy of the
//     program in its own session. Each Guard sends the watchdog a JSON line.
//  3. When the process ends, for whatever reason, the pipe between the two closes.
//     The watchdog then runs the handlers of all guards that were not released.
//  4. At the next start, [Sweep] removes what is still left, such as folders after
//     a power cut.
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

// maxStarts bounds how many watchdogs are started, because a watchdog that died is replaced.
const maxStarts = 4

// sendTimeout bounds how long a suspended watchdog can block us.
const sendTimeout = time.Second

var guards = owner{held: make(map[int]message)}

// owner is the guarded process's side.
type owner struct {
	mu     sync.Mutex
	last   int
	held   map[int]message
	pipe   *os.File    // nil: no watchdog runs
	dog    *os.Process // at the other end of the pipe
	starts int
}

func (o *owner) add(kind, arg string) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.last++
	m := message{ID: o.last, Kind: kind, Arg: arg}
	o.held[m.ID] = m
	if o.pipe == nil {
		o.start()
	} else {
		o.send(m)
	}
	return m.ID
}

func (o *owner) remove(id int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.held, id)
	if o.pipe != nil {
		o.send(message{ID: id, Remove: true})
	}
}

// pipeHolds is how many bytes a pipe takes while nobody reads it, on every system.
const pipeHolds = 4 << 10

// start starts a watchdog and sends it all messages that are held. If the pipe can hold
// them, they are in it before the watchdog starts: it then knows them even if this process
// is killed at once.
func (o *owner) start() {
	if !capable.Load() || o.starts == maxStarts {
		return
	}
	o.starts++
	r, w, err := os.Pipe()
	if err != nil {
		return
	}
	var held []byte
	for id := 1; id <= o.last; id++ {
		if m, ok := o.held[id]; ok {
			held = append(held, m.line()...)
		}
	}
	early := len(held) <= pipeHolds
	cmd, err := command()
	if err == nil && early {
		_, err = w.Write(held)
	}
	if err == nil {
		cmd.Stdin = r
		err = cmd.Start()
	}
	r.Close()
	if err != nil {
		w.Close()
		return
	}
	o.pipe, o.dog = w, cmd.Process
	go func() {
		cmd.Wait()
		o.lost(w)
	}()
	if !early {
		o.write(held)
	}
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

func (o *owner) send(m message) { o.write(m.line()) }

// write writes lines. It kills a watchdog that does not read them, and lost then starts
// another. The pipe stays open until the watchdog has ended, because a suspended watchdog
// would interpret a closed pipe as our death.
func (o *owner) write(lines []byte) {
	o.pipe.SetWriteDeadline(time.Now().Add(sendTimeout))
	if _, err := o.pipe.Write(lines); err != nil {
		o.dog.Kill()
		o.pipe = nil
	}
}

// lost is called when the watchdog at the other end of w has ended.
func (o *owner) lost(w *os.File) {
	o.mu.Lock()
	defer o.mu.Unlock()
	w.Close()
	if o.pipe == w {
		o.pipe = nil
	}
	if o.pipe == nil && len(o.held) > 0 {
		o.start()
	}
}
