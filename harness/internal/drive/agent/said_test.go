package agent

import (
	"encoding/json"
	"testing"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/need"
)

// What the output of each preset says becomes the same numbers: input without cache, and reasoning
// apart. What it does not say, or only guesses, is unknown.
func TestSaid(t *testing.T) {
	need.Cases(t, "said", func(t *testing.T, files map[string]string) string {
		var got, cut adapter.Agent
		for preset, output := range files {
			p, _ := findPreset(preset)
			p.read(output, output, true, &got)
			if p.read(output, output, false, &cut); preset == "codex" && (cut.Usage != nil || cut.Answer != got.Answer) {
				t.Errorf("an output that was cut says %+v", cut)
			}
		}
		line, err := json.Marshal(got)
		need.OK(t, err)
		return string(line)
	})
}

func FuzzSaid(f *testing.F) {
	f.Add(`{"type":"turn.completed","usage":{"input_tokens":1}}`)
	f.Add("\n{\"result\":\"x\"}")
	all := presets()
	f.Fuzz(func(t *testing.T, output string) {
		for _, p := range all {
			var a adapter.Agent
			p.read(output, output, true, &a)
			if !possible(a.Usage) || !possibleCost(a.CostUSD) {
				t.Errorf("%s: %q is read as %+v", p.name, output, a)
			}
		}
	})
}
