package harness_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openchrome/bench/harness"
	"github.com/openchrome/bench/harness/internal/need"
)

// outsideDir is a module of its own that uses this one, as a program with an adapter that calls a
// language model would. Its go.mod needs the versions of ours; -update writes it again.
var outsideDir = filepath.Join("testdata", "outside")

func TestOutsideModule(t *testing.T) {
	golang := func(args ...string) {
		t.Helper()
		cmd := exec.Command("go", args...)
		cmd.Dir = outsideDir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("in %s, go %s: %v; after a change of our go.mod run go test ./harness -run ^TestOutsideModule$ -update\n%s", outsideDir, strings.Join(args, " "), err, out)
		}
	}
	sum := need.Read(t, filepath.Join(root(), "go.sum"))
	if *need.Update {
		need.Write(t, filepath.Join(outsideDir, "go.sum"), sum)
		golang("get", "./...")
	}
	golang("list", "-deps", "./...")
	if own, err := os.ReadFile(filepath.Join(outsideDir, "go.sum")); err != nil || !bytes.Equal(own, sum) {
		t.Errorf("the go.sum of %s is not ours: %v", outsideDir, err)
	}
}

// outside copies the module to a folder and builds its programs, as the documentation says.
func outside(t *testing.T) (dir string) {
	t.Helper()
	page := need.Read(t, filepath.Join(root(), "docs", "benchmarks", "episode-harness.md"))
	dir = filepath.Join(t.TempDir(), "my-bench")
	for _, block := range fenced.FindAllStringSubmatch(string(page), -1) {
		if !copiesOutside(block[2]) {
			continue
		}
		cmd := exec.Command("sh", "-ec", strings.ReplaceAll(block[2], "../my-bench", dir))
		cmd.Dir = root()
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", block[2], err, out)
		}
		return dir
	}
	t.Fatal("no block of the page copies testdata/outside")
	return ""
}

func copiesOutside(block string) bool {
	return strings.Contains(block, "cp -r harness/testdata/outside ")
}

// A program outside this module runs tasks with an adapter of its own, by a
// main or a magefile of its own, with all options, reports and exit codes.
func TestAdapterOfAnotherModule(t *testing.T) {
	if testing.Short() {
		t.Skip("it compiles two programs of another module")
	}
	t.Parallel()
	dir := outside(t)
	ownMain, ownMage := filepath.Join(dir, "bin", "bench"), filepath.Join(dir, "bin", "mage")
	imports := exec.Command("go", "list", "-f", `{{join .Imports "\n"}}`, "./...")
	imports.Dir = dir
	list, err := imports.Output()
	need.OK(t, err)
	ours := slices.DeleteFunc(strings.Fields(string(list)), func(path string) bool { return !strings.HasPrefix(path, module) })
	slices.Sort(ours)
	if diff := cmp.Diff([]string{module + "harness", module + "harness/adapter"}, slices.Compact(ours)); diff != "" {
		t.Errorf("what an adapter and its program import (-want +got):\n%s", diff)
	}
	tests := []struct {
		name    string
		program string
		args    []string
		noKey   bool
		givesUp string
		code    int
		says    string
		report  string // the run's status of its one episode
	}{
		{name: "main", program: ownMain, args: []string{"example-h1"}, report: "passed"},
		{name: "main, a task that fails", program: ownMain, args: []string{"local-form-submit"}, code: harness.ExitFailed, report: "failed"},
		{name: "main, no credential", program: ownMain, noKey: true, code: harness.ExitUsage, says: "adapter reader: READER_KEY is not set"},
		{name: "mage", program: ownMage, args: []string{"bench:episode", "-adapter=reader", "-server=standin", "-task=example-h1", "-run=r"}, report: "passed"},
		{name: "mage, a task that fails", program: ownMage, args: []string{"bench:episode", "-adapter=reader", "-server=standin", "-task=local-form-submit", "-run=r"},
			code: harness.ExitFailed, report: "failed"},
		{name: "mage, runs in processes of their own", program: ownMage, args: []string{"bench:verify", "-adapter=reader", "-server=standin", "-task=example-h1", "-run=r"},
			says: "IDENTICAL: the diff of 3 runs is empty", report: "passed"},
		{name: "mage, an adapter that gives up", program: ownMage, args: []string{"bench:episode", "-adapter=reader", "-server=standin", "-task=example-h1", "-run=r"}, givesUp: "too hard",
			code: harness.ExitFailed, says: "FAILED: 0 passed, 1 failed, 0 void of 1", report: "failed"},
		{name: "mage, an agent", program: ownMage, args: []string{"bench:episode", "-adapter=reader-agent", "-server=standin", "-task=example-h1", "-run=r"},
			says: "reader-agent, version 1.2, model some-model; not confined: it could read the tasks and change this log; 10 tools listed", report: "passed"},
		{name: "mage, an agent is not verified", program: ownMage, args: []string{"bench:verify", "-adapter=reader-agent", "-server=standin"},
			code: harness.ExitUsage, says: "-adapter: is an agent; two runs of an agent"},
		{name: "mage, mistyped", program: ownMage, args: []string{"bench:episode", "-adapter=raeder"}, code: harness.ExitUsage, says: `did you mean "reader"?`},
		{name: "mage, no credential", program: ownMage, args: []string{"bench:episode", "-adapter=reader"}, noKey: true, code: harness.ExitUsage,
			says: "adapter reader: READER_KEY is not set"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			cmd := exec.Command(test.program, test.args...)
			cmd.Dir = t.TempDir()
			if !test.noKey {
				cmd.Env = append(os.Environ(), "READER_KEY=k", "READER_GIVES_UP="+test.givesUp)
			}
			out, _ := cmd.CombinedOutput()
			need.Is(t, "exit code", test.code, cmd.ProcessState.ExitCode())
			need.Has(t, string(out), test.says)
			if t.Failed() {
				t.Logf("it says:\n%s", out)
			}
			if test.report == "" {
				return
			}
			r := reportOf(t, cmd.Dir)
			e := r.Episodes.At(0)
			if !strings.HasPrefix(r.Adapter, "reader") || r.Episodes.Len() != 1 || string(e.Status) != test.report {
				t.Errorf("the report is of adapter %s, with episodes %+v", r.Adapter, r.Episodes)
			}
			if r.Adapter != "reader-agent" {
				return
			}
			if e.MaxSteps != 100 || e.AgentSaid.Answer != "read_page" || r.Figures.Agent.Requests.Sum != 10 {
				t.Errorf("%d steps, said %+v, figures %+v", e.MaxSteps, e.AgentSaid, r.Figures.Agent)
			}
			log, err := os.ReadFile(filepath.Join(cmd.Dir, "events", "r", "example-h1-1", "agent.log"))
			need.OK(t, err)
			need.Is(t, fmt.Sprintf("agent.log: %q", log), "my key is [hidden]", string(log))
		})
	}
}
