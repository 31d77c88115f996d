package history_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/history"
	"github.com/openchrome/bench/harness/internal/tell/report"
)

var made int64 // runs, each of which began a second later

// version is a run of a build. Each task has as many episodes as its string, "p" passed, "f" failed by a false success
// and "v" void.
func version(name, date string, tasks map[string]string) *report.Report {
	r := &report.Report{
		RunID: "r-" + name, Adapter: "mock", Server: &record.Server{Name: "openchrome", Version: name, Launcher: "local"},
		Package: &record.Package{Version: name, Describe: "v" + name, Commit: name, Date: date},
	}
	made++
	r.Began = time.Unix(made, 0)
	n := 0
	for id, outcomes := range tasks {
		r.Tasks = append(r.Tasks, report.Task{Task: record.Task{ID: id, Category: "forms"}, Content: "aaaa"})
		for i, is := range outcomes {
			e := report.Episode{RunID: r.RunID, TaskID: id, Repetition: i + 1, Category: "forms", Status: record.Passed, Kept: &report.Kept{}}
			switch e.Success = is == 'p'; is {
			case 'f':
				e.Status = record.Failed
				e.Kept.Untrue = []report.Untrue{{Tool: "form_input", Word: "false success: other value", N: 1, Step: 2}}
			case 'v':
				e.Status = record.AdapterError
			}
			r.Episodes.Add(e)
			n++
		}
	}
	r.Kept = true
	if err := r.AddUp(n, 0); err != nil {
		panic(err)
	}
	return r
}

func TestHistory(t *testing.T) {
	found := []history.Found{{Server: "OpenChrome", Task: "a", From: "v1.9", To: "v1.10", Commit: "21e0340"}}
	type tasks = map[string]string
	once, stopped := version("1", "", tasks{"a": "p"}), version("2", "", tasks{"a": "f"})
	stopped.Parity.Run = "p"
	need.OK(t, stopped.AddUp(5, 0))
	for _, test := range []struct {
		name, want string
		runs       []*report.Report
	}{
		{"one", "only v1: there is nothing to compare it with", []*report.Report{version("1", "", tasks{"a": "p"})}},
		{"by number, not by text", "v1.10, since v1.9: a fell (false success in form_input, by 21e0340); nothing rose",
			[]*report.Report{version("1.10", "", tasks{"a": "fff"}), version("1.9", "", tasks{"a": "ppp"})}},
		{"by the commit's date", "v1.9, since v1.10: nothing fell; a rose (before: false success in form_input, seen once)",
			[]*report.Report{version("1.9", "2026-02-01T00:00:00Z", tasks{"a": "p"}), version("1.10", "2026-01-01T00:00:00Z", tasks{"a": "f"})}},
		{"runs of one build are one version", "v2, since v1: a fell (false success in form_input); nothing rose",
			[]*report.Report{version("1", "", tasks{"a": "p"}), version("1", "", tasks{"a": "pp"}), version("2", "", tasks{"a": "fff"})}},
		{"a run that is there twice counts once", "v2, since v1: a fell (false success in form_input, seen once); nothing rose",
			[]*report.Report{once, version("2", "", tasks{"a": "fff"}), once, once}},
		{"a side of bench:parity that is not whole is left out", "v2, since v1: a fell (false success in form_input, seen once); nothing rose",
			[]*report.Report{version("1", "", tasks{"a": "p"}), version("2", "", tasks{"a": "f"}), stopped}},
		{"a version without the task, or with a void one", "v4, since v1: a fell (false success in form_input, seen once); nothing rose",
			[]*report.Report{version("1", "", tasks{"a": "p", "b": "p"}), version("2", "", tasks{"b": "p"}),
				version("3", "", tasks{"a": "v", "b": "p"}), version("4", "", tasks{"a": "f", "b": "p"})}},
		{"later versions changed nothing", "up to v3, no task rose or fell after v2; v2, since v1: a fell (false success in form_input, seen once); nothing rose",
			[]*report.Report{version("1", "", tasks{"a": "p"}), version("2", "", tasks{"a": "f"}), version("3", "", tasks{"a": "f"})}},
		{"many alike", "v2, since v1: a, b fell (false success in form_input, seen once); 4 tasks rose (before: false success in form_input, seen once)",
			[]*report.Report{version("1", "", tasks{"a": "p", "b": "p", "c": "f", "d": "f", "e": "f", "f": "f"}),
				version("2", "", tasks{"a": "f", "b": "f", "c": "p", "d": "p", "e": "p", "f": "p"})}},
		{"a sample that may be chance", "v2, since v1: a fell (false success in form_input, may be chance); nothing rose",
			[]*report.Report{version("1", "", tasks{"a": "ppp"}), version("2", "", tasks{"a": "ppf"})}},
		{"a void repetition says nothing", "v2, since v1: a fell (false success in form_input, seen 2 times); nothing rose",
			[]*report.Report{version("1", "", tasks{"a": "ppp"}), version("2", "", tasks{"a": "vff"})}},
		{"since different versions", "v3: a, b fell (false success in form_input, seen once); nothing rose",
			[]*report.Report{version("1", "", tasks{"a": "p", "b": "p"}), version("2", "", tasks{"b": "p"}), version("3", "", tasks{"a": "f", "b": "f"})}},
		{"nothing", "since v1 no task changed", []*report.Report{version("1", "", tasks{"a": "p"}), version("2", "", tasks{"a": "p"})}},
	} {
		h, err := history.Of(test.runs, found)
		need.OK(t, err)
		need.Equal(t, test.name, test.want, h.Servers[0].Sentence())
		used := test.name == "by number, not by text"
		need.Is(t, test.name+": the commit of no change is named", !used, len(h.Unused) == 1)
	}
}

// Runs that cannot be compared because they were made in another way are a history of their own.
func TestKinds(t *testing.T) {
	type tasks = map[string]string
	var runs []*report.Report
	for _, adapter := range []string{"mock", "policy:form"} {
		for _, r := range []*report.Report{version("1", "", tasks{"a": "ppp"}), version("2", "", tasks{"a": "fff"})} {
			r.Adapter, r.Drift = adapter, record.DriftCount
			runs = append(runs, r)
		}
	}
	h, err := history.Of(runs, nil)
	need.OK(t, err)
	for i, name := range []string{"OpenChrome (mock, seed 0, -drift=count)", "OpenChrome (policies, seed 0, -drift=count)"} {
		need.Is(t, "name", name, h.Servers[i].Name)
		need.Is(t, name, "v2, since v1: a fell (false success in form_input); nothing rose", h.Servers[i].Sentence())
	}
}

// A task counts in the figures of a line only if it counts in all of its versions.
func TestVoidFigures(t *testing.T) {
	type tasks = map[string]string
	for _, test := range []struct {
		tasks tasks
		want  history.Family
	}{
		{tasks{"a": "p", "b": "v"}, history.Family{Tasks: 1, Success: 1}},
		{tasks{"a": "v", "b": "v", "c": "p"}, history.Family{}},
	} {
		h, err := history.Of([]*report.Report{version("1", "", tasks{"a": "p", "b": "f"}), version("2", "", test.tasks)}, nil)
		need.OK(t, err)
		for _, v := range h.Servers[0].Versions {
			need.Equal(t, v.Name, test.want, v.Families[0])
		}
	}
}

// A page of one run may be kept: that of the newest, which repeats what the older ones found.
func TestEpisodeOfNewestRun(t *testing.T) {
	first, again := version("2", "", map[string]string{"a": "f"}), version("2", "", map[string]string{"a": "ff"})
	again.RunID = "again"
	for _, e := range again.Episodes.All() {
		e.RunID = again.RunID
		again.Episodes.Set(e.Repetition-1, e)
	}
	h, err := history.Of([]*report.Report{again, version("1", "", map[string]string{"a": "p"}), first}, nil)
	need.OK(t, err)
	need.Is(t, "run of the episode", "again", h.Servers[0].Changes[0].Episode.RunID)
}

// What changed beside the server is no change of a task.
func TestBreaks(t *testing.T) {
	type tasks = map[string]string
	for want, change := range map[string]func(r *report.Report){
		"the Chromium differs: none before, now Chromium/2": func(r *report.Report) { r.Server.Chromium = "Chromium/2" },
		"false successes are by rules 0 before, now 3":      func(r *report.Report) { r.Rules = 3 },
		"task a: its content differs":                       func(r *report.Report) { r.Tasks[0].Content = "bbbb" },
		"only 1 of 3 tasks are the same":                    func(r *report.Report) { *r = *version("2", "", tasks{"a": "ppp", "b": "p", "c": "p"}) },
	} {
		a, b := version("1", "", tasks{"a": "ppp"}), version("2", "", tasks{"a": "fff"})
		change(b)
		h, err := history.Of([]*report.Report{a, b}, nil)
		need.OK(t, err)
		s := h.Servers[0]
		need.Equal(t, "breaks", []string{want}, s.Versions[1].Breaks)
		need.Is(t, want, "no task changed between versions that can be compared", s.Sentence())
		need.Is(t, want, len(b.Tasks), s.Versions[1].Families[0].Tasks)
	}
}

// Seconds are only a ratio to a run that took turns: other runs ran at another time, on a machine with other work.
func TestTook(t *testing.T) {
	two := map[string]string{"a": "pppp", "b": "pppp"}
	for name, test := range map[string]struct {
		parity [3]string
		tasks  map[string]string
		want   string
	}{
		"in turns":   {[3]string{"", "p", "p"}, two, "2.00 v2"},
		"one task":   {[3]string{"", "p", "p"}, map[string]string{"a": "pppp"}, "2.00 v2"},
		"around one": {[3]string{"p", "", "p"}, two, "2.00 v1"},
		"not":        {[3]string{"", "p", "q"}, two, "0.00 "},
		"none":       {[3]string{}, two, "0.00 "},
	} {
		var runs []*report.Report
		for i, id := range test.parity {
			r := version(fmt.Sprint(i+1), "", test.tasks)
			r.Parity = record.Parity{Run: id}
			for n, e := range r.Episodes.All() {
				e.DurationMs = []float64{1000, 1000, 2000}[i]
				r.Episodes.Set(n, e)
			}
			runs = append(runs, r)
		}
		h, err := history.Of(runs, nil)
		need.OK(t, err)
		v := h.Servers[0].Versions[2]
		need.Is(t, name, test.want, fmt.Sprintf("%.2f %s", v.Took, v.Beside))
	}
}

func many() (runs []*report.Report) {
	tasks := map[string]string{}
	for i := range 200 {
		tasks[fmt.Sprintf("task-%03d", i)] = "p"
	}
	for i := range 200 {
		tasks["task-000"] = []string{"p", "f"}[i%2]
		runs = append(runs, version(fmt.Sprintf("1.%d", i), "", tasks))
	}
	return runs
}

func TestMemory(t *testing.T) {
	runs := many()
	h, err := history.Of(runs, nil)
	need.OK(t, err)
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if m.HeapAlloc > 200<<20 || len(h.Servers[0].Changes) != 199 {
		t.Errorf("%d MB, %d changes", m.HeapAlloc>>20, len(h.Servers[0].Changes))
	}
}

// Runs of one build are one version, whatever tasks each has, unless pages or rules differ between them.
func TestRunsOfOneBuild(t *testing.T) {
	type tasks = map[string]string
	run := func(id string, of tasks, page string, rules int) *report.Report {
		r := version("1", "", of)
		r.RunID, r.Rules, r.Web.Hosts = id, rules, map[string]string{"a.test": page}
		for _, e := range r.Episodes.All() {
			e.RunID = id
		}
		return r
	}
	all := []*report.Report{
		run("half", tasks{"a": "p"}, "1", 3), run("other half", tasks{"b": "p"}, "1", 3), run("both", tasks{"a": "p", "b": "p"}, "1", 3),
		run("other pages", tasks{"a": "p", "c": "p"}, "2", 3), run("other rules", tasks{"d": "p"}, "1", 2),
	}
	for _, id := range []string{"older", "older, of other pages"} { // it has no digests of hosts
		r := run(id, tasks{"e": "p"}, "", 3)
		r.Web = record.Web{Digest: id}
		all = append(all, r)
	}
	h, err := history.Of(all, nil)
	need.OK(t, err)
	var got [][]string
	for _, v := range h.Servers[0].Versions {
		got = append(got, v.Runs)
	}
	need.Equal(t, "runs", [][]string{{"half", "other half", "both"}, {"other pages"}, {"other rules"},
		{"older"}, {"older, of other pages"}}, got)
}

// Older runs have one digest of the whole web. Versions on different pages are not compared, however many runs they have.
func TestOlderRuns(t *testing.T) {
	var all []*report.Report
	for i, name := range []string{"1", "1", "2", "2"} {
		r := version(name, "", map[string]string{"a": "ppp", fmt.Sprint("b", i): "p"})
		r.Web.Digest = "of " + name
		all = append(all, r)
	}
	h, err := history.Of(all, nil)
	need.OK(t, err)
	need.Is(t, "versions", 2, len(h.Servers[0].Versions))
	need.Has(t, h.Servers[0].Versions[1].Breaks[0], "content of the fixture web")
}
