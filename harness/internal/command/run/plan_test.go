package run

import (
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/option"
	"github.com/openchrome/bench/harness/internal/read/transcript"
)

// write writes files below a new folder, and returns the folder.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		need.Write(t, path, text)
	}
	return dir
}

// own is a selection of two tasks that draw the same host, and of one that does not.
func own(t *testing.T) Options {
	const about = `"title":"T","goal":"G","success":{"kind":"no_dialog"},"startUrl":"http://`
	dir := write(t, map[string]string{
		"tasks/a/task.json":               `{"id":"a",` + about + `example.com"}`,
		"tasks/b/task.json":               `{"id":"b",` + about + `one.test"}`,
		"tasks/b/params.json":             `{"sites":["one.test"],"values":{"word":{"int":[1,1000000]}}}`,
		"tasks/c/task.json":               `{"id":"c",` + about + `two.test"}`,
		"tasks/c/params.json":             `{"sites":["one.test","two.test"],"values":{"word":{"int":[1,1000000]}}}`,
		"sites/one.test/index.tmpl.html":  "{{.Param.word}}",
		"sites/two.test/index.tmpl.html":  "{{.Param.word}}",
		"sites/none.test/index.tmpl.html": "{{.Param.word}}",
	})
	s := Options{Values: option.Values{Tasks: filepath.Join(dir, "tasks"), Sites: filepath.Join(dir, "sites")}}
	s.Stdout, s.Stderr = io.Discard, io.Discard
	return s
}

// tasksOf reads all tasks, without transcripts.
func tasksOf(s Options) ([]transcript.Prepared, error) {
	s.Adapter = transcript.None
	p, err := readPlan(s, true, "run")
	if err != nil {
		return nil, err
	}
	return p.tasks, nil
}

// Each host shows the values of the first task that lists it.
func TestDrawnSites(t *testing.T) {
	s := own(t)
	seen := make(map[string]string)
	for s.Seed = range 2 {
		set, _, err := drawnSites(s)
		need.OK(t, err)
		tasks, err := tasksOf(s)
		need.OK(t, err)
		w := set.NewWeb()
		page := func(host string) string {
			rec := httptest.NewRecorder()
			w.ServeHTTP(rec, httptest.NewRequest("GET", "http://"+host+"/", nil))
			return rec.Body.String()
		}
		for host, n := range map[string]int{"one.test": 1, "two.test": 2} {
			got, want := page(host), tasks[n].Values["word"]
			if got != want || seen[got] != "" {
				t.Errorf("seed %d: %s shows %s, want %s, and other values than %s", s.Seed, host, got, want, seen[got])
			}
			seen[got] = host
		}
		if got := page("none.test"); !strings.Contains(got, "no values") {
			t.Errorf("none.test shows %s", got)
		}
	}
}

// With -task, a host shows the values of that task.
func TestDrawnSitesOfTask(t *testing.T) {
	s := own(t)
	s.Task = "c"
	set, _, err := drawnSites(s)
	need.OK(t, err)
	s.Task = ""
	tasks, err := tasksOf(s)
	need.OK(t, err)
	rec := httptest.NewRecorder()
	set.NewWeb().ServeHTTP(rec, httptest.NewRequest("GET", "http://one.test/", nil))
	if got, want := rec.Body.String(), tasks[2].Values["word"]; tasks[2].ID != "c" || got != want {
		t.Errorf("one.test shows %s, want %s of task %s", got, want, tasks[2].ID)
	}
}

// A host that shows values is of no use if no task lists it.
func TestUnlisted(t *testing.T) {
	s := own(t)
	check := func(s Options) string {
		var out, warnings strings.Builder
		s.Stdout, s.Stderr = &out, &warnings
		s.Adapter = "none"
		need.OK(t, Check(t.Context(), s))
		return warnings.String()
	}
	want := `warning: none.test: its pages show drawn values, but no task lists the host in "sites" of its params.json
`
	need.Equal(t, "own tasks and sites", want, check(s))
	need.Equal(t, "built-in tasks and sites", "", check(Options{}))
	os.Remove(filepath.Join(s.Sites, "none.test", "index.tmpl.html"))
	os.Remove(filepath.Join(s.Sites, "none.test"))
	need.Equal(t, "all hosts are listed", "", check(s))
}
