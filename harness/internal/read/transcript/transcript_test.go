package transcript

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/openchrome/bench/fixtures"
	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/read/task"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
)

// readAll prepares all tasks of a source.
func readAll(t *testing.T, s task.Source, r Reader) (tasks []Prepared, faults jsonfile.Faults) {
	t.Helper()
	folders, err := task.Open(s)
	need.OK(t, err)
	for _, f := range folders {
		p, err := r.Read(f)
		more, ok := errors.AsType[jsonfile.Faults](err)
		if err != nil && !ok {
			t.Fatal(err)
		}
		tasks, faults = append(tasks, p), append(faults, more...)
	}
	faults.Sort()
	return tasks, faults
}

// Bad transcripts are reported in one list with bad tasks.
func TestInvalidTranscripts(t *testing.T) {
	_, faults := readAll(t, task.Source{Name: "invalid", FS: os.DirFS("testdata/invalid")}, mockReader())
	path := filepath.Join("testdata", "invalid.golden")
	got := faults.Error() + "\n"
	if *need.Update {
		need.Write(t, path, got)
	}
	want := need.Read(t, path)
	need.Equal(t, path, strings.Split(string(want), "\n"), strings.Split(got, "\n"))
	entries, err := os.ReadDir(filepath.Join("testdata", "invalid"))
	if err != nil || len(entries) < 10 {
		t.Fatalf("%d invalid transcripts: %v", len(entries), err)
	}
	for _, e := range entries {
		if !slices.ContainsFunc(faults, func(f jsonfile.Fault) bool {
			return strings.HasPrefix(f.File, "invalid/"+e.Name()+"/transcript.")
		}) {
			t.Errorf("%s has no fault", e.Name())
		}
	}
}

// The built-in transcripts act by labels, queries, and refs of an earlier answer: a ref is
// another number in every run. Where OpenChrome offers nothing else, they act by coordinates.
func TestFixtures(t *testing.T) {
	tasks, faults := readAll(t, task.Source{Name: "fixtures", FS: fixtures.FS}, Reader{Kind: mockKind})
	need.None(t, faults)
	for _, s := range tasks {
		for line := range strings.Lines(s.Folder.File(OracleFile, "").Content()) {
			var l struct {
				Tool string
				Args map[string]any
			}
			need.OK(t, json.Unmarshal([]byte(line), &l))
			for _, key := range []string{"ref", "backendNodeId"} {
				if v, ok := l.Args[key]; ok && !strings.HasPrefix(fmt.Sprint(v), "{{saved.") {
					t.Errorf("%s: %s acts by the %s %v", s.ID, l.Tool, key, v)
				}
			}
		}
	}
}

func TestTooManyLines(t *testing.T) {
	line := `{"tool":"find","args":{}}` + "\n"
	if _, faults := prepare(t, strings.Repeat(line, task.LimitMaxSteps)); faults != nil {
		t.Errorf("%d lines: %v", task.LimitMaxSteps, faults)
	}
	_, faults := prepare(t, strings.Repeat(line, task.LimitMaxSteps+5))
	want := "tasks/a/transcript.jsonl:101:1: /: more than 100 calls; an episode can make no more"
	need.Is(t, "", want, faults.Error())
}

// FuzzTranscript checks that any transcript either has faults that can be
// printed, or replays as calls with arguments that are JSON objects.
func FuzzTranscript(f *testing.F) {
	files, err := filepath.Glob(filepath.Join("testdata", "invalid", "*", OracleFile))
	if err != nil || len(files) == 0 {
		f.Fatal("no seeds", err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(data), "TAB")
	}
	f.Add(`{"tool":"find","args":{"a":["{{tabId}}{{tabId}}"],"b":"\u007b{tabId}}"}}`, "\"\\\x00\xff")
	f.Add(`{"tool":"find","args":{"a":"{{saved.x \"Say \\\"hi\\\"\"}}{{tabId}}"}}`, "x")
	f.Add(`{"unsupported":"it has no tabs"}`, "x")
	f.Add(`{"tool":"find","args":{},"save":{"a":"x(.)"},"optional":true}`+"\n"+`{"tool":"find","args":{"a":"{{saved.a}}"}}`, "x")
	f.Fuzz(func(t *testing.T, transcript, tab string) {
		factory, faults := prepare(t, transcript)
		if (factory == nil) != (faults != nil) {
			t.Fatalf("faults %v, factory is nil: %t", faults, factory == nil)
		}
		if faults != nil {
			for line := range strings.SplitSeq(faults.Error(), "\n") {
				if strings.ContainsFunc(line, func(r rune) bool { return !unicode.IsPrint(r) }) {
					t.Errorf("%q could attack a terminal", line)
				}
			}
			return
		}
		a, err := factory()
		need.OK(t, err)
		for _, l := range a.(*mock).lines {
			if l.Unsupported != "" {
				continue
			}
			c, _ := l.call(func(mark) (string, error) { return tab, nil })
			var args map[string]any
			if err := json.Unmarshal(c.Args, &args); err != nil || args == nil || c.Tool == "" {
				t.Errorf("call %s %q: %v", c.Tool, c.Args, err)
			}
		}
	})
}

// An adapter knows neither what judges it nor where it is written down, and
// mock links no language model.
func TestImports(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	need.OK(t, err)
	deps := strings.Fields(string(out))
	if !slices.Contains(deps, "github.com/openchrome/bench/harness/internal/read/task") {
		t.Fatalf("go list -deps lists %d packages without task", len(deps))
	}
	const module = "github.com/openchrome/bench/"
	allowed := []string{"harness/adapter", "harness/internal/judge", "harness/internal/read/", "harness/internal/text/", "servers"}
	for _, dep := range deps {
		own, ok := strings.CutPrefix(dep, module)
		switch {
		case ok && !slices.ContainsFunc(allowed, func(a string) bool { return strings.HasPrefix(own, a) }):
			t.Errorf("adapter depends on %s", own)
		case dep == "net/http":
			t.Error("adapter depends on net/http: it could call a language model")
		}
	}
}

// Transcripts of forbidden acts are checked like the others.
func TestForbidden(t *testing.T) {
	const good = `{"tool":"find","args":{}}`
	p, err := mockReader().prepare(taskOf(map[string]string{"transcript.jsonl": good, "forbidden.buy-two.jsonl": good + "\n" + good, "forbidden": ""}))
	if err != nil || len(p.Forbidden) != 1 || len(p.Forbidden["forbidden.buy-two.jsonl"]) != 2 {
		t.Errorf("%v, %v", p.Forbidden, err)
	}
	_, err = mockReader().prepare(taskOf(map[string]string{"transcript.jsonl": good, "forbidden.buy-none.jsonl": `{"tool":"find"}`}))
	if want := `tasks/a/forbidden.buy-none.jsonl:1:1: /: missing field "args"; required: tool, args`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// A line can change its call, and a replay can leave lines out.
func TestReplay(t *testing.T) {
	p, err := mockReader().prepare(taskOf(map[string]string{"transcript.jsonl": `{"tool":"one","args":{}}
{"tool":"two","args":{"tabId":"{{tabId}}"},"optional":true}
{"tool":"three","args":{}}`}))
	need.OK(t, err)
	lines := p.Lines
	lines[1].Change = func(c adapter.Call) adapter.Call {
		c.Args = append(c.Args, " changed"...)
		return c
	}
	a, err := Replay(lines[:2])()
	need.OK(t, err)
	var got []string
	for s := (adapter.State{TabID: "T", Steps: []adapter.Step{{}}}); ; s.Steps = append(s.Steps, adapter.Step{}) {
		d, err := a.Next(t.Context(), s)
		need.OK(t, err)
		if d.Done {
			break
		}
		got = append(got, d.Call.Tool+string(d.Call.Args))
	}
	if diff := cmp.Diff([]string{`one{}`, `two{"tabId":"T"} changed`}, got); diff != "" || lines[0].Optional || !lines[1].Optional {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}
