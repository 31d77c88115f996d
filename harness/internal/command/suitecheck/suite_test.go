package suitecheck

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/openchrome/bench/harness/internal/command/program"
	"github.com/openchrome/bench/harness/internal/command/run"
	"github.com/openchrome/bench/harness/internal/drive/watchdog"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/option"
)

func TestMain(m *testing.M) {
	watchdog.Main()
	os.Exit(m.Run())
}

// planted writes the files of planted.txtar, and returns the options for the tasks in one of
// its folders.
func planted(t *testing.T, folder string) run.Options {
	t.Helper()
	dir := t.TempDir()
	a, err := txtar.ParseFile(filepath.Join("testdata", "planted.txtar"))
	need.OK(t, err)
	need.OK(t, txtar.Write(a, dir))
	tasks, _ := filepath.Glob(filepath.Join(dir, folder, "*"))
	usual, _ := filepath.Glob(filepath.Join(dir, "_default", "*"))
	for _, task := range tasks {
		for _, from := range usual {
			to := filepath.Join(task, filepath.Base(from))
			if _, err := os.Stat(to); err == nil || strings.Contains(to, "forbidden.") && filepath.Base(task) == "forbids-nothing" {
				continue
			}
			data := need.Read(t, from)
			need.OK(t, os.WriteFile(to, data, 0o644))
		}
	}
	var o run.Options
	o.Tasks, o.Sites = filepath.Join(dir, folder), filepath.Join(dir, "sites")
	o.Server, o.Repetitions, o.Parallel = "standin", 2, 2
	o.Stdout, o.Stderr = io.Discard, io.Discard
	return o
}

// prove runs suite:check and returns its output, the checks that each task
// fails, and its error.
func prove(t *testing.T, o run.Options) (output string, problems map[string][]string, err error) {
	t.Helper()
	var out bytes.Buffer
	o.Stdout = &out
	err = Run(t.Context(), o)
	problems = make(map[string][]string)
	var task string
	for line := range strings.Lines(out.String()) {
		switch rest, indented := strings.CutPrefix(line, "  "); {
		case indented && task != "":
			name, _, _ := strings.Cut(rest, ":")
			if list := problems[task]; len(list) == 0 || list[len(list)-1] != name {
				problems[task] = append(list, name)
			}
		case strings.HasPrefix(line, "not proved"):
			task = strings.Fields(line)[2]
			problems[task] = []string{}
		default:
			task = ""
		}
	}
	return out.String(), problems, err
}

// Each planted fault is found by the check that is for it. Some faults are found by others
// too: a page that anybody can open needs no seed, and so on.
func TestPlanted(t *testing.T) {
	output, got, err := prove(t, planted(t, "tasks"))
	want := map[string][]string{
		"oracle-fails":     {"oracle", "mutants", "receipt", "goal", "forbidden", "twice", "then", "literal", "seeds"},
		"null-passable":    {"null", "start", "cut", "mutants", "receipt", "seeds"},
		"one-click":        {"wanderer", "receipt", "literal", "seeds"},
		"more-than-needed": {"cut", "mutants"},
		"lenient":          {"wanderer", "mutants", "receipt", "forbidden", "twice", "literal", "seeds"},
		"sent-twice":       {"twice"},
		"forgeable":        {"receipt"},
		"guessable":        {"typed", "receipt", "literal", "seeds"},
		"leaking":          {"leak"},
		"from-nowhere":     {"goal"},
		"forbids-nothing":  {"receipt", "forbidden"},
		"too-long":         {"steps"},
		"always-the-same":  {"receipt", "seeds"},
		"chosen-unseen":    {"goal"},
		"gives-up":         {"oracle", "cut", "mutants", "goal", "forbidden", "twice", "then", "literal", "seeds"},
		"same-place":       {"literal"},
		"no-defect":        {"defect", "known defect"},
		"seen-afterwards":  {"receipt"},
		"one-address":      {"receipt"},
		"taken-back":       {"then"},
	}
	need.Equal(t, "problems", want, got)
	if program.ExitCode(err) != program.ExitFailed || err.Error() != "FAILED: 20 of 23 tasks not proved" {
		t.Errorf("exit code %d, %v", program.ExitCode(err), err)
	}
	for _, line := range []string{
		"proved     good  oracle 2 of 2, null, start, wanderer 1, cut 1, mutants 6 of 6 killed, " +
			"typed 0, receipt, leak 2, goal 1, forbidden 1, twice 1, then 0, defect, steps 2 of 10, literal, seeds 20\n",
		"proved     signed-off  oracle 2 of 2, null, start, wanderer exempt, cut 1, mutants 2 of 4 killed, typed 0, " +
			"receipt exempt, leak 0, goal 0, forbidden 1, twice 0, then 0, defect, steps 2 of 10, literal exempt, seeds exempt\n",
		"known defect known-defect  null, start, wanderer 1, typed 0, receipt, leak 1, forbidden 1, defect 3, seeds 20\n  known defect: it cannot type\n",
		"\n  literal: the same calls on seed 3: the contract holds\n  literal: the same calls with new refs on seed 3: the contract holds\n",
		"\n  then: press 3, which sends POST https://planted.test/back: the contract holds\n",
		"\nwanderer   20 of 22, 1 exempt\n",
		"\noracle     19 of 21; not run on 2 tasks: a known defect of the server\n",
	} {
		need.Has(t, output, line)
	}
}

// The page of a task that needs a browser is judged again after 5 s.
func TestPlantedInBrowser(t *testing.T) {
	modules := need.Peers(t)
	o := planted(t, "browser")
	o.Server = "playwright-mcp:" + filepath.Join(modules, "@playwright", "mcp")
	o.Check = "start" // the check that only a browser can make; TestPlanted has the others
	output, got, _ := prove(t, o)
	want := map[string][]string{"clock": {"start"}}
	need.Equal(t, "problems", want, got)
	t.Log(output)
}

// A placeholder without a value is a fault of the file, with its place. Nothing runs.
func TestUnfilled(t *testing.T) {
	o := planted(t, "unfilled")
	var stderr bytes.Buffer
	o.Stderr = &stderr
	_, _, err := prove(t, o)
	if program.ExitCode(err) != program.ExitUsage || !strings.Contains(stderr.String(), "unfilled/task.json:2:") ||
		!strings.Contains(stderr.String(), `has {{param.wrod}}, which is not in params.json; did you mean "word"?`) {
		t.Errorf("%v\n%s", err, &stderr)
	}
}

// -check makes only these checks, in this order, and -task only these tasks.
func TestChoose(t *testing.T) {
	o := planted(t, "tasks")
	o.Check, o.Task = "leak,null", "leaking,good"
	output, got, err := prove(t, o)
	need.Equal(t, "problems", map[string][]string{"leaking": {"leak"}}, got)
	for _, line := range []string{
		"passed     good  leak 2, null\n",
		"\nnot run: oracle, start, wanderer, cut, mutants, typed, receipt, goal, forbidden, twice, then, defect, steps, literal, seeds\n",
		"\n  failed: leaking\n  to do: take the value out of the goal",
		"again      mage suite:check -task=leaking -check=leak -server=standin -tasks=" + o.Tasks + " -sites=" + o.Sites + " -repetitions=2 -parallel=2\n",
	} {
		need.Has(t, output, line)
	}
	if program.ExitCode(err) != program.ExitFailed {
		t.Error(err)
	}
	o.Task = "good,known-defect"
	if output, _, _ = prove(t, o); !strings.HasSuffix(output, "\nPASSED: 1 known defect, 1 passed\n") {
		t.Errorf("the output ends in another way:\n%s", output)
	}
	o.Check = "leek"
	if _, _, err = prove(t, o); program.ExitCode(err) != program.ExitUsage || !strings.Contains(err.Error(), `-check: is "leek", want oracle, null,`) || !strings.HasSuffix(err.Error(), `did you mean "leak"?`) {
		t.Error(err)
	}
}

// A checks.json is strict, and every fault of every file is named before anything runs.
func TestSignedFaults(t *testing.T) {
	o := planted(t, "tasks")
	file := filepath.Join(o.Tasks, "good", SignedFile)
	need.Write(t, file, `{"exempt": {"nul": "why", "start": "", "oracle": "why"}, "survivor": {}}`)
	var stderr bytes.Buffer
	o.Stderr = &stderr
	_, _, err := prove(t, o)
	got := strings.ReplaceAll(stderr.String(), filepath.ToSlash(o.Tasks)+"/", "")
	want := `good/checks.json:1:13: /exempt/nul: unknown field "nul"; allowed: null, start, wanderer, typed, receipt, leak, twice, then, literal, seeds; did you mean "null"?
good/checks.json:1:36: /exempt/start: is "", want a non-empty string
good/checks.json:1:40: /exempt/oracle: unknown field "oracle"; allowed: null, start, wanderer, typed, receipt, leak, twice, then, literal, seeds
good/checks.json:1:58: /survivor: unknown field "survivor"; allowed: exempt, survivors, unsaid; did you mean "survivors"?
`
	if diff := cmp.Diff(want, got); diff != "" || program.ExitCode(err) != program.ExitUsage {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// The documentation and the help have all checks, in the words of the table.
func TestChecksAreDocumented(t *testing.T) {
	page := need.Read(t, filepath.Join("..", "..", "..", "..", "docs", "benchmarks", "suite-check.md"))
	var rows []string
	for _, c := range checks {
		rows = append(rows, "| `"+c.name+"` | "+c.shows+" |\n")
	}
	if !bytes.Contains(page, []byte("| --- | --- |\n"+strings.Join(rows, "")+"\n")) {
		t.Errorf("suite-check.md lacks the table\n%s", strings.Join(rows, ""))
	}
	help := slices.ContainsFunc(option.Rows, func(r option.Row) bool {
		return r.Name == "check" && strings.HasSuffix(r.Doc, ": "+strings.Join(names(), ", ")+" (all)")
	})
	if !help {
		t.Errorf("the help of -check does not list %s", strings.Join(names(), ", "))
	}
}
