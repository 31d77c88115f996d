package harness_test

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/openchrome/bench/harness"
	"github.com/openchrome/bench/harness/internal/command/line"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// bench is the compiled magefile: the commands that people type, as one binary. Beside it is this test
// binary as the ordinary program, since compiling that takes long.
var bench string

const ourProgram = "openchrome-bench"

func TestMain(m *testing.M) {
	os.Unsetenv("GITHUB_ACTIONS") // test runs write no job summary
	if binary := os.Getenv(launcherEnv); binary != "" && filepath.Base(os.Args[0]) == "mage" {
		os.Exit(launchLikeMage(binary))
	}
	if len(os.Args) == 2 && os.Args[1] == "serve" {
		os.Exit(serveMCP())
	}
	if len(os.Args) > 2 && os.Args[1] == "broken" {
		os.Exit(serveBroken(os.Args[2:]))
	}
	if len(os.Args) > 2 && os.Args[1] == "agent" {
		os.Exit(playAgent(os.Args[2]))
	}
	ours := filepath.Base(os.Args[0]) == ourProgram
	if ours {
		display.Program = ourProgram
	}
	harness.Main() // this binary starts itself as a run of bench:verify
	if ours {
		line.Main([]string{})
	}
	os.Exit(testMain(m))
}

func testMain(m *testing.M) int {
	dir, err := os.MkdirTemp("", "openchrome-bench-test-")
	if err == nil {
		defer os.RemoveAll(dir)
		bench = filepath.Join(dir, "bench")
		err = compile(bench)
	}
	if self, _ := os.Executable(); err == nil {
		err = os.Symlink(self, filepath.Join(dir, ourProgram))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// compile builds the magefile of the module that is tested. It is done once:
// mage writes a file into the project while it compiles. Without tables for debuggers linking is quicker.
func compile(binary string) error {
	cmd := exec.Command("go", "tool", "mage", "-ldflags", "-s -w", "-compile", binary)
	cmd.Dir = root()
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("mage -compile: %w\n%s", err, out)
	}
	return nil
}

// onStandin is run r on the stand-in, below out, which prints nothing.
func onStandin(out string) harness.Options {
	o := harness.Options{RunID: "r", Out: out}
	o.Server, o.Stdout, o.Stderr = "standin", io.Discard, io.Discard
	return o
}

// reportOf makes the report of run r below out.
func reportOf(t *testing.T, out string) *report.Report {
	t.Helper()
	r, err := report.FromFile(t.Context(), filepath.Join(out, "events", "r.jsonl"))
	need.OK(t, err)
	return r
}

// root is the project's root.
func root() string { return rootDir }

// rootDir is found before anything changes the folder; tests begin in their package's.
var rootDir = func() string {
	dir, err := filepath.Abs("..")
	if err != nil {
		panic(err)
	}
	return dir
}()

func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join(rootDir, "harness", "testdata", "script"), // a target may run in another folder
		RequireExplicitExec: true,
		UpdateScripts:       *need.Update,
		Setup: func(e *testscript.Env) error {
			e.Setenv("BENCH", bench)
			e.Setenv("ROOT", root())
			e.Setenv("PATH", filepath.Dir(bench)+string(os.PathListSeparator)+os.Getenv("PATH"))
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"bench":  benchCmd,
			"exit":   exitCmd,
			"jsonis": jsonIs,
			"edit":   editCmd,
		},
	})
}
