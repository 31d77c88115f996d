package adapter

import (
	"context"

	"github.com/openchrome/bench/harness/jsonfile"
)

// noneKind makes no call and is done at once. A task that it passes proves nothing.
var noneKind = Kind{
	Name:    "none",
	Prepare: func(*jsonfile.File) (Factory, error) { return func() (Adapter, error) { return none{}, nil }, nil },
}

type none struct{}

// Next implements [Adapter].
func (none) Next(context.Context, State) (Decision, error) { return Decision{Done: true}, nil }
