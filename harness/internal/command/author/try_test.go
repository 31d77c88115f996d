package author

import (
	"bytes"
	"testing"

	"github.com/openchrome/bench/harness/internal/command/run"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/why/word"
)

func TestDid(t *testing.T) {
	for _, row := range []struct {
		name, want string
		got        *word.Got
	}{
		{"no trace", "", nil},
		{"nothing was asked for", "", &word.Got{Missing: "there is no observer"}},
		{"no observer", "  did: not known, there is no observer\n", &word.Got{Missing: "there is no observer", Parts: []record.Part{{Asked: "Send", Word: record.NotKnown}}}},
		{"a false success", "  did: FALSE SUCCESS: asked for \"Send\": nothing, no \\x1bclick came\n  did: not known, a tab\n", &word.Got{
			Lost: []string{"a tab"}, Parts: []record.Part{{Asked: "Send", Word: record.Nothing, Did: "no \x1bclick came", Untrue: true}},
		}},
	} {
		var out bytes.Buffer
		v := &viewer{trial: &trial{got: row.got}}
		v.Options = run.Options{}
		v.Stdout = &out
		v.did()
		need.Is(t, row.name, row.want, out.String())
	}
}
