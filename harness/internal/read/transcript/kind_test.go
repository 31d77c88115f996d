package transcript

import (
	"crypto/sha256"
	"fmt"
	"testing"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/need"
)

// Each server has its own file.
func TestServer(t *testing.T) {
	files := make(map[string]string)
	for _, name := range []string{"transcript.jsonl", "transcript.playwright-mcp.jsonl"} {
		files[name] = `{"tool":"` + name + `","args":{}}`
	}
	s := taskOf(files)
	for _, test := range []struct {
		server  string
		want    string
		missing string
	}{
		{"", "transcript.jsonl", ""},
		{"playwright-mcp", "transcript.playwright-mcp.jsonl", ""},
		{"other", "", "tasks/a/transcript.other.jsonl"},
	} {
		r := mockReader()
		r.Server = test.server
		p, err := r.prepare(s)
		need.OK(t, err)
		if p.Missing != test.missing || (p.Adapter == nil) != (test.missing != "") {
			t.Errorf("%q: %q is missing, want %q", test.server, p.Missing, test.missing)
		}
		if test.missing != "" {
			continue
		}
		if want := fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(files[test.want]))); p.Transcript != want {
			t.Errorf("%q: digest %s, want %s", test.server, p.Transcript, want)
		}
		a, err := p.Adapter()
		need.OK(t, err)
		if d, err := a.Next(t.Context(), adapter.State{}); err != nil || d.Call.Tool != test.want {
			t.Errorf("%q: %+v, %v; want the calls of %s", test.server, d, err, test.want)
		}
	}
}
