// Package trials runs the same tasks several times: bench:verify under other conditions, to show
// that nothing changes, and bench:parity on several servers, to show what differs.
package trials

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/openchrome/bench/harness/internal/command/program"
	"github.com/openchrome/bench/harness/internal/command/run"
	"github.com/openchrome/bench/harness/internal/command/stored"
	"github.com/openchrome/bench/harness/internal/drive/watchdog"
	"github.com/openchrome/bench/harness/internal/option"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/compare"
	"github.com/openchrome/bench/harness/internal/tell/format"
	"github.com/openchrome/bench/harness/internal/tell/page"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/text/display"
	"github.com/openchrome/bench/harness/internal/text/regular"
)

const defaultRuns = 3

// Verify runs the tasks several times, each time in a new process under other
// conditions, and compares the runs. The error is nil if nothing differs and all
// episodes passed. A [*program.ExitError] of [program.ExitDifference] names the first
// difference. Otherwise Verify returns the error of the first run.
//
// The first run is an ordinary run below Out. If a later run differs, its log is kept
// beside the first log; otherwise nothing of it is kept. Later runs have the first run's
// name with -2, -3 and so on.
func Verify(ctx context.Context, o run.Options) error {
	o, err := o.WithDefaults()
	if err != nil {
		return err
	}
	if err := o.NoAgent("two runs of an agent differ always; use bench:episode with -repetitions, or bench:parity"); err != nil {
		return err
	}
	runs := cmp.Or(o.Runs, defaultRuns)
	if o.Web == option.Live {
		return program.Usage(errors.New("-web: is live, which cannot be verified: the real web changes between runs"))
	}
	if err := record.CheckRunID(nthRun(o.RunID, runs)); err != nil {
		return program.Usage(fmt.Errorf("-run: %w", err))
	}
	for n := 2; n <= runs; n++ { // if this run differs, its log goes there
		other := o
		other.RunID = nthRun(o.RunID, n)
		if _, err := os.Stat(other.EventsFile()); err == nil {
			return program.Usage(fmt.Errorf("run %s already exists, in %s; choose another name with -run", other.RunID, other.EventsFile()))
		}
	}
	ctx, stop := program.Interruptible(ctx, false)
	defer stop()
	if o, err = absolute(o); err != nil {
		return err
	}
	if o.Server, err = run.Settle(ctx, o); err != nil {
		return err
	}
	if o.Dir, err = os.Getwd(); err != nil {
		return fmt.Errorf("verify: %w", err)
	}
	others, remove, err := watchdog.TempDir()
	if err != nil {
		return fmt.Errorf("verify: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	release := format.HoldCommands(o.Stdout, o.Format)
	v := &verifier{Options: o, others: others, out: program.NewConsole(o.Stdout, o.Stderr, cancel)}
	err = v.compare(ctx, runs)
	v.out.Close(ctx)
	release()
	for _, more := range []error{v.formats(), remove()} {
		if err == nil {
			err = more // not joined, because mage reads the exit code only from the error itself
		}
	}
	return err
}

func absolute(o run.Options) (run.Options, error) {
	for _, path := range []*string{&o.Out, &o.Tasks, &o.Sites, &o.Package} {
		if *path == "" {
			continue
		}
		if _, err := os.Stat(*path); err != nil && path == &o.Package {
			continue // a version, not a path
		}
		abs, err := filepath.Abs(*path)
		if err != nil {
			return o, fmt.Errorf("verify: %w", err)
		}
		*path = abs
	}
	return o, nil
}

type verifier struct {
	run.Options
	others string // folder of the runs after the first
	out    *program.Console
}

func (v *verifier) compare(ctx context.Context, runs int) error {
	var first *compare.Run
	var verdictOfFirst *program.ExitError
	for n := range runs {
		began := time.Now()
		o, c := v.Options, condition(n)
		o.Order, o.Parallel = c.order, c.parallel
		if n > 0 {
			o.Out, o.RunID = v.others, nthRun(v.RunID, n+1)
		}
		err := v.run(ctx, o, c)
		if ctx.Err() != nil {
			return &program.ExitError{Code: program.ExitInterrupted, Err: fmt.Errorf("NOT FINISHED: verify was stopped in run %d of %d", n+1, runs)}
		}
		exit, _ := errors.AsType[*program.ExitError](err)
		if exit != nil && exit.Code == program.ExitUsage {
			return exit // every run would fail like this
		}
		if err != nil && (exit == nil || exit.Code != program.ExitFailed && exit.Code != program.ExitVoid) {
			return fmt.Errorf("run %d: %w", n+1, err)
		}
		this, traceErr := compare.ReadRun(ctx, o.EventsFile())
		if traceErr != nil {
			return fmt.Errorf("run %d: %w", n+1, traceErr)
		}
		v.out.Say(fmt.Sprintf("run %d of %d  %s  %s", n+1, runs, c, time.Since(began).Round(10*time.Millisecond)))
		if n == 0 {
			first, verdictOfFirst = this, exit
			continue
		}
		if d := compare.Diff(first, this); d != nil {
			kept, err := v.keep(o)
			if err != nil {
				kept = fmt.Sprintf("gone (%v)", err)
			}
			return v.different(d, c, n+1, runs, kept)
		}
	}
	var f page.Facts
	f.Add("server", first.Server.Words())
	f.Add("report", filepath.Join(v.Out, report.ReportsDir, v.RunID+".md"))
	v.out.Show(f)
	if verdictOfFirst != nil {
		return &program.ExitError{Code: verdictOfFirst.Code, Err: fmt.Errorf("the diff of %d runs is empty; %w", runs, verdictOfFirst)}
	}
	v.out.Verdict(record.Pass, "IDENTICAL", fmt.Sprintf("the diff of %d runs is empty", runs))
	return nil
}

// formats writes the first run in the formats of -format, unless it has no log.
func (v *verifier) formats() error {
	if v.Format == "" {
		return nil
	}
	r, err := report.FromFile(context.Background(), v.EventsFile()) // also if the run was stopped
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return format.WriteAsked(v.Stdout, v.Out, v.Format, r)
}

// different says where run n differs from the first, a line for each fact.
func (v *verifier) different(d *compare.Difference, c conditions, n, runs int, log string) error {
	var f page.Facts
	f.Add("where", d.Where())
	f.Add("run 1", d.A)
	f.Add(fmt.Sprint("run ", n), d.B)
	f.Add("log 1", v.EventsFile())
	f.Add(fmt.Sprint("log ", n), log)
	v.out.Show(page.Text{}, f, page.Say("run ", n, " had ", c))
	skipped := ""
	if n < runs {
		skipped = fmt.Sprintf("; %s skipped", display.Count(runs-n, "run"))
	}
	return &program.ExitError{Code: program.ExitDifference, Err: fmt.Errorf("DIFFERENT: run 1 and run %d differ%s", n, skipped)}
}

func nthRun(id string, n int) string {
	if n == 1 {
		return id
	}
	return fmt.Sprintf("%s-%d", id, n)
}

// keep copies the log of the differing run to Out, together with the pages that the log
// names. It returns the log's path.
func (v *verifier) keep(o run.Options) (string, error) {
	from, err := regular.Open(o.EventsFile())
	if err != nil {
		return "", err
	}
	defer from.Close()
	logs := filepath.Dir(o.EventsFile())
	o.Out = v.Out
	f, err := regular.Create(o.Out, filepath.Join(report.EventsDir, o.RunID+".jsonl"))
	if err != nil {
		return "", err
	}
	_, err = io.Copy(f, from)
	if err = errors.Join(err, f.Close()); err != nil {
		return "", err
	}
	pages, err := record.OpenPages(logs, o.RunID)
	if errors.Is(err, fs.ErrNotExist) { // no page was kept
		return o.EventsFile(), nil
	}
	if err != nil {
		return o.EventsFile(), err
	}
	defer pages.Close()
	entries, err := fs.ReadDir(pages.FS(), ".")
	errs := []error{err}
	for _, e := range entries {
		page, err := record.OpenPage(logs, path.Join(o.RunID, e.Name()))
		if err == nil {
			err = stored.CopyPage(o.Out, path.Join(report.EventsDir, o.RunID, e.Name()), page)
			page.Close()
		}
		errs = append(errs, err)
	}
	return o.EventsFile(), errors.Join(errs...)
}

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
		if !ok || exit.ExitCode() < 0 { // a signal ended it
			return err
		}
		code := exit.ExitCode()
		if code == 2 { // it crashed
			code = program.ExitUnexpected
		}
		return &program.ExitError{Code: code, Err: errors.New(strings.TrimSpace(stderr.String()))}
	}
	return nil
}

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
