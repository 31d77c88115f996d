package adapter_test

import (
	"context"
	"fmt"

	"github.com/openchrome/bench/harness/adapter"
)

// reader reads the page once, and is done.
type reader struct{}

// Next implements [adapter.Adapter].
func (reader) Next(_ context.Context, s adapter.State) (adapter.Decision, error) {
	if len(s.Steps) > 1 { // step 0 is the navigation to s.StartURL
		return adapter.Decision{Done: true}, nil
	}
	args := fmt.Sprintf(`{"tabId": %q}`, s.TabID)
	return adapter.Decision{Call: adapter.Call{Tool: "read_page", Args: []byte(args)}}, nil
}

// A program registers its adapter before it calls harness.Main. Then -adapter=reader drives
// episodes with it.
func ExampleRegister() {
	adapter.Register(adapter.Kind{Name: "reader", Prepare: func() (adapter.Factory, error) {
		return func() (adapter.Adapter, error) { return reader{}, nil }, nil
	}})

	opened := adapter.Step{Call: adapter.Call{Tool: "navigate"}}
	d, err := reader{}.Next(context.Background(), adapter.State{Goal: "Read the heading.", TabID: "t1", Steps: []adapter.Step{opened}})
	fmt.Println(d.Call.Tool, string(d.Call.Args), err)
	// Output: read_page {"tabId": "t1"} <nil>
}
