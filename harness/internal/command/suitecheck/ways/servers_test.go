package ways

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/read/server"
)

// Each known server can be wandered on, and its page forged.
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
		forger, _ := Forges([]byte(`{"kind":"url","pattern":"^/a$"}`), *s.Script)()
		d, err := forger.Next(t.Context(), state)
		var args map[string]any
		if err != nil || json.Unmarshal(d.Call.Args, &args) != nil || len(d.Call.Args) < 100 {
			t.Errorf("%s: %v, the forging call is %s", s.Name, err, d.Call.Args)
		}
		if !s.IsPeer() && strings.Contains(string(d.Call.Args), "return") { // OpenChrome 1.7.15 loses its value
			t.Errorf("the code of %s has return", s.Name)
		}
	}
}
