package agent

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/drive/confine"
	"github.com/openchrome/bench/harness/internal/drive/process"
	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/drive/watchdog"
	"github.com/openchrome/bench/harness/internal/text/display"
)

type limits struct {
	list      time.Duration // from its start to its first tools/list
	call      time.Duration // from there to its first call
	grace     time.Duration // after the end of the episode
	interrupt time.Duration // after SIGINT
}

var defaults = limits{list: 60 * time.Second, call: 3 * time.Minute, grace: 10 * time.Second, interrupt: 3 * time.Second}

// outageExit is the exit code that says that something the agent needs failed: EX_TEMPFAIL.
const outageExit = 75

// program is the agent of one episode. It implements [adapter.Program].
type program struct {
	agent *Agent
	token string

	mu       sync.Mutex // held by Start and End
	rv       *rendezvous
	network  *confine.Network // nil: the machine's
	endpoint *endpoint
	process  *process.Process  // nil: it did not start
	dir      string            // its folder
	quota    *process.Quota    // of its folder; nil: it did not start
	values   map[string]string // for the marks of a preset
	remove   func() error
	out      session.Tail  // its stdout
	read     chan struct{} // closed when all of its stdout is in out
	clock    time.Time     // when it had listed the tools
	started  time.Duration // until then
	failed   error         // why Start failed
	alone    atomic.Bool   // its end ended the episode
}

// maxOutput is how much of its stdout is kept, in bytes.
const maxOutput = 8 << 20

func newProgram(a *Agent) *program {
	return &program{agent: a, token: rand.Text(), out: session.Tail{Max: maxOutput}}
}

// Secrets implements [adapter.Program].
func (p *program) Secrets() []string { return append([]string{p.token}, p.agent.secrets...) }

// Start implements [adapter.Program]. It returns when the agent has listed the tools.
func (p *program) Start(ctx context.Context, s adapter.State) (err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	defer func() { p.failed = err }()
	began := time.Now()
	if err := p.launch(s); err != nil {
		return fmt.Errorf("the agent did not start: %w", err)
	}
	late := time.NewTimer(p.agent.limits.list)
	defer late.Stop()
	select {
	case <-p.rv.first:
		p.clock = time.Now()
		p.started = p.clock.Sub(began)
		return nil
	case <-p.process.Ended:
		if err := p.quota.Exceeded(); err != nil {
			return err
		}
		hint := ""
		if code := p.process.Cmd.ProcessState.ExitCode(); code > 125 && code < 128 && p.agent.means != (confine.Means{}) { // a shell found no program
			hint = "; it is confined: name the program itself and no shim, or show it more with -agentRead"
		}
		return p.saying(fmt.Errorf("the agent ended before it listed the tools: %s%s", p.process.Cmd.ProcessState, hint))
	case <-late.C:
		return p.saying(fmt.Errorf("the agent did not list the tools within %v; see that it uses the MCP server of OPENCHROME_BENCH_MCP_CONFIG", p.agent.limits.list))
	case <-ctx.Done():
		return ctx.Err()
	}
}

// launch makes the folder and the endpoint of the agent, and starts it.
func (p *program) launch(s adapter.State) (err error) {
	p.rv = newRendezvous(s.Tools)
	if p.dir, p.remove, err = watchdog.TempDir(); err != nil {
		return err
	}
	if p.network, err = p.agent.network(); err != nil {
		return err
	}
	if p.endpoint, err = listen(p.token, p.rv, p.network); err != nil {
		return err
	}
	env, err := p.fill(s)
	if err != nil {
		return err
	}
	var args []string
	for _, arg := range p.agent.command[1:] {
		if p.values != nil {
			arg = fillIn(arg, p.values)
		}
		args = append(args, arg)
	}
	cmd := exec.Command(p.agent.command[0], args...)
	cmd.Dir, cmd.Env = filepath.Join(p.dir, workDir), env
	p.agent.confined(p.endpoint.port, p.network).Apply(cmd, p.dir)
	started, err := process.Start("the agent", cmd, true, p.network)
	if err != nil {
		return err
	}
	p.process, p.read = started, make(chan struct{})
	p.quota = process.WatchQuota(p.dir, p.agent.quota, "the agent and its programs")
	p.quota.Watch(started)
	started.Stdin.Close() // nobody answers its questions
	go func() {
		defer close(p.read)
		io.Copy(&p.out, started.Stdout)
	}()
	return nil
}

// Next implements [adapter.Adapter]. It answers the call before, and waits for the next one.
func (p *program) Next(ctx context.Context, s adapter.State) (adapter.Decision, error) {
	p.rv.deliver(s)
	var silent <-chan time.Time
	if len(s.Steps) == 1 { // only step 0
		timer := time.NewTimer(time.Until(p.clock.Add(p.agent.limits.call)))
		defer timer.Stop()
		silent = timer.C
	}
	select {
	case c := <-p.rv.calls:
		if !p.rv.take(c, len(s.Steps)) {
			return adapter.Decision{Done: true}, nil
		}
		return adapter.Decision{Call: c.Call}, nil
	case <-p.process.Ended:
		p.alone.Store(true)
		if failure, outage := p.blame(len(s.Steps) - 1); failure != "" || outage != "" {
			return adapter.Decision{}, errors.New(failure + outage)
		}
		return adapter.Decision{Done: true}, nil
	case <-silent:
		return adapter.Decision{}, p.saying(fmt.Errorf("the agent made no call within %v", p.agent.limits.call))
	case <-ctx.Done():
		return adapter.Decision{}, ctx.Err()
	}
}

// blame says how the agent failed that has ended by itself, and made so many calls. Both are
// empty if it did not.
func (p *program) blame(calls int) (failure, outage string) {
	if err := p.quota.Exceeded(); err != nil {
		return err.Error(), ""
	}
	how := p.process.Cmd.ProcessState
	switch {
	case how.ExitCode() == outageExit:
		return "", p.saying(fmt.Errorf("what the agent needs failed, as it says: %s", how)).Error()
	case !how.Success():
		return p.saying(fmt.Errorf("the agent ended: %s", how)).Error(), ""
	case calls == 0:
		return p.saying(errors.New("the agent ended without a call")).Error(), ""
	}
	return "", ""
}

// saidLines is how many of the last lines of an agent an error repeats, and maxLine how many
// characters of each.
const (
	saidLines = 3
	maxLine   = 200
)

// saying adds the last lines of the agent to an error, or what a preset says in place of them.
func (p *program) saying(err error) error {
	select {
	case <-p.process.Ended: // what it printed last may still be in the pipe
		<-p.read
	default:
	}
	if preset := p.agent.preset; preset != nil {
		var a adapter.Agent
		if preset.read(p.out.String(), "", false, &a); a.Answer != "" {
			return fmt.Errorf("%w; it says: %s", err, display.Line(a.Answer, saidLines*maxLine))
		}
	}
	var lines []string
	for _, text := range []string{p.out.String(), p.process.Said()} {
		for line := range strings.Lines(text) {
			if line = display.Line(line, maxLine); line != "" {
				lines = append(lines, line)
			}
		}
	}
	if lines == nil {
		return fmt.Errorf("%w; it printed nothing", err)
	}
	return fmt.Errorf("%w; its last lines: %s", err, strings.Join(lines[max(0, len(lines)-saidLines):], " | "))
}

// End implements [adapter.Program].
func (p *program) End(ctx context.Context, s adapter.State) (a adapter.Agent) {
	p.mu.Lock()
	defer p.mu.Unlock()
	made := 0
	if p.rv != nil {
		made = p.rv.end(s)
	}
	if p.process != nil {
		a = p.stop(ctx, made)
		p.quota.Stop()
	} else if p.failed != nil {
		a.Error = p.failed.Error()
	}
	if p.endpoint != nil {
		p.endpoint.close()
		a.Late = p.rv.lateCalls()
	}
	p.network.Close()
	if p.remove != nil {
		p.remove() // the next run sweeps what is left
	}
	a.StartMs = float64(p.started.Microseconds()) / 1000
	return a
}

// stop ends the process, and says what is known of the agent.
func (p *program) stop(ctx context.Context, made int) (a adapter.Agent) {
	p.wait(ctx, p.agent.limits.grace, func() {})
	p.wait(ctx, p.agent.limits.interrupt, p.process.Interrupt)
	p.process.Kill() // does nothing if it has ended
	select {
	case <-p.process.Ended:
		<-p.read
		how := p.process.Cmd.ProcessState
		a.Exit = how.String()
		switch {
		case p.failed != nil:
		case p.alone.Load():
			a.Error, a.Outage = p.blame(made)
		case how.ExitCode() == outageExit:
			_, a.Outage = p.blame(made)
		}
	default: // SIGKILL has not ended it yet
	}
	switch {
	case p.failed != nil:
		a.Error = p.failed.Error()
		if a.Exit == fmt.Sprint("exit status ", outageExit) {
			_, a.Outage = p.blame(made)
		}
	case a.Error == "" && a.Outage == "" && made == 0:
		a.Error = p.saying(errors.New("the agent made no call")).Error()
	}
	a.Output = []byte(p.out.String() + p.process.Said())
	if p.agent.preset != nil {
		p.agent.preset.read(p.out.String(), string(a.Output), p.out.Whole(), &a)
	}
	p.readResult(&a)
	return a
}

// wait does something and then waits until the process has ended, but no longer than limit, and
// not at all if the run was stopped.
func (p *program) wait(ctx context.Context, limit time.Duration, do func()) {
	select {
	case <-p.process.Ended:
		return
	default:
		do()
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-p.process.Ended:
	case <-timer.C:
	case <-ctx.Done():
	}
}
