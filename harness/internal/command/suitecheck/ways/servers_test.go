package ways

import (
	"testing"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/read/server"
)

// Each known server can be wandered on.
func TestEveryServer(t *testing.T) {
	for _, s := range server.All() {
		wanderer, _ := Wanders(s, "https://x.test/")()
		state := adapter.State{TabID: "T", Steps: []adapter.Step{{}}}
		if d, err := wanderer.Next(t.Context(), state); err != nil || d.Call.Tool != s.Page.Call.Tool {
			t.Errorf("%s: the wanderer begins with %q, %v", s.Name, d.Call.Tool, err)
		}
		state.Steps = append(state.Steps, adapter.Step{Result: adapter.NewResult([]byte(`{"content":[]}`))})
		if d, err := wanderer.Next(t.Context(), state); err != nil || !d.Done {
			t.Errorf("%s: on an empty page the wanderer calls %q, %v", s.Name, d.Call.Tool, err)
		}
	}
}
