package harness_test

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/openchrome/bench/fixtures"
	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/read/task"
	"github.com/openchrome/bench/harness/internal/read/transcript"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/difference"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/text/display"
	"github.com/openchrome/bench/harness/internal/web"
)

// suiteRuns are the committed canonical reports of the last real run, by path. A missing
// file means that there was no run.
var suiteRuns = []struct{ path, file string }{
	{"oracle", "reports/suite-openchrome.canonical.json"},
	{"usual", "reports/suite-openchrome-usual.canonical.json"},
}

//go:generate go test . -run ^TestSuitePage$ -update

// The page lists all built-in tasks, with the results of the committed runs.
func TestSuitePage(t *testing.T) {
	set, err := web.Open()
	if err != nil {
		t.Fatal(err)
	}
	folders, err := task.Open(task.Source{Name: "fixtures", FS: fixtures.FS})
	if err != nil {
		t.Fatal(err)
	}
	var specs []task.Spec
	for _, f := range folders {
		s, faults := f.Read(task.Options{Hosts: set.Hosts()})
		if faults != nil {
			t.Fatal(faults)
		}
		specs = append(specs, s)
	}
	var runs []*report.Report
	for _, run := range suiteRuns {
		r, err := report.Read(filepath.Join(root(), run.file))
		if errors.Is(err, fs.ErrNotExist) {
			r, err = nil, nil
		}
		if err != nil {
			t.Fatal(err)
		}
		if r != nil && (r.Path != run.path || r.Subject == nil || r.Subject.Name != "openchrome" || r.Subject.Version != session.OpenChromeVersion) {
			t.Errorf("%s is a run of %s on the path %s, want OpenChrome %s on %s", run.file, report.DescribeSubject(r.Subject), r.Path, session.OpenChromeVersion, run.path)
		}
		runs = append(runs, r)
	}
	got := suitePage(specs, runs)
	name := filepath.Join(root(), "docs", "benchmarks", "suite.md")
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s is not up to date; run go generate ./harness (-page +tasks and runs):\n%s", name, diff)
	}
}

// suitePage writes the page. runs has a report for each of suiteRuns, or nil.
func suitePage(specs []task.Spec, runs []*report.Report) string {
	var p strings.Builder
	families := map[string][]task.Spec{}
	suites := map[string]int{}
	scripts, usual := 0, 0
	for _, s := range specs {
		family := record.Family(s.Tags, s.Category)
		families[family] = append(families[family], s)
		suites[s.Suite()]++
		if s.NeedsScripts() {
			scripts++
		}
		if hasPath(s, suiteRuns[1].path) {
			usual++
		}
	}
	order := slices.SortedFunc(maps.Keys(families), func(a, b string) int {
		return cmp.Or(cmp.Compare(record.FamilyRank(a), record.FamilyRank(b)), strings.Compare(a, b))
	})
	fmt.Fprintf(&p, `# The suite

<!-- Made by "go generate ./harness". Do not edit. -->

%d tasks: %d smoke, %d core and %d hard. %d of them also run on the stand-in; those with the tag
scripts need a browser. task:try shows a task's pages and contract.

## Last run on a real OpenChrome

`, len(specs), suites["smoke"], suites["core"], suites["hard"], len(specs)-scripts)
	var subject string
	for i, run := range suiteRuns {
		if runs[i] == nil {
			fmt.Fprintf(&p, "- %s path: not run\n", run.path)
			continue
		}
		fmt.Fprintf(&p, "- [%s path](../../%s)", run.path, run.file)
		if i == 0 {
			p.WriteString(": " + runs[i].Totals.Verdict())
		} else {
			fmt.Fprintf(&p, ": no number for the suite; %d tasks have a transcript for it, and the others would replay their oracle", usual)
		}
		if s := report.DescribeSubject(runs[i].Subject); s != subject {
			fmt.Fprintf(&p, ". Subject: %s", text(s))
			subject = s
		}
		p.WriteByte('\n')
	}
	p.WriteString("\nThe numbers are tasks, on the oracle path.\n\n")
	p.WriteString("| family | tasks | passed | known defects |\n")
	p.WriteString("| --- | ---: | ---: | ---: |\n")
	for _, family := range order {
		totalsRow(&p, family, families[family], runs)
	}
	totalsRow(&p, "all", specs, runs)
	p.WriteString(`
## Tasks

The last column is empty if the task passed. It names the usual path only if the task has a
transcript for it. *Wrong* means that OpenChrome [says done and is
wrong](episode-harness.md#says-done-and-is-wrong).

| task | goal | family, suite, other tags | OpenChrome |
| --- | --- | --- | --- |
`)
	for _, family := range order {
		for _, s := range families[family] {
			fmt.Fprintf(&p, "| [%s](../../fixtures/%s/task.json) | %s | %s | %s |\n", s.ID, s.ID, text(s.Title), tags(s, family), outcome(s, runs))
		}
	}
	return p.String()
}

// tags returns the task's family, its suite and its other tags.
func tags(s task.Spec, family string) string {
	list := []string{family, s.Suite()}
	for _, tag := range s.Tags {
		if !slices.Contains(list, tag) {
			list = append(list, tag)
		}
	}
	return strings.Join(list, ", ")
}

// outcome says how the task did on each path, where it did not pass.
func outcome(s task.Spec, runs []*report.Report) string {
	var list []string
	for i, run := range suiteRuns {
		switch r := resultOf(s, i, runs); {
		case i == 0 && r.known:
			list = append(list, r.words)
		case r.words != "passed" && (i == 0 || hasPath(s, run.path)):
			list = append(list, run.path+": "+r.words)
		}
	}
	return strings.Join(list, "; ")
}

// hasPath reports whether the task has a transcript for a path other than oracle. Without one,
// a run on this path replays the oracle.
func hasPath(s task.Spec, path string) bool {
	return slices.Contains(s.Folder.Files, "transcript."+path+".jsonl")
}

// result is how a task did in a run.
type result struct {
	words         string
	passed, known bool
}

// resultOf returns the result of a task in the run of suiteRuns[i].
func resultOf(s task.Spec, i int, runs []*report.Report) result {
	if runs[i] == nil {
		return result{words: "not run"}
	}
	var episodes []*report.Episode
	for _, e := range runs[i].Episodes.All() {
		if e.TaskID == s.ID {
			episodes = append(episodes, e)
		}
	}
	if len(episodes) == 0 {
		return result{words: "not run"}
	}
	var r result
	count := map[string]int{}
	for _, e := range episodes {
		how := "failed: " + string(e.Status)
		switch {
		case e.KnownDefect:
			how, r.known = "known defect", true
		case e.DoneButWrong:
			how = "wrong"
		case e.Status.Class() == record.Pass:
			how = "passed"
		case e.Status.Class() == record.Void:
			how = "void: " + string(e.Status)
		case e.Status == record.Failed:
			how = "failed"
		}
		count[strings.ReplaceAll(how, "_", " ")]++
		r.passed = count["passed"] == len(episodes)
	}
	var words []string
	for how, n := range count {
		if len(episodes) > 1 {
			how = fmt.Sprintf("%s %d of %d", how, n, len(episodes))
		}
		words = append(words, how)
	}
	slices.Sort(words)
	r.words = strings.Join(words, ", ")
	if changed(s, runs[i], suiteRuns[i].path) {
		r.words += " (the task has changed since)"
	}
	return r
}

// peerNames are the peers that have transcripts.
var peerNames = []string{"playwright-mcp", "chrome-devtools-mcp"}

// changed reports whether the task is no longer the one that ran.
func changed(s task.Spec, r *report.Report, path string) bool {
	mock, _ := transcript.Find("mock")
	now, err := transcript.Reader{Kind: mock, Target: transcript.Target{Path: path}, Peers: peerNames}.Read(s.Folder)
	i := slices.IndexFunc(r.Tasks, func(t report.Task) bool { return t.ID == s.ID })
	if err != nil || i < 0 {
		return true
	}
	t := &r.Tasks[i]
	return t.Goal != s.Goal || t.StartURL != s.StartURL || difference.DiffJSON(t.Contract, s.Success.Raw()) != nil ||
		t.Transcript != now.Transcript
}

// totalsRow writes a family's counts. A task without a run counts nowhere.
func totalsRow(p *strings.Builder, name string, specs []task.Spec, runs []*report.Report) {
	passed, known := 0, 0
	for _, s := range specs {
		switch r := resultOf(s, 0, runs); {
		case r.passed:
			passed++
		case r.known:
			known++
		}
	}
	fmt.Fprintf(p, "| %s | %d | %d | %d |\n", name, len(specs), passed, known)
}

// text escapes a text for Markdown. GitHub does not make links of URLs in it.
func text(s string) string {
	return strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "<", "&lt;", "[", `\[`, "|", `\|`, "://", "&#58;//").Replace(display.Visible(s))
}
