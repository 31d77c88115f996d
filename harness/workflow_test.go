package harness_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/openchrome/bench/harness"
	"github.com/openchrome/bench/harness/internal/need"
)

// pinned matches a step with an action that nobody can replace, as they can replace a tag.
var pinned = regexp.MustCompile(`^ +(- )?uses: [\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`)

// The workflows are valid, this project's and those for people to copy, and name actions by
// commit.
func TestWorkflows(t *testing.T) {
	if testing.Short() {
		t.Skip("it compiles actionlint")
	}
	var files []string
	for _, pattern := range []string{".github/workflows/*.yml", "docs/ci/*.yml"} {
		names, err := filepath.Glob(filepath.Join(root(), pattern))
		if err != nil || len(names) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(names), err)
		}
		files = append(files, names...)
	}
	// Without shellcheck and pyflakes: a machine may not have them.
	for _, file := range files {
		text := need.Read(t, file)
		for i, line := range strings.Split(string(text), "\n") {
			if strings.Contains(line, "uses:") && !pinned.MatchString(line) {
				t.Errorf("%s:%d: %s; want the action's commit, and its version as a comment", file, i+1, strings.TrimSpace(line))
			}
		}
	}
	cmd := exec.Command("go", append([]string{"tool", "actionlint", "-no-color", "-shellcheck=", "-pyflakes="}, files...)...)
	cmd.Dir = root()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("actionlint: %v\n%s", err, out)
	}
}

// The commands of the workflows to copy work with the stand-in as OpenChrome. The job summary
// begins with the answer, and no annotation names a file that the repository lacks.
func TestWorkflowCommands(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs the core suite")
	}
	dir := t.TempDir()
	for name, file := range map[string]string{"head": buildStandin(t), "bench": bench} {
		if err := os.Symlink(file, filepath.Join(dir, name)); err != nil {
			t.Skip(err)
		}
	}
	run := func(want int, command string, env ...string) string {
		t.Helper()
		ctx := need.Within(t, 2*time.Minute)
		cmd := exec.CommandContext(ctx, "sh", "-ec", command)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "RUNNER_TEMP="+dir, "GITHUB_WORKSPACE="+dir, "GITHUB_ACTIONS=true", "GITHUB_STEP_SUMMARY="+filepath.Join(dir, "summary"))
		cmd.Env = append(cmd.Env, env...)
		out, _ := cmd.CombinedOutput()
		if code := cmd.ProcessState.ExitCode(); code != want {
			t.Fatalf("%s: exit code %d, want %d\n%s", command, code, want, out)
		}
		if strings.Contains(string(out), "::error file=") || strings.Contains(string(out), "::warning file=") {
			t.Errorf("an annotation has a path:\n%s", out)
		}
		return string(out)
	}

	parity, env := commandsOf(t, "openchrome.yml", 1, "TASKS")
	command := strings.NewReplacer("local:$GITHUB_WORKSPACE/base", "standin", "local:", "").Replace(parity[0])
	// Once, because each episode waits for late acts. So only what needs pairs is not judged.
	out := run(harness.ExitRefused, command, strings.Replace(env, "-repetitions=20", "-repetitions=1", 1))
	if !strings.Contains(out, "NOT JUDGED: duration.rise<=20%") || strings.Contains(out, "NOT JUDGED: regressions") || strings.Contains(out, "BREACHED") {
		t.Errorf("the gate:\n%s", out)
	}
	summary, err := os.ReadFile(filepath.Join(dir, "summary"))
	if want := regexp.MustCompile(`^# .*\n\n\*\*no difference shown: no outcome changed in 6 tasks × 1`); err != nil || !want.Match(summary) {
		t.Errorf("the job summary begins with %.300s (%v), want %s", summary, err, want)
	}

	need.OK(t, os.RemoveAll(filepath.Join(dir, "out")))
	shards, env := commandsOf(t, "shards.yml", 2, "SHARDS")
	for _, shard := range []string{"1", "2", "3", "4"} {
		run(0, strings.ReplaceAll(shards[0], "local:$GITHUB_WORKSPACE/openchrome", "standin"), env, "SHARD="+shard)
		to := filepath.Join(dir, "shards", "shard-"+shard)
		need.OK(t, errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), os.Rename(filepath.Join(dir, "out"), to)))
	}
	if out := run(0, shards[1]); !strings.Contains(out, "PASSED: ") {
		t.Errorf("the merge:\n%s", out)
	}
}

// commandsOf returns the commands with the harness in a workflow to copy, and the setting of a
// variable there. The suite is chosen in one place.
func commandsOf(t *testing.T, file string, n int, variable string) (commands []string, env string) {
	t.Helper()
	data := need.Read(t, filepath.Join(root(), "docs", "ci", file))
	text := string(data)
	if strings.Count(text, "-suite=") > 1 {
		t.Errorf("%s chooses the suite in more than one place", file)
	}
	for _, m := range regexp.MustCompile(`(?m)"\$RUNNER_TEMP/bench" (?:report|bench):(?:.*\\\n)*.*`).FindAllString(text, -1) {
		if strings.Count(m, "'")%2 == 1 { // the end of a quoted string of YAML
			m = strings.TrimSuffix(m, "'")
		}
		commands = append(commands, m)
	}
	m := regexp.MustCompile(`(?m)^ +` + variable + `: ([^#\n]*)`).FindStringSubmatch(text)
	if len(commands) != n || m == nil {
		t.Fatalf("%s: commands %q, want %d; %s is %q", file, commands, n, variable, m)
	}
	return commands, variable + "=" + strings.TrimSpace(m[1])
}

// docs/ci/README.md says what the workflow runs.
func TestWorkflowReadme(t *testing.T) {
	_, env := commandsOf(t, "openchrome.yml", 1, "TASKS")
	readme := need.Read(t, filepath.Join(root(), "docs", "ci", "README.md"))
	if env != "TASKS=-suite=smoke -repetitions=20" || !regexp.MustCompile(`six\s+smoke\s+tasks`).Match(readme) || !regexp.MustCompile(`\b20\s+of\s`).Match(readme) {
		t.Errorf("the workflow has %s; does docs/ci/README.md say so?", env)
	}
}
