package transcript

import (
	"context"

	"github.com/openchrome/bench/harness/adapter"
)

// None is the name of the adapter that makes no call.
const None = "none"

// noneKind makes no call and is done at once. A task that it passes proves nothing.
var noneKind = Kind{
	Name: None,
	Prepare: func([]Line) (adapter.Factory, error) {
		return func() (adapter.Adapter, error) { return none{}, nil }, nil
	},
}

type none struct{}

// Next implements [adapter.Adapter].
func (none) Next(context.Context, adapter.State) (adapter.Decision, error) {
	return adapter.Decision{Done: true}, nil
}
