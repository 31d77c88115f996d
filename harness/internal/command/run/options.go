package run

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/command/choose"
	"github.com/openchrome/bench/harness/internal/command/program"
	"github.com/openchrome/bench/harness/internal/drive/agent"
	"github.com/openchrome/bench/harness/internal/drive/policy"
	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/option"
	"github.com/openchrome/bench/harness/internal/read/server"
	"github.com/openchrome/bench/harness/internal/read/task"
	"github.com/openchrome/bench/harness/internal/read/transcript"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/format"
	"github.com/openchrome/bench/harness/internal/tell/report"
)

// Options describe a run. The zero value runs the built-in tasks of the suite smoke once, on the
// best OpenChrome that works here, and writes below the current folder.
type Options struct {
	option.Values

	// Order is a seed for the order of the episodes; 0 keeps their order. bench:verify sets
	// it, and no report shows it.
	Order int
	// NoScripts leaves out tasks that need page scripts, as every run on the stand-in
	// does. bench:parity sets it if the stand-in is one of its servers.
	NoScripts bool
	// Turn makes episodes take turns with the episodes of other runs, unless it is nil.
	Turn *Turn `json:"-"`
	// Parity is the call of bench:parity that the run is a side of. bench:parity sets both.
	Parity record.Parity
	// Ready is called with each session before its episode, unless it is nil. Tests measure then.
	Ready func(session.Session) `json:"-"`
	// Found is told what each intent of a policy found, unless it is nil. task:try sets it.
	Found func(policy.Found) `json:"-"`
	// Described is the description that Profile names; nil: none. WithDefaults sets it.
	Described *server.Server `json:"-"`
	// Child says that bench:verify started the run. The run ends when bench:verify ends.
	Child bool
	// Dir is the working folder of a command that is the server; empty: the current one.
	// bench:verify sets it, because each of its runs has its own folder.
	Dir string

	again string // the command that runs the rest of the run; Run sets it
	lints bool   // what package lint finds in the selected tasks counts, too; task:check sets it
}

// WithDefaults fills in empty options, and checks what the table of options cannot check. An
// error has exit code 64.
func (o Options) WithDefaults() (Options, error) {
	o.Values = o.Values.WithDefaults()
	if o.Profile != "" {
		var err error
		if o.Described, err = server.Open(o.Profile); err != nil {
			return o, usage(o.refuse(err, "the description", "run"))
		}
	}
	s := o.Choice().WithDefaults()
	o.Server, o.Package = s.Server, s.Package
	if o.Task == "" && o.Tasks == "" {
		o.Suite = cmp.Or(o.Suite, task.Smoke)
	}
	o.Repetitions, o.Parallel = cmp.Or(o.Repetitions, 1), cmp.Or(o.Parallel, 1)
	if v := os.Getenv("OPENCHROME_BENCH_VERBOSE"); v != "" && v != "0" {
		o.Verbose = true
	}
	if o.Resume != "" && o.RunID != "" && o.RunID != o.Resume {
		return o, usage(errors.New("-run: -resume names the run already; leave out one of them"))
	}
	if o.RunID = cmp.Or(o.RunID, o.Resume); o.RunID == "" {
		o.RunID = newRunID(time.Now())
	}
	if IsAgent(o.Adapter) { // the caps of tasks fit transcripts
		o.MaxSteps, o.MaxDuration = cmp.Or(o.MaxSteps, task.LimitMaxSteps), cmp.Or(o.MaxDuration, task.LimitMaxDurationMs*time.Millisecond)
	}
	formats, unknown := format.Parse(o.Format)
	o.Format = formats
	_, noShard := record.ParseShard(o.Shard)
	if err := errors.Join(unknown, named("shard", noShard), named("run", record.CheckRunID(o.RunID)), s.Check(o.Parallel)); err != nil {
		return o, usage(err)
	}
	return o, nil
}

// named says which option an error is about.
func named(option string, err error) error {
	if err != nil {
		err = fmt.Errorf("-%s: %w", option, err)
	}
	return err
}

// Choice says which server to drive, and what it must not see.
func (o Options) Choice() choose.Options {
	return choose.Options{
		Server: o.Server, Package: o.Package, Description: o.Described, Dir: o.Dir, LiveWeb: o.Web == option.Live,
		Hide: []string{filepath.Join(o.Out, report.ReportsDir), filepath.Join(o.Out, report.EventsDir), o.Tasks, o.Sites},
	}
}

// adapter finds the adapter. If it is an agent, adapter finds that too.
func (o Options) adapter() (transcript.Kind, *agent.Agent, error) {
	line, ok := strings.CutPrefix(o.Adapter, agent.Prefix)
	if !ok {
		for _, option := range []struct{ name, value string }{{"agentEnv", o.AgentEnv}, {"agentRead", o.AgentRead}, {"agentPorts", o.AgentPorts}} {
			if option.value != "" {
				return transcript.Kind{}, nil, fmt.Errorf("-%s: is for agents only; add -adapter=agent:COMMAND, or leave it out", option.name)
			}
		}
		kind, err := transcript.Find(o.Adapter)
		return kind, nil, err
	}
	a, err := agent.New(context.Background(), agent.Options{Line: line, Env: o.AgentEnv, Read: o.AgentRead, Ports: o.AgentPorts, Hide: o.Choice().Hide})
	if err != nil {
		return transcript.Kind{}, nil, err
	}
	return transcript.Kind{Name: a.Name(), Prepare: func([]transcript.Line) (adapter.Factory, error) { return a.Adapter, nil }}, a, nil
}

// IsAgent reports whether a value of -adapter means an agent.
func IsAgent(value string) bool {
	kind, _ := transcript.Find(value)
	return strings.HasPrefix(value, agent.Prefix) || kind.Agent != nil
}

// NoAgent returns an error if the adapter is an agent, which the command cannot use.
func (o Options) NoAgent(because string) error {
	if IsAgent(o.Adapter) {
		return usage(errors.New("-adapter: is an agent; " + because))
	}
	return nil
}

// EventsFile is the path of the run's event log.
func (o Options) EventsFile() string {
	return filepath.Join(o.Out, report.EventsDir, o.RunID+".jsonl")
}

var usage = program.Usage

// newRunID returns a new name, such as 20260102T150405Z-1f2e3d. Names sort by time, and
// the names of two runs in the same second differ.
func newRunID(now time.Time) string {
	var b [3]byte
	rand.Read(b[:])
	return now.UTC().Format("20060102T150405Z") + "-" + hex.EncodeToString(b[:])
}
