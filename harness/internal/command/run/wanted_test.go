package run

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/command/program"
	"github.com/openchrome/bench/harness/internal/need"
)

// A spy sends a wrong value. Before it is done, so before the verdict, it keeps all that a server can
// read: the answers, the files of the run, and the processes of the harness.
type spy struct {
	out  string
	read map[string]string // by name
}

var spying spy

func init() {
	adapter.Register(adapter.Kind{Name: "spy", Prepare: func() (adapter.Factory, error) {
		return func() (adapter.Adapter, error) { return &spying, nil }, nil
	}})
}

func (s *spy) Next(_ context.Context, state adapter.State) (adapter.Decision, error) {
	if len(state.Steps) == 1 {
		args := fmt.Sprintf(`{"tabId": %q, "fields": {"Code": "wrong"}, "submit": "Send"}`, state.TabID)
		return adapter.Decision{Call: adapter.Call{Tool: "fill_form", Args: []byte(args)}}, nil
	}
	said, err := json.Marshal(state)
	if err != nil {
		return adapter.Decision{}, err
	}
	s.read["the answers"] = string(said)
	err = filepath.WalkDir(s.out, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			raw, _ := os.ReadFile(path)
			s.read[path] = string(raw)
		}
		return err
	})
	s.processes("self")
	return adapter.Decision{Done: true}, err
}

// processes keeps the arguments and variables of a process and of all that it started.
func (s *spy) processes(pid string) {
	for _, name := range []string{"cmdline", "environ"} {
		if raw, err := os.ReadFile(filepath.Join("/proc", pid, name)); err == nil {
			s.read[pid+" "+name] = string(raw)
		}
	}
	tasks, _ := filepath.Glob(filepath.Join("/proc", pid, "task", "*", "children"))
	for _, task := range tasks {
		raw, _ := os.ReadFile(task)
		for _, child := range strings.Fields(string(raw)) {
			s.processes(child)
		}
	}
}

// Before the verdict, no wanted value is in an answer, in the log or in a process, unless a page or a call
// has shown it. The reason of the failure has it afterwards.
func TestWantedIsNotShown(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"tasks/a-b/task.json": `{"id": "a-b", "title": "T", "startUrl": "https://wanted.test/", "goal": "Send the code that you know.", "category": "form_fill", "tags": ["forms"], "maxSteps": 5, "maxDurationMs": 30000,
			"success": {"kind": "network", "url_pattern": "^https://wanted\\.test/\\.end/receipt/w4nted-receipt$", "status_in": [200], "since": "contract_enter"}}`,
		"sites/wanted.test/index.html": `<title>Codes</title><h1>Codes</h1><form method="post" action="/code"><label for="c">Code</label> <input id="c" name="code"> <button type="submit">Send</button></form>`,
		"sites/wanted.test/routes.json": `[
			{"method": "POST", "path": "/code", "when": {"field": {"code": "w4nted-code"}}, "set": {"sent": "w4nted-state"}, "location": "/receipt/w4nted-receipt"},
			{"method": "POST", "path": "/code", "location": "/"},
			{"path": "/receipt/w4nted-receipt", "receipt": true, "when": {"state": {"sent": "w4nted-state"}}, "status": 204}]`,
	} {
		need.Write(t, filepath.Join(dir, name), text)
	}
	o := quiet(filepath.Join(dir, "out"))
	spying = spy{o.Out, map[string]string{}}
	var printed bytes.Buffer
	o.Tasks, o.Sites, o.Adapter, o.Stdout, o.Stderr = filepath.Join(dir, "tasks"), filepath.Join(dir, "sites"), "spy", &printed, &printed
	err := Run(t.Context(), o)
	if program.ExitCode(err) != program.ExitFailed {
		t.Fatalf("got %v\n%s", err, printed.String())
	}
	for name, text := range spying.read {
		if i := strings.Index(text, "w4nted"); i >= 0 {
			t.Errorf("%s shows %s", name, text[i:min(i+40, len(text))])
		}
	}
	log := filepath.Join(o.Out, "events", "r.jsonl")
	if !strings.Contains(spying.read[log], `"fill_form"`) || !strings.Contains(spying.read["the answers"], "Codes") || spying.read["self cmdline"] == "" {
		t.Errorf("the spy read too little: %d texts, %d bytes of the log", len(spying.read), len(spying.read[log]))
	}
	raw, err := os.ReadFile(log)
	if before, after, ok := bytes.Cut(raw, []byte(`"type":"facts"`)); err != nil || !ok || bytes.Contains(before, []byte("w4nted")) || !bytes.Contains(after, []byte(`\"w4nted-code\"`)) {
		t.Errorf("%v, the log:\n%s", err, raw)
	}
	need.Has(t, printed.String(), `wanted "w4nted-code"`)
}
