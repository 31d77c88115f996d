// Package reader is an adapter of another module. It reads the page once.
package reader

import (
	"context"
	"encoding/json"
	"errors"
	"os"

	"github.com/openchrome/bench/harness/adapter"
)

// Kind is registered by the programs of this module.
var Kind = adapter.Kind{
	Name: "reader",
	Prepare: func() (adapter.Factory, error) {
		if os.Getenv("READER_KEY") == "" {
			return nil, errors.New("READER_KEY is not set")
		}
		return func() (adapter.Adapter, error) { return reader{}, nil }, nil
	},
}

type reader struct{}

// Next implements [adapter.Adapter].
func (reader) Next(_ context.Context, s adapter.State) (adapter.Decision, error) {
	if why := os.Getenv("READER_GIVES_UP"); why != "" {
		return adapter.Decision{Unsupported: why}, nil
	}
	if len(s.Steps) > 1 {
		return adapter.Decision{Done: true}, nil
	}
	args, err := json.Marshal(map[string]string{"tabId": s.TabID})
	return adapter.Decision{Call: adapter.Call{Tool: "read_page", Args: args}}, err
}
