package adapter

import (
	"fmt"
	"path"
	"strings"

	"github.com/openchrome/bench/harness/jsonfile"
	"github.com/openchrome/bench/harness/task"
)

// Kind is an adapter that can be asked for by name.
type Kind struct {
	Name string

	// file is the one file of a task's folder that the adapter reads; empty
	// when it reads none. absent is the advice when the file is not there.
	file, absent string
	prepare      func(*jsonfile.File) Factory
}

// kinds are all adapters. An adapter that calls a language model does not
// belong here but outside of what mock links.
var kinds = []Kind{
	{
		Name:    "mock",
		file:    transcriptFile,
		absent:  `the mock adapter replays it: write one call a line, such as {"tool":"read_page","args":{"tabId":"{{tabId}}"}}`,
		prepare: prepareMock,
	},
}

// Factory makes the adapter of one episode. Episodes may call it at the same
// time.
type Factory func() (Adapter, error)

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
		jsonfile.Quote(name), strings.Join(names, ", "), jsonfile.DidYouMean(name, names))
}

// Prepare makes ready for the episodes of one task, however many. Faults of the
// adapter's file are told as [task.Load] tells those of task.json, so that it
// can join them: see [task.Options].
func (k Kind) Prepare(s task.Spec) (Factory, jsonfile.Faults) {
	// The adapter is handed this one file, not the folder: task.json has the
	// contract in it.
	var file *jsonfile.File
	if k.file != "" {
		file = jsonfile.Read(s.Source.FS, path.Join(s.Dir, k.file), s.Path(k.file), k.absent)
	}
	factory := k.prepare(file)
	if file != nil && len(file.Faults) > 0 {
		return nil, file.Faults
	}
	return factory, nil
}
