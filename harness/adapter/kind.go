package adapter

import (
	"github.com/openchrome/bench/harness/jsonfile"
	"github.com/openchrome/bench/harness/task"
)

// Kind is an adapter that can be asked for by name.
type Kind struct {
	Name    string
	Summary string // one line for people
	// File is the one file of a task's folder that the adapter reads; empty
	// when it reads none.
	File string

	prepare func(name string, data []byte) (Factory, jsonfile.Faults)
}

// Factory makes the adapter of one episode. Episodes may call it at the same
// time.
type Factory func() (Adapter, error)

// Kinds returns all adapters, in the order in which they are listed.
func Kinds() []Kind { return nil }

// Find returns the adapter of that name; the error lists the names.
func Find(name string) (Kind, error) { return Kind{}, nil }

// Prepare makes ready for the episodes of one task, however many. Faults of the
// adapter's file are returned as [task.Load] returns those of task.json, so
// that [task.Options] can join them.
func (k Kind) Prepare(s task.Spec) (Factory, jsonfile.Faults) { return nil, nil }
