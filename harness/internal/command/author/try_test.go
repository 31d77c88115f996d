package author

import (
	"bytes"
	"testing"

	"github.com/openchrome/bench/harness/internal/command/run"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
)

func TestDid(t *testing.T) {
	for _, row := range []struct {
		name, want string
		trace      *record.Trace
	}{
		{"no trace", "", nil},
		{"nothing was asked for", "", &record.Trace{Missing: "there is no observer"}},
		{"no observer", "  did: not known, there is no observer\n", &record.Trace{Missing: "there is no observer", Parts: []record.Part{{Asked: "Send", Word: record.NotKnown}}}},
		{"a false success", "  did: FALSE SUCCESS: asked for \"Send\": nothing, no \\x1bclick came\n  did: not known, a tab\n", &record.Trace{
			Lost: []string{"a tab"}, Parts: []record.Part{{Asked: "Send", Word: record.Nothing, Did: "no \x1bclick came", Untrue: true}},
		}},
	} {
		var out bytes.Buffer
		v := &viewer{trial: &trial{trace: row.trace}}
		v.Options = run.Options{}
		v.Stdout = &out
		v.did()
		need.Is(t, row.name, row.want, out.String())
	}
}
