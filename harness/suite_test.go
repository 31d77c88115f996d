package harness_test

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/openchrome/bench/fixtures"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/read/server"
	"github.com/openchrome/bench/harness/internal/read/task"
	"github.com/openchrome/bench/harness/internal/read/transcript"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/compare"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/tell/why"
	"github.com/openchrome/bench/harness/internal/text/display"
	"github.com/openchrome/bench/harness/internal/web"
)

// suiteRun is the committed canonical report of the last real run.
const suiteRun = "reports/suite-openchrome.canonical.json"

//go:generate go test . -run ^(TestSuitePage|TestBaseline|TestBaselineReport|TestHistoryPage)$ -update
//go:generate go test ./internal/tell/page -run ^TestGolden$ -update
//go:generate go test ./internal/command/trials -run ^TestExample$ -update

// The page lists all built-in tasks, with the results of the committed runs.
func TestSuitePage(t *testing.T) {
	set, err := web.Open()
	need.OK(t, err)
	folders, err := task.Open(task.Source{Name: "fixtures", FS: fixtures.FS})
	need.OK(t, err)
	var specs []task.Spec
	for _, f := range folders {
		s, faults := f.Read(task.Options{Hosts: set.Hosts()})
		need.None(t, faults)
		if s.Suite() == "" {
			t.Fatalf("%s: the tags name no suite; add one of smoke, core, hard, reported and fixed", f.Path(task.FileName))
		}
		specs = append(specs, s)
	}
	run := readCanonical(t)
	if run.Server == nil || run.Server.Name != "openchrome" || run.Server.Version != server.OpenChrome().Version {
		t.Errorf("%s is a run of %s, want OpenChrome %s", suiteRun, run.Server.Words(), server.OpenChrome().Version)
	}
	name := filepath.Join(root(), "docs", "benchmarks", "suite.md")
	got := suitePage(specs, run, untruths(t, name))
	if *need.Update {
		need.Write(t, name, got)
	}
	want := need.Read(t, name)
	if diff := gocmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s is not up to date; run go generate ./harness (-page +tasks and runs):\n%s", name, diff)
	}
}

// readCanonical reads the committed report. An element stands for all equal repetitions of a task; this run has one of
// each.
func readCanonical(t *testing.T) *report.Report {
	var canonical struct {
		Server   *record.Server
		Totals   report.Totals
		Tasks    []report.Task
		Episodes []report.Episode
	}
	need.OK(t, json.Unmarshal(need.Read(t, filepath.Join(root(), suiteRun)), &canonical))
	return &report.Report{
		Server: canonical.Server, Totals: canonical.Totals, Tasks: canonical.Tasks,
		Episodes: report.ListOf(canonical.Episodes...),
	}
}

// suitePage writes the page.
func suitePage(specs []task.Spec, run *report.Report, untrue string) string {
	var p strings.Builder
	families := map[string][]task.Spec{}
	suites := map[string]int{}
	scripts := 0
	for _, s := range specs {
		family := record.Family(s.Tags, s.Category)
		families[family] = append(families[family], s)
		suites[s.Suite()]++
		if s.NeedsScripts() {
			scripts++
		}
	}
	order := slices.SortedFunc(maps.Keys(families), func(a, b string) int {
		return cmp.Or(cmp.Compare(record.FamilyRank(a), record.FamilyRank(b)), strings.Compare(a, b))
	})
	fmt.Fprintf(&p, `# The suite

<!-- Made by "go generate ./harness". Do not edit. -->

%d tasks: %d smoke, %d core, %d hard, %d [reported](reported.md) and %d [fixed](fixed.md). %d of them also
run on the stand-in; those with the tag scripts need a browser. task:try shows a task's pages and contract.

## Last run on a real OpenChrome

`, len(specs), suites["smoke"], suites["core"], suites["hard"], suites["reported"], suites["fixed"], len(specs)-scripts)
	fmt.Fprintf(&p, "[This run](../../%s) replayed the transcripts that reach the goal: %s.\nIt proves the tasks and is no figure of OpenChrome: a [policy](policies.md) measures. Server: %s.\n\n",
		suiteRun, run.Totals.Verdict(), text(run.Server.Words()))
	p.WriteString("| family | tasks | passed | known defects |\n")
	p.WriteString("| --- | ---: | ---: | ---: |\n")
	for _, family := range order {
		totalsRow(&p, family, families[family], run)
	}
	totalsRow(&p, "all", specs, run)
	p.WriteString(untrue)
	p.WriteString(`
## Tasks

The last column is empty if the task passed.

| task | goal | family, suite, other tags | OpenChrome |
| --- | --- | --- | --- |
`)
	for _, family := range order {
		for _, s := range families[family] {
			fmt.Fprintf(&p, "| [%s](../../fixtures/%s/task.json) | %s | %s | %s |\n", s.ID, s.ID, text(s.Title), tags(s, family), outcome(s, run))
		}
	}
	return p.String()
}

// untruths returns the section of the page about false successes and unreported side effects. A canonical report has
// no words. So the section is made from the log of the same run, which only the machine of that run has; elsewhere it
// stays as it is.
func untruths(t *testing.T, page string) string {
	canonical := need.Read(t, filepath.Join(root(), suiteRun))
	sum := fmt.Sprintf("sha256:%x", sha256.Sum256(canonical))
	const title = "\n## False successes and unreported side effects\n"
	begin := title + "\nOf the run with the digest `" + sum + "`:\n"
	r, err := report.FromFile(t.Context(), filepath.Join(root(), "events", "suite-openchrome.jsonl"))
	if err != nil || r.Digest != sum {
		was, _ := os.ReadFile(page)
		if _, after, ok := strings.Cut(string(was), begin); ok {
			section, _, _ := strings.Cut(after, "\n## ")
			return begin + section
		}
		return title + "\nNot known of this run: a canonical report has no words. Make the run again here.\n"
	}
	all, _ := why.UntrueOf(r)
	section := begin + why.Apart(r) + ".\n"
	if len(all) == 0 {
		return section
	}
	section += "\n" + "| tool | what | answers | tasks |\n| --- | --- | ---: | --- |\n"
	for _, u := range all {
		var tasks []string
		for _, e := range u.Episodes {
			tasks = append(tasks, e.TaskID)
		}
		section += fmt.Sprintf("| %s | %s | %d of %d | %s |\n", text(u.Tool), text(u.Word), u.N, u.Of, strings.Join(tasks, ", "))
	}
	return section
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

// outcome says how the task did, unless it passed.
func outcome(s task.Spec, run *report.Report) string {
	if r := resultOf(s, run); r.words != "passed" {
		return r.words
	}
	return ""
}

// result is how a task did in a run.
type result struct {
	words         string
	passed, known bool
}

// resultOf returns the result of a task.
func resultOf(s task.Spec, run *report.Report) result {
	var episodes []*report.Episode
	for _, e := range run.Episodes.All() {
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
	if changed(s, run) {
		r.words += " (the task has changed since)"
	}
	return r
}

// changed reports whether the task is no longer the one that ran.
func changed(s task.Spec, r *report.Report) bool {
	mock, _ := transcript.Find("mock")
	now, err := transcript.Reader{Kind: mock}.Read(s.Folder)
	i := slices.IndexFunc(r.Tasks, func(t report.Task) bool { return t.ID == s.ID })
	if err != nil || i < 0 {
		return true
	}
	t := &r.Tasks[i]
	return t.Goal != s.Goal || t.StartURL != s.StartURL || compare.DiffJSON(t.Contract, s.Success.Raw()) != nil ||
		t.Transcript != now.Transcript
}

// totalsRow writes a family's counts. A task without a run counts nowhere.
func totalsRow(p *strings.Builder, name string, specs []task.Spec, run *report.Report) {
	passed, known := 0, 0
	for _, s := range specs {
		switch r := resultOf(s, run); {
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
