package adapter

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/openchrome/bench/harness/display"
	"github.com/openchrome/bench/harness/internal/task"
	"github.com/openchrome/bench/harness/jsonfile"
)

// Kind is an adapter that -adapter= can name.
type Kind struct {
	Name string

	// File is the one file of a task's folder that the adapter reads, such as
	// transcript.jsonl; empty when it reads none. Absent is the advice when a
	// task has no such file.
	File, Absent string

	// Prepare prepares the episodes of one task, before anything is launched.
	// file is the task's [Kind.File], or nil; Prepare adds its faults to
	// file.Faults. An error is any other problem, such as a missing credential;
	// it ends the command with exit code 2.
	Prepare func(file *jsonfile.File) (Factory, error)
}

// Factory makes the adapter of one episode. Episodes may call it at the same
// time. An error ends the episode as adapter_error.
type Factory func() (Adapter, error)

// kinds are all adapters of the program.
var kinds = []Kind{mockKind}

// Register adds an adapter to the program. A separate program calls it before
// harness.Main; an adapter that calls a language model does not belong in this
// module. It panics if the name is empty or taken, or Prepare is missing.
func Register(k Kind) {
	if k.Name == "" || k.Prepare == nil {
		panic("adapter: Register needs a name and Prepare")
	}
	if _, err := Find(k.Name); err == nil {
		panic("adapter: " + k.Name + " is registered twice")
	}
	kinds = append(kinds, k)
}

// Find returns the adapter of that name; the error lists the names.
func Find(name string) (Kind, error) {
	var names []string
	for _, k := range kinds {
		if k.Name == name {
			return k, nil
		}
		names = append(names, k.Name)
	}
	return Kind{}, fmt.Errorf("unknown adapter %s; allowed: %s%s",
		display.Quote(name), strings.Join(names, ", "), display.DidYouMean(name, names))
}

// For prepares the episodes of one task. The error is a [jsonfile.Faults] if the
// adapter's file is at fault, so that [task.Load] can report it with the faults
// of task.json; see [task.Options].
func (k Kind) For(s task.Spec) (Factory, error) {
	// The adapter gets this one file, not the folder: task.json has the
	// contract in it.
	var file *jsonfile.File
	if k.File != "" {
		file = jsonfile.Read(s.Source.FS, path.Join(s.Dir, k.File), s.Path(k.File), k.Absent)
	}
	factory, err := k.Prepare(file)
	switch {
	case file != nil && len(file.Faults) > 0:
		return nil, file.Faults
	case err != nil:
		return nil, fmt.Errorf("adapter %s: %w", k.Name, err)
	case factory == nil:
		return nil, errors.New("adapter " + k.Name + ": Prepare gave no factory")
	}
	return factory, nil
}
