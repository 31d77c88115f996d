package task

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/openchrome/bench/fixtures"
	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
	"github.com/openchrome/bench/harness/internal/web"
)

// hosts are the fixture sites that the tests' tasks may name.
var hosts = []string{"example.com", "forms.test", "recovery.test"}

// golden compares got with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *need.Update {
		need.Write(t, path, got)
	}
	want := need.Read(t, path)
	need.Equal(t, path, strings.Split(string(want), "\n"), strings.Split(got, "\n"))
}

// One run names every fault of every file, in order.
func TestLoadInvalid(t *testing.T) {
	dir := filepath.Join("testdata", "invalid")
	specs, err := read(Source{"invalid", os.DirFS(dir)}, Options{Hosts: hosts})
	if specs != nil {
		t.Errorf("%d specs came with faults", len(specs))
	}
	faults, ok := errors.AsType[jsonfile.Faults](err)
	if !ok {
		t.Fatalf("error is a %T, want jsonfile.Faults: %v", err, err)
	}
	golden(t, "invalid.golden", faults.Error()+"\n")

	named := make(map[string]bool)
	for _, f := range faults {
		named[f.File] = true
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) < 25 {
		t.Fatalf("%d invalid tasks, want at least 25: %v", len(entries), err)
	}
	for _, e := range entries {
		if !named["invalid/"+e.Name()+"/task.json"] {
			t.Errorf("%s has no fault", e.Name())
		}
	}
}

// However many there are, each fault of a contract is named, also of a child of
// something that has no kind.
func TestLoadNamesEveryFault(t *testing.T) {
	bad := strings.Replace(minimal, `{"kind":"no_dialog"}`, `{"kind":"andd","children":[{"kind":"network","url_pattern":"(a+)+","since":"contract_enter",
		"status_in":[`+strings.Repeat("99,", 149)+`99]}]}`, 1)
	_, err := read(source(map[string]string{"a/task.json": bad}), Options{})
	faults, _ := errors.AsType[jsonfile.Faults](err)
	if len(faults) != 152 {
		t.Errorf("%d faults, want 152: 150 statuses, the pattern and the kind:\n%.2000v", len(faults), err)
	}
}

const minimal = `{"id":"a","title":"T","startUrl":"https://example.com","goal":"G","success":{"kind":"no_dialog"}}`

func source(files map[string]string) Source {
	fsys := make(fstest.MapFS)
	for name, data := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(data)}
	}
	return Source{"tasks", fsys}
}

// with returns the minimal task with more fields.
func with(fields string) string { return minimal[:len(minimal)-1] + "," + fields + "}" }

// read reads all tasks of a source.
func read(s Source, o Options) ([]Spec, error) {
	folders, err := Open(s)
	faults, _ := errors.AsType[jsonfile.Faults](err)
	var specs []Spec
	for _, f := range folders {
		spec, more := f.Read(o)
		specs, faults = append(specs, spec), append(faults, more...)
	}
	if faults != nil {
		return nil, faults.Err()
	}
	return specs, nil
}

func load(t *testing.T, o Options, files map[string]string) []Spec {
	t.Helper()
	specs, err := read(source(files), o)
	need.OK(t, err)
	return specs
}

// sameSpec compares what was read, and contracts by their JSON.
var sameSpec = cmp.Options{
	cmpopts.IgnoreFields(Spec{}, "Folder"),
	cmp.Transformer("raw", func(c *judge.Contract) string { return string(c.Raw()) }),
}

func TestLoad(t *testing.T) {
	success, faults := judge.Parse([]byte(`{"kind":"no_dialog"}`))
	need.None(t, faults)
	base := Spec{
		ID: "a", Title: "T", StartURL: "https://example.com", Goal: "G", Success: success,
		MaxSteps: 30, MaxDurationMs: 120_000, Category: "info_retrieval", Revision: 1,
	}
	tests := []struct {
		name, file string
		options    Options
		want       func(*Spec)
	}{
		{"defaults", minimal, Options{Hosts: hosts}, func(*Spec) {}},
		{"everything", with(`"$schema":"../task.schema.json","maxSteps":100,"maxDurationMs":600000,"tags":["x","y z"],
			"setup":{"clearCookies":true,"viewport":{"width":800,"height":1}},"category":"recovery","mechanics":"m","revision":7`),
			Options{}, func(s *Spec) {
				s.MaxSteps, s.MaxDurationMs, s.Tags = 100, 600_000, []string{"x", "y z"}
				s.Setup = Setup{ClearCookies: true, Viewport: &Viewport{800, 1}}
				s.Category, s.Mechanics, s.Revision = "recovery", "m", 7
			}},
		{"integers in any notation", with(`"maxSteps":1e2,"maxDurationMs":60.0E3,"setup":{"viewport":{"width":8e2,"height":600.0}}`),
			Options{}, func(s *Spec) {
				s.MaxSteps, s.MaxDurationMs, s.Setup.Viewport = 100, 60_000, &Viewport{800, 600}
			}},
		{"empty setup and tags", with(`"setup":{},"tags":[]`), Options{}, func(*Spec) {}},
		{"caps replaced", with(`"maxSteps":7,"maxDurationMs":7`), Options{MaxSteps: 2, MaxDuration: time.Second},
			func(s *Spec) { s.MaxSteps, s.MaxDurationMs = 2, 1000 }},
		{"live web", strings.Replace(minimal, "example.com", "en.wikipedia.org:443", 1), Options{Hosts: hosts, LiveWeb: true},
			func(s *Spec) { s.StartURL = "https://en.wikipedia.org:443" }},
		{"host in upper case", strings.Replace(minimal, "https://example.com", "HTTP://EXAMPLE.com/x?y#z", 1), Options{Hosts: hosts},
			func(s *Spec) { s.StartURL = "HTTP://EXAMPLE.com/x?y#z" }},
		{"picture question", strings.Replace(minimal, `{"kind":"no_dialog"}`,
			`{"kind":"not","child":{"kind":"image_qa","question":"q","expected_pattern":"p"}}`, 1), Options{},
			func(s *Spec) {
				s.Success, _ = judge.Parse([]byte(`{"kind":"not","child":{"kind":"image_qa","question":"q","expected_pattern":"p"}}`))
				s.Warnings = jsonfile.Faults{{File: "tasks/a/task.json", Line: 1, Col: 99, Pointer: "/success/child",
					Msg: "image_qa needs a vision model; this harness has none, so the episode will be inconclusive"}}
			}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := load(t, tt.options, map[string]string{"a/task.json": tt.file, "README.md": "", ".git/config": ""})
			want := base
			tt.want(&want)
			need.Equal(t, "Load", []Spec{want}, got, sameSpec, cmpopts.EquateEmpty())
			if got, want := got[0].Folder.Path("x"), "tasks/a/x"; got != want {
				t.Errorf("Path: got %s, want %s", got, want)
			}
		})
	}
}

// Each built-in task is in one suite and in one family.
func TestLoadFixtures(t *testing.T) {
	set, err := web.Open()
	need.OK(t, err)
	specs, err := read(Source{"fixtures", fixtures.FS}, Options{Hosts: set.Hosts()})
	need.OK(t, err)
	var ids []string
	for _, s := range specs {
		ids = append(ids, s.ID)
		families := slices.DeleteFunc(slices.Clone(s.Tags), func(tag string) bool { return !slices.Contains(record.Families, tag) })
		if s.Suite() == "" || len(families) != 1 {
			t.Errorf("%s has the tags %q, want one of %q and one of %q", s.ID, s.Tags, Suites[:len(Suites)-1], record.Families)
		}
	}
	folders, err := Open(Source{"fixtures", fixtures.FS})
	need.OK(t, err)
	for _, want := range []string{"example-h1", "local-form-submit", "local-recovery-stall"} {
		if _, err := Select(folders, Selection{IDs: want, Suite: "smoke"}); err != nil {
			t.Errorf("%v; there are %v", err, ids)
		}
	}
}

func TestLoadNoTask(t *testing.T) {
	tests := []struct {
		name   string
		source Source
		want   string
	}{
		{"no tasks", source(nil), "tasks:1:1: /: no task in this folder; make a folder in it for each task, with a task.json"},
		{"one task's folder", source(map[string]string{"task.json": minimal}),
			"tasks/task.json:1:1: /: this is the folder of a single task; name the folder above it"},
		{"no folder", Source{"gone\n", os.DirFS(filepath.Join("testdata", "gone"))},
			`gone\n:1:1: /: the folder of tasks cannot be read: no such file or directory`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := read(tt.source, Options{})
			need.Is(t, "", tt.want, fmt.Sprint(err))
		})
	}
}

// A file without an end is not read, not even to select tasks by their tags.
func TestLoadLargeFile(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "large", FileName)
	need.OK(t, os.Mkdir(filepath.Dir(name), 0o755))
	need.OK(t, errors.Join(os.WriteFile(name, nil, 0o644), os.Truncate(name, 256<<20)))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := read(Source{dir, os.DirFS(dir)}, Options{})
	runtime.ReadMemStats(&after)
	if made := after.TotalAlloc - before.TotalAlloc; err == nil || !strings.Contains(err.Error(), "task.json:1:1: /: cannot be read: it is larger than") || made > 50<<20 {
		t.Errorf("%v; %d MB were allocated", err, made>>20)
	}
}

func TestLoadLinkedFolder(t *testing.T) {
	dir := t.TempDir()
	real := filepath.Join(t.TempDir(), "a")
	if err := errors.Join(os.Mkdir(real, 0o755), os.WriteFile(filepath.Join(real, FileName), []byte(minimal), 0o644),
		os.Symlink(real, filepath.Join(dir, "a"))); err != nil {
		t.Fatal(err)
	}
	specs, err := read(Source{dir, os.DirFS(dir)}, Options{})
	if err != nil || len(specs) != 1 {
		t.Errorf("got %d specs, %v", len(specs), err)
	}
}

func TestSelect(t *testing.T) {
	folders, err := Open(source(map[string]string{
		"a/task.json": `{"tags":["x"]}`, "b/task.json": `{"tags":["x","long tag"]}`, "c/task.json": `{"tags":["y","core"]}`,
		"example-h1/task.json": `{"tags":["smoke"]}`, "h/task.json": `{"tags":["hard","x"]}`, "bad/task.json": "{", "none/notes": "",
	}))
	need.OK(t, err)
	tests := []struct {
		Selection
		want, err string
	}{
		{Selection{}, "a b bad c example-h1 h none", ""},
		{Selection{IDs: "b, a"}, "a b", ""},
		{Selection{Suite: "x"}, "a b h", ""},
		{Selection{Suite: "long tag"}, "b", ""},
		{Selection{IDs: "a,b", Suite: "long tag,x"}, "a b", ""},
		{Selection{IDs: "a, b,h", Suite: "long tag"}, "", `-task: not in -suite=long tag: a, h; leave out -suite to run them`},
		{Selection{Suite: "smoke"}, "example-h1", ""},
		{Selection{Suite: "core"}, "c example-h1", ""},
		{Selection{Suite: "hard"}, "h", ""},
		{Selection{Suite: "all"}, "a b bad c example-h1 h none", ""},
		{Selection{Suite: "hard, y"}, "c h", ""},
		{Selection{IDs: "exmaple-h1"}, "", `-task: no task "exmaple-h1"; mage task:check -verbose lists the tasks, and -tasks=FOLDER takes yours; did you mean "example-h1"?`},
		{Selection{IDs: "a,"}, "", `-task: no task ""; mage task:check -verbose lists the tasks, and -tasks=FOLDER takes yours`},
		{Selection{IDs: "d", Tasks: "my tasks"}, "", `-task: no task "d"; mage task:check -verbose '-tasks=my tasks' lists the tasks`},
		{Selection{Suite: "long tags"}, "", `-suite: no suite or tag "long tags"; mage task:check -verbose lists the tasks, and -tasks=FOLDER takes yours; did you mean "long tag"?`},
		{Selection{Suite: "Core"}, "", `-suite: no suite or tag "Core"; mage task:check -verbose lists the tasks, and -tasks=FOLDER takes yours; did you mean "core"?`},
		{Selection{IDs: "example-h1", Suite: "hard"}, "", `-task: not in -suite=hard: example-h1; leave out -suite to run them`},
	}
	for _, tt := range tests {
		chosen, err := Select(folders, tt.Selection)
		var got []string
		for _, f := range chosen {
			got = append(got, f.Name)
		}
		if err != nil {
			got = nil
		}
		if strings.Join(got, " ") != tt.want || (err == nil) != (tt.err == "") || err != nil && err.Error() != tt.err {
			t.Errorf("Select(%v) = %v, %v, want %s, %s", tt.Selection, got, err, tt.want, tt.err)
		}
	}
	if _, err := Select(nil, Selection{}); err == nil {
		t.Error("no specs: no error")
	}
}
