// Package agent lets an agent decide the calls of an episode. An agent is a program of somebody
// else, which speaks MCP and calls a model. It sees what users of the server see.
//
//  1. [New] finds the program or the preset, and chooses how to confine it (command.go, preset.go,
//     confine.go).
//
//  2. A program is one episode's [adapter.Program]: it starts the agent, with its own folder and
//     endpoint, and ends it (program.go, folder.go).
//
//  3. An endpoint serves MCP to the agent (endpoint.go); the rendezvous there joins its calls
//     with the steps of the episode.
//
//  4. said.go reads what the output of a preset says of tokens, cost and outages.
//
// The package knows no model. What an agent prints and writes is hostile.
package agent

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/drive/confine"
	"github.com/openchrome/bench/harness/internal/record"
)

// Prefix begins the values of -adapter that mean an agent.
const Prefix = "agent:"

// serverName is the name of the MCP server that agents see, whichever it is.
const serverName = "browser"

// Options say which agent to start, and what it gets.
type Options struct {
	Line  string   // the command line, without [Prefix]
	Env   string   // names of variables that it gets, separated by commas
	Read  string   // files and folders that it can read, separated by commas
	Ports string   // TCP ports that it can connect to, separated by commas
	Hide  []string // files and folders that it must not see
}

// An Agent is the agent of a run.
type Agent struct {
	name    string
	preset  *preset  // nil: it is a command line
	model   string   // that the user asked for
	version string   // of a preset; empty: unknown
	command []string // the program's path and its arguments
	digest  string   // of the command line, which can hold a key
	env     []string
	secrets []string
	means   confine.Means
	limits  limits
	quota   int64          // of its folder in bytes; 0: a server's
	access  confine.Access // without the folder and the endpoint of an episode
}

// New finds the agent, and chooses the strongest confinement in which programs run here. The
// error names the option at fault.
func New(ctx context.Context, o Options) (*Agent, error) {
	a := &Agent{limits: defaults, digest: fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(o.Line)))}
	var err error
	if p, model := findPreset(o.Line); p != nil {
		err = a.use(p, model)
		a.digest = fmt.Sprintf("sha256:%x", sha256.Sum256(p.digest))
		o.Ports = cmp.Or(o.Ports, p.Ports)
	} else {
		err = a.find(o.Line)
	}
	if err != nil {
		return nil, fmt.Errorf("-adapter: %w", err)
	}
	var missing []string
	for _, name := range list(o.Env) {
		value, ok := os.LookupEnv(name)
		if !ok {
			missing = append(missing, name)
			continue
		}
		a.env = append(a.env, name+"="+value)
		a.secrets = append(a.secrets, value)
	}
	if missing != nil {
		return nil, fmt.Errorf("-agentEnv: %s: not set; set it, or leave it out", strings.Join(missing, ", "))
	}
	var ports []uint16
	for _, text := range list(o.Ports) {
		port, err := strconv.ParseUint(text, 10, 16)
		if err != nil || port == 0 {
			return nil, fmt.Errorf("-agentPorts: is %q, want numbers from 1 to 65535, such as 443", o.Ports)
		}
		ports = append(ports, uint16(port))
	}
	for _, path := range list(o.Read) {
		if _, err := os.Stat(path); err != nil {
			return nil, fmt.Errorf("-agentRead: %w", err)
		}
	}
	if err := a.choose(ctx, o, ports); err != nil {
		return nil, err
	}
	if a.preset != nil {
		a.version = a.askVersion(ctx)
	}
	return a, nil
}

func list(s string) (items []string) {
	for item := range strings.SplitSeq(s, ",") {
		if item = strings.TrimSpace(item); item != "" && !slices.Contains(items, item) {
			items = append(items, item)
		}
	}
	return items
}

// Name is the name of the adapter in reports, such as agent:codex. It never has arguments,
// which can be secret.
func (a *Agent) Name() string {
	if a.model != "" {
		return Prefix + a.name + ":" + a.model
	}
	return Prefix + a.name
}

// Plan is what the plan of a run holds of the agent.
func (a *Agent) Plan() *record.PlannedAgent {
	return &record.PlannedAgent{Name: a.name, Preset: a.preset != nil, Version: a.version, Model: a.model, Command: a.digest, Prompt: promptDigest, Confinement: a.confinement()}
}

// Adapter is the factory of the episodes' adapters.
func (a *Agent) Adapter() (adapter.Adapter, error) { return newProgram(a), nil }
