package harness_test

import (
	"bytes"
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness"
	"github.com/openchrome/bench/harness/internal/command/program"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/tell/report"
)

// renamed is a stand-in on stdio whose tools and arguments have other names: it returns the
// command line. names are pairs of an old and a new one.
func renamed(t *testing.T, names ...string) (line string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("the server is a shell script with sed -u")
	}
	script := filepath.Join(t.TempDir(), "server")
	var in, out string
	for i := 0; i < len(names); i += 2 {
		in += " -e 's/\"" + names[i+1] + "\"/\"" + names[i] + "\"/'"
		out += " -e 's/" + names[i] + "/" + names[i+1] + "/g'"
		if names[i] == "fill_form" { // a call of the old name finds nothing
			in = " -e 's/\"" + names[i] + "\"/\"gone\"/'" + in
		}
	}
	need.OK(t, os.WriteFile(script, []byte("#!/bin/sh\nsed -u -e ''"+in+" | '"+need.Self(t)+"' broken none | sed -u -e ''"+out+"\n"), 0o755))
	return script
}

// described writes OpenChrome's description with pairs of an old and a new text, and returns the file.
func described(t *testing.T, pairs ...string) (file string) {
	t.Helper()
	text := need.Read(t, filepath.Join(root(), "servers", "openchrome.json"))
	file = filepath.Join(t.TempDir(), "description.json")
	need.OK(t, os.WriteFile(file, []byte(strings.NewReplacer(pairs...).Replace(string(text))), 0o600))
	return file
}

// A server that the harness does not know needs one description: no code, and no file of a task. Here
// it is the stand-in under other names, which tells nobody its tabs.
func TestDescriptionOfAnotherServer(t *testing.T) {
	t.Parallel()
	names := []string{"read_page", "look", "fill_form", "write", "form_input", "put", "interact", "push", "navigate", "visit", "javascript_tool", "evaluate", "tabs_context", "places", "tabId", "place"}
	o := onStandin(t.TempDir())
	var printed bytes.Buffer
	o.Server = renamed(t, names...)
	o.Profile = described(t, append(names, `"name": "openchrome"`, `"name": "toy"`, `"argument": "tabId"`, `"first": "00000000000000000000000000000001"`,
		`"args": {"tabId": "{{tab}}", "url": "{{text}}"}`, `"args": {"url": "{{text}}"}`, `"also": ["tabs_context_mcp"], `, "")...)
	o.Adapter, o.Task, o.Parallel, o.Stdout = "policy:form+check,ref", "local-form-submit,auth-login,example-h1", 4, &printed
	if err := harness.Run(t.Context(), o); err != nil {
		t.Fatalf("%v\n%s", err, printed.String())
	}
	r, err := report.FromFile(t.Context(), filepath.Join(o.Out, "events", "r.jsonl"))
	need.OK(t, err)
	if notes := strings.Join(r.Notes, "\n"); !strings.Contains(notes, "left out 1 task whose contract needs a page, which this server's browser does not show us: example-h1") {
		t.Errorf("notes: %s", notes)
	}
	if r.Totals.Passed != 4 || r.Profile.Server != "toy" || r.Episodes.At(0).Calls[0].Tool != "visit" {
		t.Errorf("%+v, profile %+v, first call %s\n%s", r.Totals, r.Profile, r.Episodes.At(0).Calls[0].Tool, printed.String())
	}

	// A transcript needs it, too: to open a page, and for the words of a call.
	o.Adapter, o.Task, o.RunID, o.Tasks = "mock", "one", "m", t.TempDir()
	writeTask(t, filepath.Join(o.Tasks, "one"), "https://example.com/", `{"kind":"network","url_pattern":"example","status_in":[200],"since":"contract_enter"}`, `{"tool":"push","args":{"query":"nowhere"}}`)
	need.Write(t, filepath.Join(o.Tasks, "one", "transcript.toy.jsonl"), `{"tool":"push","args":{"query":"nowhere"}}`)
	harness.Run(t.Context(), o)
	r, err = report.FromFile(t.Context(), filepath.Join(o.Out, "events", "m.jsonl"))
	need.OK(t, err)
	if e := r.Episodes.At(0); r.Profile.Server != "toy" || e.Calls[0].Tool != "visit" {
		t.Errorf("by a transcript: %+v, profile %+v", e.Calls, r.Profile)
	}
}

// A tool that was renamed is found by its other name. If the description does not know that, every
// report begins with the tool that is missing.
func TestRenamedTool(t *testing.T) {
	t.Parallel()
	same, line := need.Self(t)+" broken none", renamed(t, "fill_form", "form_fill")
	run := func(line, also string) (o harness.Options, printed string) {
		o = onStandin(t.TempDir())
		var b bytes.Buffer
		o.Server, o.Adapter, o.Task, o.Parallel, o.Stdout = line, "policy:submit,form", "flt-500,local-form-submit", 4, &b
		o.Profile = described(t, `"fill_form": {`, `"fill_form": {`+also)
		o.Format = "junit,gobench"
		if err := harness.Run(t.Context(), o); err != nil && (also != "" || line == same) {
			t.Fatalf("%v\n%s", err, b.String())
		}
		return o, b.String()
	}
	knows, _ := run(line, `"also": ["form_fill"], `)
	r, err := report.FromFile(t.Context(), filepath.Join(knows.Out, "events", "r.jsonl"))
	need.OK(t, err)
	used := false
	for _, e := range r.Episodes.All() {
		for _, c := range e.Calls {
			used = used || c.Tool == "form_fill"
		}
	}
	if r.Totals.Passed != 4 || !used || r.NoTools != nil {
		t.Errorf("%+v; form_fill was called: %t; missing %v", r.Totals, used, r.NoTools)
	}

	before, _ := run(same, "")
	o, printed := run(line, "")
	const missing = "the server has no tool fill_form"
	var compared bytes.Buffer
	harness.Call(t.Context(), "report:compare", harness.Options{Out: o.Out, Base: before.Out, Head: o.Out, Stdout: &compared, Stderr: &compared})
	if _, first, _ := strings.Cut(compared.String(), ": "); !strings.HasPrefix(first, "the head has no fill_form; new: form_fill; ") {
		t.Errorf("the comparison begins with %s", compared.String())
	}
	for _, ext := range []string{"md", "html", "json", "bench.txt", "junit.xml", ""} {
		text := printed
		if ext != "" {
			data := need.Read(t, filepath.Join(o.Out, "reports", "r."+ext))
			text = string(data)
		}
		at := strings.Index(text, missing)
		if other := strings.Index(text, "answered with an error"); at < 0 || ext != "" && other >= 0 && other < at {
			t.Errorf("%s: the missing tool is at %d, another reason at %d", cmp.Or(ext, "printed"), at, other)
		}
	}
}

// Whether a description fits the server is decided before the run.
func TestDescriptionFits(t *testing.T) {
	t.Parallel()
	blind := described(t, `(?P<ref>\\d+)`, `(?P<ref>x\\d+)`)
	for _, test := range []struct{ server, profile, want string }{
		{need.Self(t) + " broken none", "", ""},
		{need.Self(t) + " broken none", blind, `it finds nothing to press "A link", press "A button", fill "A field", fill "A note", choose "A list", check "A box", check "A choice"; see servers/README.md`},
		{renamed(t, "openchrome-bench-standin", "stranger"), "", `-server: no description knows this server, "stranger"; write one for -profile: see servers/README.md`},
		{renamed(t, "openchrome-bench-standin", "stranger"), described(t), ""},
	} {
		o := onStandin(t.TempDir())
		o.Server, o.Profile, o.Adapter, o.Task = test.server, test.profile, "policy:form", "local-form-submit"
		err := harness.Run(t.Context(), o)
		if test.want == "" {
			need.OK(t, err)
			continue
		}
		if exit, ok := errors.AsType[*program.ExitError](err); !ok || exit.Code != program.ExitUsage || !strings.HasSuffix(err.Error(), test.want) {
			t.Errorf("%s: %v, want %s", test.server, err, test.want)
		}
	}
}
