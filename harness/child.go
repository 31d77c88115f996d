package harness

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/openchrome/bench/harness/internal/program"
	"github.com/openchrome/bench/harness/watchdog"
)

// childEnv holds the options, as JSON, of a run in a process of its own.
const childEnv = "OPENCHROME_BENCH_CHILD"

// Main is called first thing by every program that uses this package, before
// flags are read: bench:verify and the watchdog start the program itself again.
// In a program that a person started it refuses wrong arguments.
func Main() {
	watchdog.Main()
	// A run allocates much and keeps little: collected less often it takes a
	// sixth less time.
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	raw := os.Getenv(childEnv)
	if raw == "" {
		program.Arguments()
		return
	}
	os.Unsetenv(childEnv)
	var o Options
	err := json.Unmarshal([]byte(raw), &o)
	if err == nil {
		o.child = true
		err = Run(context.Background(), o)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(ExitCode(err))
}

// conditions are what may not change what a run does.
type conditions struct {
	order, parallel  int
	timeZone, locale string
}

func (c conditions) String() string {
	return fmt.Sprintf("order %d, parallel %d, TZ=%s, LC_ALL=%s", c.order, c.parallel, c.timeZone, c.locale)
}

// condition returns the n-th run's conditions. The first has the order of the
// tasks and one episode at a time.
func condition(n int) conditions {
	zones := []string{"UTC", "Asia/Kathmandu", "America/St_Johns", "Pacific/Kiritimati"}
	locales := []string{"C", "de_DE.UTF-8", "tr_TR.UTF-8", "ar_EG.UTF-8", "ja_JP.UTF-8"}
	return conditions{n, 1 + n%4, zones[n%len(zones)], locales[n%len(locales)]}
}

// run does one run in a process of its own, in a new working folder and HOME.
func (v *verifier) run(ctx context.Context, o Options, c conditions) error {
	o.Stdout, o.Stderr = nil, nil
	raw, err := json.Marshal(o)
	if err != nil {
		return err
	}
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	home, err := os.MkdirTemp(v.others, "home-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(home)
	var stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, exe)
	cmd.Env = append(v.environ(), childEnv+"="+string(raw), "HOME="+home, "TZ="+c.timeZone, "LC_ALL="+c.locale, "LANG="+c.locale)
	cmd.Dir, cmd.Stderr = home, &stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 4 * time.Second
	if err := cmd.Run(); err != nil {
		exit, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			return err
		}
		if name := endedBy(exit.ProcessState); name != "" {
			return &signalled{name}
		}
		return &ExitError{exit.ExitCode(), errors.New(strings.TrimSpace(stderr.String()))}
	}
	return nil
}

// signalled is the error of a process that a signal ended.
type signalled struct{ name string }

func (e *signalled) Error() string { return "was ended by " + e.name }

// environ is this process's environment without what another HOME would change
// by accident: where Go, npm and Docker keep their things.
func (v *verifier) environ() []string {
	env := os.Environ()
	keep := func(name, below string) {
		if home, err := os.UserHomeDir(); err == nil && os.Getenv(name) == "" {
			env = append(env, name+"="+home+below)
		}
	}
	keep("GOPATH", "/go")
	keep("GOCACHE", "/.cache/go-build")
	keep("DOCKER_CONFIG", "/.docker")
	return env
}
