package harness_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// Every shell command of the documentation is run, in the order of its page,
// in a folder that begins as a copy of the project's data.
func TestDocumentedCommands(t *testing.T) {
	for _, page := range []string{"README.md", "docs/benchmarks/episode-harness.md", "fixtures/README.md", "sites/README.md"} {
		t.Run(page, func(t *testing.T) {
			commands := shellCommands(t, filepath.Join(root(), page))
			if page == "README.md" && len(commands) < 8 {
				t.Fatalf("found %d commands in README.md: is it read right?", len(commands))
			}
			dir := t.TempDir()
			for _, data := range []string{"fixtures", "sites"} {
				if err := os.CopyFS(filepath.Join(dir, data), os.DirFS(filepath.Join(root(), data))); err != nil {
					t.Fatal(err)
				}
			}
			for _, command := range commands {
				runDocumented(t, dir, command)
			}
		})
	}
}

var shellBlock = regexp.MustCompile("(?s)```sh\n(.*?)```")

func shellCommands(t *testing.T, page string) []string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var commands []string
	for _, block := range shellBlock.FindAllStringSubmatch(string(text), -1) {
		for line := range strings.Lines(block[1]) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
				commands = append(commands, line)
			}
		}
	}
	return commands
}

// The ways to start a target, which stand for the compiled binary here: mage
// itself compiles into the project, which tests that run together must not.
var starts = []string{"go run mage.go ", "go tool mage ", "bin/bench ", "mage "}

func runDocumented(t *testing.T, dir, command string) {
	t.Helper()
	shell := command
	for _, start := range starts {
		if rest, ok := strings.CutPrefix(command, start); ok {
			shell = "bench " + rest
			break
		}
	}
	switch {
	case strings.Contains(shell, " -compile "):
		return // what TestMain has just done
	case shell == "bench test":
		shell = "bench -h test" // this is a part of it
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	serves := strings.Contains(shell, "site:serve")
	if serves {
		ctx, cancel = context.WithTimeout(ctx, time.Second)
		defer cancel()
	}
	cmd := exec.CommandContext(ctx, "sh", "-c", "exec "+shell)
	cmd.Dir = dir
	// What auto takes is the machine's affair; that it works is not.
	cmd.Env = append(os.Environ(), "OPENCHROME_BENCH_OPENCHROME=standin", "PATH="+filepath.Dir(bench)+string(os.PathListSeparator)+os.Getenv("PATH"))
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 5 * time.Second
	out, err := cmd.CombinedOutput()
	if serves && strings.Contains(string(out), "http://localhost:") {
		return
	}
	if err != nil {
		t.Errorf("%s: %v\n%s", command, err, out)
	}
}
