package trials

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/openchrome/bench/harness/internal/command/program"
	"github.com/openchrome/bench/harness/internal/command/run"
)

// childEnv holds the options of a child process's run, as JSON.
const childEnv = "OPENCHROME_BENCH_CHILD"

// Child does one run of bench:verify if this process was started for that, and reports
// whether it was. The error comes from [run.Run].
func Child() (started bool, err error) {
	raw := os.Getenv(childEnv)
	if raw == "" {
		return false, nil
	}
	os.Unsetenv(childEnv)
	var o run.Options
	if err := json.Unmarshal([]byte(raw), &o); err != nil {
		return true, err
	}
	o.Child = true
	return true, run.Run(context.Background(), o)
}

// conditions are settings that must not affect a run's result.
type conditions struct {
	order, parallel  int
	timeZone, locale string
}

func (c conditions) String() string {
	return fmt.Sprintf("order %d, parallel %d, TZ=%s, LC_ALL=%s", c.order, c.parallel, c.timeZone, c.locale)
}

// condition returns the conditions of the n-th run. The first run keeps the order of
// the tasks and runs one episode at a time.
func condition(n int) conditions {
	zones := []string{"UTC", "Asia/Kathmandu", "America/St_Johns", "Pacific/Kiritimati"}
	locales := []string{"C", "de_DE.UTF-8", "tr_TR.UTF-8", "ar_EG.UTF-8", "ja_JP.UTF-8"}
	return conditions{n, 1 + n%4, zones[n%len(zones)], locales[n%len(locales)]}
}

// run does one run in a new process, working folder and HOME.
func (v *verifier) run(ctx context.Context, o run.Options, c conditions) error {
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
		if name := program.EndedBy(exit.ProcessState); name != "" {
			return &signalled{name}
		}
		code := exit.ExitCode()
		if code == 2 { // it crashed
			code = program.ExitUnexpected
		}
		return &program.ExitError{Code: code, Err: errors.New(strings.TrimSpace(stderr.String()))}
	}
	return nil
}

type signalled struct{ name string }

func (e *signalled) Error() string { return "was ended by " + e.name }

// environ is this process's environment. It names the folders of Go and Docker,
// which would otherwise change with HOME.
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
