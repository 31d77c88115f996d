package harness_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness"
	"github.com/openchrome/bench/harness/internal/tell/report"
)

// A server that the harness does not know needs one profile: no code, and no file of a task. Here it
// is the stand-in under other names, which tells nobody its tabs.
func TestProfileOfAnotherServer(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the server is a shell script with sed -u")
	}
	t.Parallel()
	dir := t.TempDir()
	program := filepath.Join(dir, "standin")
	build := exec.Command("go", "build", "-o", program, "./harness/internal/drive/standin/cmd/standin")
	build.Dir = root()
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	names := []string{"read_page", "look", "fill_form", "write", "form_input", "put", "interact", "push", "navigate", "visit", "javascript_tool", "evaluate", "tabs_context", "places", "tabId", "place"}
	var in, out string
	for i := 0; i < len(names); i += 2 {
		in += " -e 's/\"" + names[i+1] + "\"/\"" + names[i] + "\"/'"
		out += " -e 's/" + names[i] + "/" + names[i+1] + "/g'"
	}
	profile, err := os.ReadFile(filepath.Join(root(), "harness/internal/drive/policy/profiles/openchrome.json"))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.NewReplacer(append(names, `"server": "openchrome"`, `"server": "toy", "tab": "00000000000000000000000000000001"`,
		`"args": {"tabId": "{{tab}}", "url": "{{text}}"}`, `"args": {"url": "{{text}}"}`)...).Replace(string(profile))
	script, file := filepath.Join(dir, "server"), filepath.Join(dir, "toy.json")
	if err := os.WriteFile(script, []byte("#!/bin/sh\nsed -u"+in+" | '"+program+"' | sed -u"+out+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	o := onStandin(t.TempDir())
	var printed bytes.Buffer
	o.OpenChrome, o.Profile, o.Adapter, o.Task, o.Stdout = script, file, "policy:form,form+check,ref", "form-submit-value,local-form-submit,auth-login", &printed
	if err := harness.Run(t.Context(), o); err != nil {
		t.Fatalf("%v\n%s", err, printed.String())
	}
	r, err := report.FromFile(t.Context(), filepath.Join(o.Out, "events", "r.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if r.Totals.Passed != 9 || r.Profile.Server != "toy" || r.Episodes.At(0).Calls[0].Tool != "visit" {
		t.Errorf("%+v, profile %+v, first call %s\n%s", r.Totals, r.Profile, r.Episodes.At(0).Calls[0].Tool, printed.String())
	}
}
