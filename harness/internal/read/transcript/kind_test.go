package transcript

import (
	"crypto/sha256"
	"fmt"
	"testing"

	"github.com/openchrome/bench/harness/adapter"
)

// Each server has its own file. If the path has no file, the server's oracle file is read.
func TestTarget(t *testing.T) {
	files := make(map[string]string)
	for _, name := range []string{"transcript.jsonl", "transcript.shortest.jsonl", "transcript.peer.jsonl"} {
		files[name] = `{"tool":"` + name + `","args":{}}`
	}
	s := taskOf(files)
	for _, test := range []struct {
		target  Target
		want    string
		missing string
	}{
		{Target{}, "transcript.jsonl", ""},
		{Target{Path: "shortest"}, "transcript.shortest.jsonl", ""},
		{Target{Server: "peer"}, "transcript.peer.jsonl", ""},
		{Target{Server: "peer", Path: "shortest"}, "transcript.peer.jsonl", ""},
		{Target{Server: "other", Path: "shortest"}, "", "tasks/a/transcript.other.jsonl"},
	} {
		r := mockReader()
		r.Target = test.target
		p, err := r.prepare(s)
		if err != nil {
			t.Fatal(err)
		}
		if p.Missing != test.missing || (p.Adapter == nil) != (test.missing != "") {
			t.Errorf("%+v: %q is missing, want %q", test.target, p.Missing, test.missing)
		}
		if test.missing != "" {
			continue
		}
		if want := fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(files[test.want]))); p.Transcript != want {
			t.Errorf("%+v: digest %s, want %s", test.target, p.Transcript, want)
		}
		a, err := p.Adapter()
		if err != nil {
			t.Fatal(err)
		}
		if d, err := a.Next(t.Context(), adapter.State{}); err != nil || d.Call.Tool != test.want {
			t.Errorf("%+v: %+v, %v; want the calls of %s", test.target, d, err, test.want)
		}
	}
}
