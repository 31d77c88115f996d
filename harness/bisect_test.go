package harness_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
)

var cutOff = regexp.MustCompile(`resuming run \S+: [0-2] of 3 episodes done`)

// The lines of docs/benchmarks/bisect.md find a commit in a history of eight: the second does not build, the fourth
// renames a tool that every episode needs, and the sixth breaks a field, or mends it. A signal stops them once.
func TestBisect(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs a task at several commits, twice")
	}
	need.Program(t, "git")
	need.Program(t, "sh")
	blocks := fenced.FindAllStringSubmatch(string(need.Read(t, filepath.Join(rootDir, "docs/benchmarks/bisect.md"))), -1)
	for i, test := range []struct{ start, before, after, found string }{
		{"BAD GOOD", "none", "cut", " is the first bad commit"},
		{"FIXED BROKEN", "cut", "none", " is the first fixed commit"},
	} {
		t.Run(test.start, func(t *testing.T) {
			t.Parallel()
			p := plant(t, test.before, test.after)
			lines := blocks[i][2]
			for placeholder, value := range map[string]string{
				" " + test.start + "\n": " c8 c1\n", "=TASK ": "=local-form-submit ",
				"=/elsewhere ": "=" + p.dir + "/out ", "=local:. ": "=./server ",
			} {
				if !strings.Contains(lines, placeholder) {
					t.Fatalf("no %q in\n%s", placeholder, lines)
				}
				lines = strings.Replace(lines, placeholder, value, 1)
			}
			_, run, _ := strings.Cut(lines, "\n")
			sixth, _ := p.sh("git rev-parse c6")
			sixth = strings.TrimSpace(sixth) + test.found

			stopped, err := p.sh(lines)
			if err == nil || !strings.Contains(stopped, "exit code 129") {
				t.Errorf("a signal stopped it: %v\n%s", err, stopped)
			}
			goesOn, err := p.sh(run)
			need.OK(t, err)
			need.Has(t, goesOn, sixth)
			if !cutOff.MatchString(goesOn) {
				t.Errorf("no run was taken up in the middle:\n%s", goesOn)
			}
			again, err := p.sh("git bisect reset && " + lines)
			need.OK(t, err)
			need.Has(t, again, sixth)
			logs, err := filepath.Glob(filepath.Join(p.dir, "out", "events", "*"))
			need.OK(t, err)
			need.Is(t, "commits that were measured before", len(logs), strings.Count(again, ": 3 of 3 episodes done, 0 cut off"))
			text, err := p.sh("git checkout -q c2 && " + strings.TrimPrefix(run, "git bisect run "))
			if err == nil || err.Error() != "exit status 125" {
				t.Errorf("at the commit that does not build: %v\n%s", err, text)
			}
		})
	}
}

// planted is a folder with the history of a server.
type planted struct {
	t   *testing.T
	dir string
}

// plant makes a history of the stand-in with a fault of [serveBroken] before its sixth commit, and another one after it.
func plant(t *testing.T, before, after string) *planted {
	t.Helper()
	p := &planted{t, t.TempDir()}
	p.program("bin/npm", "exec ./build")
	p.program("bin/"+ourProgram, `echo $$ >"$PLANTED/harness"; exec `+filepath.Join(filepath.Dir(bench), ourProgram)+` "$@"`)
	// The seventh session is that of the second episode of the second commit.
	server := `echo >>"$PLANTED/sessions"
[ $(wc -l <"$PLANTED/sessions") != 7 ] || kill $(cat "$PLANTED/harness")
exec ` + need.Self(t) + " broken "
	lines := "git init -q ."
	for i, fault := range []string{before, before, before, "rename navigate", before, after, after, after} {
		p.program("clone/build", map[bool]string{true: "exit 1", false: "exit 0"}[i == 1])
		p.program("clone/server", server+fault)
		text, err := p.sh(fmt.Sprintf("%s\ngit add . && git commit -q --allow-empty -m %d && git tag c%[2]d", lines, i+1))
		if lines = ""; err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
	}
	return p
}

func (p *planted) program(name, lines string) {
	name = filepath.Join(p.dir, name)
	need.Write(p.t, name, "#!/bin/sh\n"+lines+"\n")
	need.OK(p.t, os.Chmod(name, 0o755))
}

// sh runs lines of a shell in the clone.
func (p *planted) sh(lines string) (text string, err error) {
	cmd := exec.Command("sh", "-c", lines)
	cmd.Dir = filepath.Join(p.dir, "clone")
	cmd.Env = append(os.Environ(), "PLANTED="+p.dir, "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1",
		"PATH="+filepath.Join(p.dir, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"),
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b.test", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b.test")
	out, err := cmd.CombinedOutput()
	return string(out), err
}
