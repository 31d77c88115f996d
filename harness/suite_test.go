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
	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/read/task"
	"github.com/openchrome/bench/harness/internal/read/transcript"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/tell/trace"
	"github.com/openchrome/bench/harness/internal/text/display"
	"github.com/openchrome/bench/harness/internal/web"
)

// suiteRuns are the committed canonical reports of the last real run, by path. A missing
// file means that there was no run.
var suiteRuns = []struct{ path, file string }{
	{"oracle", "reports/suite-openchrome.canonical.json"},
	{"usual", "reports/suite-openchrome-usual.canonical.json"},
}

// The page lists all built-in tasks, with the results of the committed run.
func TestSuitePage(t *testing.T) {
	set, err := web.Open()
	if err != nil {
		t.Fatal(err)
	}
	specs, err := task.Load(task.Source{Name: "fixtures", FS: fixtures.FS}, task.Options{Hosts: set.Hosts()})
	if err != nil {
		t.Fatal(err)
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
		if r != nil && (r.Path != run.path || r.Subject == nil || r.Subject.Name != "openchrome") {
			t.Errorf("%s is a run of %s on the path %s, want OpenChrome on %s", run.file, report.DescribeSubject(r.Subject), r.Path, run.path)
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
		t.Errorf("%s is not up to date; run go test ./harness -run TestSuitePage -update (-page +tasks and runs):\n%s", name, diff)
	}
}

// suitePage writes the page. runs has a report for each of suiteRuns, or nil.
func suitePage(specs []task.Spec, runs []*report.Report) string {
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

<!-- Made by "go test ./harness -run TestSuitePage -update". Do not edit. -->

The suite has %d tasks in %d families: %d smoke, %d core and %d hard. %d of them run on the
stand-in too. The others need a browser, because their pages run scripts or use features that
the stand-in lacks. Goals and contracts are shown with the values of draw 0.

- The oracle path reaches the goal in some way that OpenChrome offers.
- The usual path makes the calls that an agent would try first. If a task has no usual path,
  its oracle path is replayed instead.
- A known defect is a task that OpenChrome has no way to do. Its transcript says so.
- An episode "says done and is wrong" if no answer was an error, but the contract does not hold.

`, len(specs), len(families), suites["smoke"], suites["core"], suites["hard"], len(specs)-scripts)
	p.WriteString("## Results of the last real run\n\n")
	for i, run := range suiteRuns {
		if runs[i] == nil {
			fmt.Fprintf(&p, "- %s path: not run\n", run.path)
			continue
		}
		fmt.Fprintf(&p, "- %s path: %s. %s. [Report](../../%s)\n", run.path, text(report.DescribeSubject(runs[i].Subject)), runs[i].Totals.Verdict(), run.file)
	}
	p.WriteString("\nThe table counts tasks. A task passed if all its episodes passed.\n\n")
	p.WriteString("| family | tasks | oracle: passed | known defects | says done and is wrong | usual: passed | known defects | says done and is wrong |\n")
	p.WriteString("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n")
	for _, family := range order {
		totalsRow(&p, family, families[family], runs)
	}
	totalsRow(&p, "all", specs, runs)
	for _, family := range order {
		familySection(&p, family, families[family], runs)
	}
	return p.String()
}

// familySection writes a table of the tasks of a family, and then each task.
func familySection(p *strings.Builder, family string, specs []task.Spec, runs []*report.Report) {
	fmt.Fprintf(p, "\n## %s\n\n| task | suite | runs on | oracle path | usual path |\n| --- | --- | --- | --- | --- |\n", strings.ToUpper(family[:1])+family[1:])
	for _, s := range specs {
		on := "stand-in too"
		if s.NeedsScripts() {
			on = "browser only"
		}
		fmt.Fprintf(p, "| [%s](#task-%s) | %s | %s | %s | %s |\n", s.ID, s.ID, s.Suite(), on, resultOf(s, 0, runs).words, resultOf(s, 1, runs).words)
	}
	for _, s := range specs {
		fmt.Fprintf(p, "\n<a name=\"task-%s\"></a>**%s**: %s\n\n- Goal: %s\n", s.ID, s.ID, text(s.Title), text(s.Goal))
		if s.Mechanics != "" {
			fmt.Fprintf(p, "- Mechanics: %s\n", text(s.Mechanics))
		}
		p.WriteString("- Judged by:\n")
		judges(p, judge.Explain(s.Success.Live(), judge.Input{}, judge.Judgement{}), "  ")
	}
}

// judges writes an item for each assertion that must hold.
func judges(p *strings.Builder, n judge.Node, indent string) {
	switch n.Kind {
	case "and":
		for _, child := range n.Children {
			judges(p, child, indent)
		}
	case "or":
		fmt.Fprintf(p, "%s- one of these:\n", indent)
		for _, child := range n.Children {
			judges(p, child, indent+"  ")
		}
	case "not":
		if len(n.Children[0].Children) == 0 {
			fmt.Fprintf(p, "%s- never: %s\n", indent, text(n.Children[0].Expected))
			return
		}
		fmt.Fprintf(p, "%s- never:\n", indent)
		judges(p, n.Children[0], indent+"  ")
	default:
		fmt.Fprintf(p, "%s- %s\n", indent, text(n.Expected))
	}
}

// result is how a task did in a run.
type result struct {
	words                string
	passed, known, wrong bool
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
			how, r.wrong = "**says done and is wrong**", true
		case e.Status.Class() == record.Pass:
			how = "passed"
		case e.Status.Class() == record.Void:
			how = "void: " + string(e.Status)
		case e.OpenchromeErrors > 0:
			how = "failed after an error answer"
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

// changed reports whether the task is no longer the one that ran.
func changed(s task.Spec, r *report.Report, path string) bool {
	mock, err := transcript.Find("mock")
	i := slices.IndexFunc(r.Tasks, func(t report.Task) bool { return t.ID == s.ID })
	if err != nil || i < 0 {
		return true
	}
	t := &r.Tasks[i]
	return t.Goal != s.Goal || t.StartURL != s.StartURL || trace.DiffJSON(t.Contract, s.Success.Raw()) != nil ||
		t.Transcript != mock.Digest(s, transcript.Target{Path: path})
}

func totalsRow(p *strings.Builder, name string, specs []task.Spec, runs []*report.Report) {
	fmt.Fprintf(p, "| %s | %d |", name, len(specs))
	for i := range runs {
		var passed, known, wrong, ran int
		for _, s := range specs {
			r := resultOf(s, i, runs)
			if r.words != "not run" {
				ran++
			}
			if r.passed {
				passed++
			}
			if r.known {
				known++
			}
			if r.wrong {
				wrong++
			}
		}
		if ran == 0 {
			p.WriteString(" – | – | – |")
			continue
		}
		fmt.Fprintf(p, " %d of %d | %d | %d |", passed, ran, known, wrong)
	}
	p.WriteByte('\n')
}

// text escapes a text for Markdown. GitHub does not make links of URLs in it.
func text(s string) string {
	return strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "<", "&lt;", "[", `\[`, "|", `\|`, "://", "&#58;//").Replace(display.Visible(s))
}
