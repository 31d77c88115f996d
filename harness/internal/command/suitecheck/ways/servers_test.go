package ways

import (
	"testing"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/read/server"
)

// Each known server can be pressed on.
func TestEveryServer(t *testing.T) {
	for _, s := range server.All() {
		press, _ := Presses(s, 0)()
		state := adapter.State{TabID: "T", Steps: []adapter.Step{{}}}
		if d, err := press.Next(t.Context(), state); err != nil || d.Call.Tool != s.Page.Call.Tool {
			t.Errorf("%s: a press begins with %q, %v", s.Name, d.Call.Tool, err)
		}
		state.Steps = append(state.Steps, adapter.Step{Result: adapter.NewResult([]byte(`{"content":[]}`))})
		if d, err := press.Next(t.Context(), state); err != nil || !d.Done {
			t.Errorf("%s: on an empty page a press calls %q, %v", s.Name, d.Call.Tool, err)
		}
	}
}
