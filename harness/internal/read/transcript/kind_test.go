package transcript

import (
	"testing"
	"testing/fstest"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/read/task"
)

// Each server has its own file. If the path has no file, the server's oracle file is read.
func TestTarget(t *testing.T) {
	k, err := Find("mock")
	if err != nil {
		t.Fatal(err)
	}
	fsys := fstest.MapFS{}
	for _, name := range []string{"transcript.jsonl", "transcript.shortest.jsonl", "transcript.peer.jsonl"} {
		fsys["a/"+name] = &fstest.MapFile{Data: []byte(`{"tool":"` + name + `","args":{}}`)}
	}
	s := task.Spec{Source: task.Source{Name: "tasks", FS: fsys}, Dir: "a"}
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
		if got := k.Missing(s, test.target); got != test.missing {
			t.Errorf("%+v: %q is missing, want %q", test.target, got, test.missing)
		}
		factory, err := k.For(s, test.target)
		if (err != nil) != (test.missing != "") {
			t.Errorf("%+v: %v", test.target, err)
		}
		if err != nil {
			continue
		}
		a, err := factory()
		if err != nil {
			t.Fatal(err)
		}
		if d, err := a.Next(t.Context(), adapter.State{}); err != nil || d.Call.Tool != test.want {
			t.Errorf("%+v: %+v, %v; want the calls of %s", test.target, d, err, test.want)
		}
	}
}
