package transcript

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/read/intent"
	"github.com/openchrome/bench/harness/internal/read/server"
	"github.com/openchrome/bench/harness/internal/read/task"
	"github.com/openchrome/bench/harness/internal/text/display"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
)

// Prepared is a task with the values of a seed, its transcripts and its adapter: all that its
// episodes need from files.
type Prepared struct {
	task.Spec
	Of, Policy string // the id of the task and its policy, if Spec has the id of a row of policies
	Adapter    adapter.Factory

	// Lines are the calls of the transcript for the target. Transcript is "sha256:" and 64
	// hex digits over its file. Both are empty if the adapter replays none, or the task has
	// none for the target.
	Lines      []Line
	Transcript string
	// Intents are the lines of intents.jsonl; nil without that file. Transcript is the digest of this
	// file if the adapter carries out intents.
	Intents []intent.Intent
	// Missing is the path of the file that the target needs and the task does not
	// have; empty if it needs none.
	Missing string
	// Forbidden are the calls of the task's files forbidden.NAME.jsonl, by name. These are
	// transcripts for OpenChrome that do the task and also a forbidden act.
	Forbidden map[string][]Line
}

// names are the names of the servers, OpenChrome first.
var names = server.Names()

// fileFor returns the name of the transcript for a server, such as transcript.playwright-mcp.jsonl.
// Each server has different tools, so each has its own transcripts.
func fileFor(name string) string {
	if name == "" || name == names[0] {
		return OracleFile
	}
	return "transcript." + name + ".jsonl"
}

// A Reader prepares tasks.
type Reader struct {
	Kind    Kind
	Server  string // the peer's name; empty for OpenChrome, the stand-in, a command line and an address
	Options task.Options
}

// Read prepares a task. If files have faults, the error is a [jsonfile.Faults] with the faults
// of task.json, params.json and all transcripts: of OpenChrome, which must exist, and of the
// peers. Any other error is the adapter's.
func (r Reader) Read(f *task.Folder) (Prepared, error) {
	spec, faults := f.Read(r.Options)
	p, err := r.prepare(spec)
	if more, ok := errors.AsType[jsonfile.Faults](err); ok || len(faults) > 0 {
		return p, append(faults, more...)
	}
	return p, err
}

// prepare adds the transcripts and the adapter to a spec.
func (r Reader) prepare(s task.Spec) (p Prepared, err error) {
	p = Prepared{Spec: s, Forbidden: make(map[string][]Line)}
	if r.Kind.Replays {
		err = r.transcripts(&p)
	}
	more, _ := errors.AsType[jsonfile.Faults](err)
	if err := append(more, r.intents(&p)...).Err(); err != nil {
		return p, err
	}
	if p.Missing == "" && !r.Kind.Intents {
		p.Adapter, err = r.Kind.prepare(p.Lines)
	}
	return p, err
}

func (r Reader) intents(p *Prepared) jsonfile.Faults {
	if !slices.Contains(p.Folder.Files, intent.FileName) {
		if r.Kind.Intents {
			p.Missing = p.Folder.Path(intent.FileName)
		}
		return nil
	}
	f := intent.Open(p.Spec)
	if r.Kind.Intents {
		p.Transcript = fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(f.Content())))
	}
	p.Intents = intent.Lines(f, p.Uploads)
	return f.Faults
}

func (r Reader) transcripts(p *Prepared) error {
	target := fileFor(r.Server)
	if !slices.Contains(p.Folder.Files, target) {
		p.Missing = p.Folder.Path(target)
	}
	var files []string
	for _, peer := range names[1:] {
		files = append(files, fileFor(peer))
	}
	present := []string{OracleFile}
	var faults jsonfile.Faults
	for _, name := range p.Folder.Files {
		forbidden, _ := path.Match("forbidden.*.jsonl", name)
		other, _ := path.Match("transcript.*.jsonl", name)
		switch {
		case name == OracleFile:
		case forbidden || other && (name == target || slices.Contains(files, name)):
			present = append(present, name)
		case other:
			faults = append(faults, jsonfile.Whole(p.Folder.Path(name), "no server has a transcript of this name; allowed: %s%s",
				strings.Join(files, ", "), display.DidYouMean(name, files)))
		}
	}
	for _, name := range present {
		f := p.Folder.File(name, `the mock adapter replays it: write one call per line, such as {"tool":"read_page","args":{"tabId":"{{tabId}}"}}`)
		f.Edit = func(n *jsonfile.Node) []jsonfile.Change { return p.Fill(f, n, argsField, saveField) }
		content := f.Content()
		lines := readTranscript(f)
		faults = append(faults, f.Faults...)
		switch {
		case name == target:
			p.Lines, p.Transcript = lines, fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(content)))
		case strings.HasPrefix(name, "forbidden."):
			p.Forbidden[name] = lines
		}
	}
	return faults.Err()
}

// Kind is an adapter that -adapter= can name.
type Kind struct {
	Name    string
	Replays bool           // it replays the transcripts of tasks
	Agent   *adapter.About // nil: it is no agent of another module
	Intents bool           // it carries out the intents of tasks; Prepare is nil, since the run prepares the policies

	// Prepare prepares the episodes of one task, before anything is launched. lines are the
	// calls of the task's transcript; nil if the adapter replays none. An error, such as a
	// missing credential, ends the command with exit code 64.
	Prepare func(lines []Line) (adapter.Factory, error)
}

// None is the name of the adapter that makes no call and is done at once. A task that it passes
// proves nothing.
const None = "none"

var noneKind = Kind{Name: None, Prepare: func([]Line) (adapter.Factory, error) { return Replay(nil), nil }}

// kinds returns all adapters of the program: ours, and the registered ones.
func kinds() []Kind {
	all := []Kind{mockKind, noneKind}
	for _, k := range adapter.Registered() {
		all = append(all, Kind{Name: k.Name, Agent: k.Agent, Prepare: func([]Line) (adapter.Factory, error) { return k.Prepare() }})
	}
	return all
}

// policies begins the names of adapters that carry out intents, as in policy:form.
const policies = "policy:"

// Find returns the adapter of that name; the error lists the names.
func Find(name string) (Kind, error) {
	if strings.HasPrefix(name, policies) {
		return Kind{Name: name, Intents: true}, nil
	}
	var names []string
	for _, k := range kinds() {
		if k.Name == name {
			return k, nil
		}
		names = append(names, k.Name)
	}
	return Kind{}, fmt.Errorf("-adapter: is %s, want %s%s",
		display.Quote(name), strings.Join(append(names, policies+"NAMES"), ", "), display.DidYouMean(name, names))
}

func (k Kind) prepare(lines []Line) (adapter.Factory, error) {
	factory, err := k.Prepare(lines)
	switch {
	case err != nil:
		return nil, fmt.Errorf("adapter %s: %w", k.Name, err)
	case factory == nil:
		return nil, errors.New("adapter " + k.Name + ": Prepare returned no factory")
	}
	return factory, nil
}
