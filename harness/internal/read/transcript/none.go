package transcript

import (
	"context"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
)

// noneKind makes no call and is done at once. A task that it passes proves nothing.
var noneKind = Kind{
	Name: "none",
	Prepare: func(*jsonfile.File) (adapter.Factory, error) {
		return func() (adapter.Adapter, error) { return none{}, nil }, nil
	},
}

type none struct{}

// Next implements [adapter.Adapter].
func (none) Next(context.Context, adapter.State) (adapter.Decision, error) {
	return adapter.Decision{Done: true}, nil
}
