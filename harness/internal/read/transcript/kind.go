package transcript

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/read/task"
	"github.com/openchrome/bench/harness/internal/text/display"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
	"github.com/openchrome/bench/harness/internal/text/regular"
)

// Kind is an adapter that -adapter= can name, and the file of a task that it reads.
type Kind struct {
	Name string

	// File is the file of a task's folder that the adapter reads when it drives OpenChrome,
	// such as transcript.jsonl; empty when it reads none. [Target] says which file it reads
	// for other servers. Absent is the advice that a message gives if a task has no such
	// file.
	File, Absent string

	// Prepare prepares the episodes of one task, before anything is launched.
	// file is the task's file for the target, or nil; Prepare adds its faults to
	// file.Faults. An error is any other problem, such as a missing credential;
	// it ends the command with exit code 2.
	Prepare func(file *jsonfile.File) (adapter.Factory, error)
}

// kinds returns all adapters of the program: ours, and the registered ones.
func kinds() []Kind {
	all := []Kind{mockKind, noneKind}
	for _, k := range adapter.Registered() {
		all = append(all, Kind{Name: k.Name, Prepare: func(*jsonfile.File) (adapter.Factory, error) { return k.Prepare() }})
	}
	return all
}

// Find returns the adapter of that name; the error lists the names.
func Find(name string) (Kind, error) {
	var names []string
	for _, k := range kinds() {
		if k.Name == name {
			return k, nil
		}
		names = append(names, k.Name)
	}
	return Kind{}, fmt.Errorf("unknown adapter %s; allowed: %s%s",
		display.Quote(name), strings.Join(names, ", "), display.DidYouMean(name, names))
}

// Target says which of a task's files an adapter reads. Each server has different tools, so
// each has its own files.
type Target struct {
	Server string // the peer's name; empty for OpenChrome, the stand-in, a command line and an address
	// Path is one of [Paths]; "" is the first. If a task has no file for the path, the file
	// for the first path is read.
	Path string
}

// Paths are the ways through a task that transcripts can take. oracle, the first, reaches the
// goal. usual makes the calls that an agent would try first, and may fail. shortest acts on a
// page without reading it first.
var Paths = []string{"oracle", "usual", "shortest"}

// names returns the names of the files for the target, the best first, such as
// transcript.playwright-mcp.shortest.jsonl and transcript.playwright-mcp.jsonl.
func (t Target) names(file string) []string {
	ext := path.Ext(file)
	stem := strings.TrimSuffix(file, ext)
	if t.Server != "" {
		stem += "." + t.Server
	}
	if t.Path != "" && t.Path != Paths[0] {
		return []string{stem + "." + t.Path + ext, stem + ext}
	}
	return []string{stem + ext}
}

// Missing returns the path of the file that the target needs and the task does not have, or
// "".
func (k Kind) Missing(s task.Spec, t Target) string {
	if k.File == "" {
		return ""
	}
	name := k.file(s, t)
	if _, err := fs.Stat(s.Source.FS, path.Join(s.Dir, name)); errors.Is(err, fs.ErrNotExist) {
		return s.Path(name)
	}
	return ""
}

// file returns the name of the best file for the target that exists, or of the last one if
// none exists.
func (k Kind) file(s task.Spec, t Target) string {
	names := t.names(k.File)
	for _, name := range names {
		if _, err := fs.Stat(s.Source.FS, path.Join(s.Dir, name)); err == nil {
			return name
		}
	}
	return names[len(names)-1]
}

// For prepares the episodes of one task. The error is a [jsonfile.Faults] if the adapter's
// file has faults.
func (k Kind) For(s task.Spec, t Target) (adapter.Factory, error) {
	if k.File == "" {
		return k.prepare(nil)
	}
	return k.prepare(k.read(s, k.file(s, t)))
}

// Digest returns "sha256:" and 64 hex digits over the file that [Kind.For] reads; empty if
// it reads none.
func (k Kind) Digest(s task.Spec, t Target) string {
	if k.File == "" {
		return ""
	}
	data, err := regular.ReadFS(s.Source.FS, path.Join(s.Dir, k.file(s, t)), jsonfile.MaxSize)
	if err != nil { // For has read it
		return ""
	}
	return fmt.Sprintf("sha256:%x", sha256.Sum256(data))
}

// Check reads all of the adapter's files in a task's folder: the file for OpenChrome, which
// must exist, the files for these peers, and for the mock adapter the [Forbidden] ones. The
// error is a [jsonfile.Faults] if a file has faults, so that [task.Load] can report them with
// the faults of task.json.
func (k Kind) Check(s task.Spec, peers []string) error {
	if k.File == "" {
		_, err := k.prepare(nil)
		return err
	}
	var names []string
	for _, server := range append([]string{""}, peers...) {
		for _, path := range Paths[1:] {
			names = append(names, Target{server, path}.names(k.File)[0])
		}
		names = append(names, Target{Server: server}.names(k.File)...)
	}
	entries, _ := fs.ReadDir(s.Source.FS, s.Dir) // if this fails, reading the file fails too
	present := []string{k.File}
	var faults jsonfile.Faults
	stem, ext := strings.TrimSuffix(k.File, path.Ext(k.File)), path.Ext(k.File)
	for _, e := range entries {
		name := e.Name()
		switch {
		case name == k.File || !strings.HasPrefix(name, stem+".") || path.Ext(name) != ext:
		case slices.Contains(names, name):
			present = append(present, name)
		default:
			faults = append(faults, jsonfile.Whole(s.Path(name), "no server has a transcript of this name; allowed: %s%s",
				strings.Join(names, ", "), display.DidYouMean(name, names)))
		}
	}
	if k.File == transcriptFile {
		present = append(present, Forbidden(s)...)
	}
	for _, name := range present {
		_, err := k.prepare(k.read(s, name))
		if more, ok := errors.AsType[jsonfile.Faults](err); ok {
			faults = append(faults, more...)
		} else if err != nil {
			return err
		}
	}
	return faults.Err()
}

// read reads one file. The adapter gets only this file, and not the folder, because
// task.json holds the contract.
func (k Kind) read(s task.Spec, name string) *jsonfile.File {
	f := jsonfile.Read(s.Source.FS, path.Join(s.Dir, name), s.Path(name), k.Absent)
	f.Edit = func(n *jsonfile.Node) []jsonfile.Change { return s.Fill(f, n, argsField, saveField) }
	return f
}

func (k Kind) prepare(file *jsonfile.File) (adapter.Factory, error) {
	factory, err := k.Prepare(file)
	switch {
	case file != nil && len(file.Faults) > 0:
		return nil, file.Faults
	case err != nil:
		return nil, fmt.Errorf("adapter %s: %w", k.Name, err)
	case factory == nil:
		return nil, errors.New("adapter " + k.Name + ": Prepare returned no factory")
	}
	return factory, nil
}
