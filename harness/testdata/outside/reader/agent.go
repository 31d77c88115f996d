package reader

import (
	"context"
	"errors"

	"github.com/openchrome/bench/harness/adapter"
)

// Agent is a kind whose adapters call a model: they run beside the episode, and say at its end what
// they used. This one only reads the page.
var Agent = adapter.Kind{
	Name:  "reader-agent",
	Agent: &adapter.About{Version: "1.2", Model: "some-model"},
	Prepare: func() (adapter.Factory, error) {
		return func() (adapter.Adapter, error) { return new(agent), nil }, nil
	},
}

type agent struct {
	reader
	tools int
}

// Start implements [adapter.Program]. Here an agent would start its process, and wait until it has
// listed the tools. Tool.Raw is each tool as the server wrote it.
func (a *agent) Start(_ context.Context, s adapter.State) error {
	for _, t := range s.Tools {
		if t.Raw == nil {
			return errors.New("the tool " + t.Name + " is not as the server wrote it")
		}
	}
	a.tools = len(s.Tools)
	return nil
}

// End implements [adapter.Program].
func (a *agent) End(_ context.Context, s adapter.State) adapter.Agent {
	return adapter.Agent{
		Answer: s.Steps[len(s.Steps)-1].Call.Tool, Usage: &adapter.Usage{Requests: &a.tools},
		Output: []byte("my key is k3y-of-the-reader"),
	}
}

// Secrets implements [adapter.Program].
func (a *agent) Secrets() []string { return []string{"k3y-of-the-reader"} }
