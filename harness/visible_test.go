package harness_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness"
	"github.com/openchrome/bench/harness/internal/need"
)

// What a log or the name of a file says goes to the terminal as text, also in an error.
func TestErrorsAreVisible(t *testing.T) {
	out := t.TempDir()
	o := onStandin(out)
	o.Task = "example-h1"
	need.OK(t, harness.Run(t.Context(), o))
	events := filepath.Join(out, "events")
	raw := need.Read(t, filepath.Join(events, "r.jsonl"))
	log := bytes.Replace(raw, []byte(`"episodes":`), []byte(`"notes":["\u001b[2J\nPASSED\u202e"],"episodes":`), 1)
	odd := filepath.Join(events, "odd\x1b[2J\u202e.jsonl")
	for name, data := range map[string][]byte{filepath.Join(events, "r.jsonl"): log, odd: []byte("{}\n")} {
		if err := os.WriteFile(name, data, 0o644); err != nil {
			t.Skip("this file system does not allow the name:", err)
		}
	}
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"bench:mock", "-server=standin", "-task=example-h1", "-resume=r"}, `\x1b[2J\nPASSED\u202e`},
		{[]string{"report:show", "-run=odd\x1b[2J\u202e"}, `odd\x1b[2J\u202e.jsonl:1`},
		{[]string{"report:show", "-run=none"}, `odd\x1b[2J\u202e`},
		{[]string{"report:merge", "-runs=" + out, "-run=new"}, `odd\x1b[2J\u202e.jsonl:1`},
		{[]string{"report:compare", "-base=none", "-head=r"}, `odd\x1b[2J\u202e`},
	} {
		t.Run(strings.Join(test.args, " "), func(t *testing.T) {
			raw, err := exec.Command(bench, append(test.args, "-out="+out)...).CombinedOutput()
			if got := string(raw); err == nil || !strings.Contains(got, test.want) || strings.ContainsAny(got, "\x1b\u202e") {
				t.Errorf("%v\n%q\nwant %s", err, got, test.want)
			}
		})
	}
}
