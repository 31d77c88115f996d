package build

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
)

// A clone of a module, and a program that was compiled of it.
type clone struct {
	*testing.T
	dir, program string
}

func (c clone) git(args ...string) string {
	c.Helper()
	args = append([]string{"-C", c.dir, "-c", "user.name=n", "-c", "user.email=e", "-c", "commit.gpgsign=false"}, args...)
	out, err := exec.Command(need.Program(c, "git"), args...).CombinedOutput()
	if err != nil {
		c.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (c clone) write(name, text string) {
	c.Helper()
	name = filepath.Join(c.dir, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
		c.Fatal(err)
	}
}

// at sets the time of everything in the folder, before the program was built or after it.
func (c clone) at(when time.Duration, names ...string) {
	c.Helper()
	if names == nil {
		names = []string{"."}
	}
	for _, name := range names {
		err := filepath.WalkDir(filepath.Join(c.dir, name), func(path string, _ os.DirEntry, err error) error {
			return errors.Join(err, os.Chtimes(path, time.Time{}, time.Now().Add(when)))
		})
		if err != nil {
			c.Fatal(err)
		}
	}
}

func newClone(t *testing.T) clone {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	need.OK(t, err)
	c := clone{t, filepath.Join(dir, "module"), filepath.Join(dir, "program")}
	for _, name := range append([]string{"docs/a.md", "harness/a.go", "fixtures/a/task.json", "servers/a", "sites/a", "containers/a"}, "go.mod", "go.sum", "magefile.go") {
		c.write(name, name)
	}
	c.git("init", "-q")
	c.git("add", ".")
	c.git("commit", "-q", "-m", "one")
	need.OK(t, os.WriteFile(c.program, nil, 0o755))
	return c
}

const before, after = -time.Hour, time.Hour

func TestCommitOf(t *testing.T) {
	head := func(c clone) string { return c.git("rev-parse", "HEAD") }
	for _, test := range []struct {
		name string
		// change changes the clone and returns the commit; empty: it is unknown.
		change func(c *clone) string
	}{
		{"clean", func(c *clone) string { return head(*c) }},
		{"a file that is no source", func(c *clone) string {
			c.write("docs/a.md", "changed")
			c.write("events/run.jsonl", "{}")
			return head(*c)
		}},
		{"changed", func(c *clone) string { c.write("harness/a.go", "changed"); return head(*c) + record.Dirty }},
		{"staged", func(c *clone) string {
			c.write("harness/a.go", "changed")
			c.git("add", ".")
			return head(*c) + record.Dirty
		}},
		{"a new source", func(c *clone) string { c.write("harness/b.go", "new"); return head(*c) + record.Dirty }},
		{"a source less", func(c *clone) string {
			os.Remove(filepath.Join(c.dir, "fixtures/a/task.json"))
			return head(*c) + record.Dirty
		}},
		{"changed after the build", func(c *clone) string {
			c.write("harness/a.go", "changed")
			c.at(before)
			c.at(after, "harness/a.go")
			return ""
		}},
		{"changed before the build, and restored after it", func(c *clone) string {
			c.at(before)
			c.at(after, "harness/a.go")
			return ""
		}},
		{"a commit after the build", func(c *clone) string {
			c.git("commit", "-q", "--allow-empty", "-m", "two")
			c.at(before)
			c.at(after, ".git/logs/HEAD")
			return ""
		}},
		{"no commit is logged", func(c *clone) string { os.RemoveAll(filepath.Join(c.dir, ".git/logs")); return "" }},
		{"no checkout", func(c *clone) string { os.RemoveAll(filepath.Join(c.dir, ".git")); return "" }},
		{"a broken checkout in another checkout", func(c *clone) string {
			c.git("init", "-q", "..")
			os.RemoveAll(filepath.Join(c.dir, ".git", "objects"))
			return ""
		}},
		{"a folder of another checkout", func(c *clone) string {
			os.Rename(filepath.Join(c.dir, ".git"), filepath.Join(c.dir, "..", ".git"))
			return ""
		}},
		{"a work tree", func(c *clone) string {
			c.git("worktree", "add", "-q", "../tree")
			c.git("commit", "-q", "--allow-empty", "-m", "two")
			was := c.git("rev-parse", "HEAD~")
			c.dir = filepath.Join(filepath.Dir(c.dir), "tree")
			return was
		}},
		{"packed refs", func(c *clone) string { c.git("gc", "-q"); return head(*c) }},
		{"no program", func(c *clone) string { os.Remove(c.program); return "" }},
		{"a hook of another repository", func(c *clone) string {
			other := newClone(c.T)
			other.git("commit", "-q", "--allow-empty", "-m", "other")
			commit := head(*c)
			c.Setenv("GIT_DIR", filepath.Join(other.dir, ".git"))
			return commit
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := newClone(t)
			want := test.change(&c)
			if want != "" {
				os.Chtimes(c.program, time.Time{}, time.Now().Add(time.Minute))
			}
			need.Is(t, "", want, commitOf(c.dir, c.program))
		})
	}
	need.Is(t, "with -trimpath", "", commitOf("github.com/openchrome/bench", os.Args[0]))
}

func TestStamped(t *testing.T) {
	ours, other := debug.Module{Path: module, Version: "(devel)"}, debug.Module{Path: "example.com/mine"}
	stamp := []debug.BuildSetting{{Key: "vcs", Value: "git"}, {Key: "vcs.revision", Value: "abc"}, {Key: "vcs.modified", Value: "false"}}
	dirty := []debug.BuildSetting{{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.modified", Value: "true"}}
	as := func(version string, replace *debug.Module) []*debug.Module {
		return []*debug.Module{{Path: "x", Version: "v0.0.0-2026-ccc"}, {Path: module, Version: version, Replace: replace}}
	}
	for _, test := range []struct {
		name, want string
		info       *debug.BuildInfo
	}{
		{"nothing is known", "", nil},
		{"mage's build has no stamp", "", &debug.BuildInfo{Main: debug.Module{Path: "command-line-arguments"}}},
		{"go build", "abc", &debug.BuildInfo{Main: ours, Settings: stamp}},
		{"go build with changes", "abc+dirty", &debug.BuildInfo{Main: ours, Settings: dirty}},
		{"go install of a commit", "0123456789ab", &debug.BuildInfo{Main: debug.Module{Path: module, Version: "v0.0.0-20261121120000-0123456789ab"}}},
		{"go install of a version", "", &debug.BuildInfo{Main: debug.Module{Path: module, Version: "v0.1.0"}}},
		{"the stamp of another module", "", &debug.BuildInfo{Main: other, Settings: stamp, Deps: as("v0.1.0", nil)}},
		{"a dependency at a commit", "0123456789ab", &debug.BuildInfo{Main: other, Settings: stamp, Deps: as("v0.1.1-0.20261121120000-0123456789ab", nil)}},
		{"a dependency before the first version", "0123456789ab", &debug.BuildInfo{Main: other, Deps: as("v0.0.0-20261121120000-0123456789ab", nil)}},
		{"a candidate for a version", "", &debug.BuildInfo{Main: other, Deps: as("v0.2.0-rc-2-a", nil)}},
		{"a dependency that is replaced by a folder", "", &debug.BuildInfo{Main: other, Deps: as("v0.0.0-20261121120000-0123456789ab", &debug.Module{Path: "../bench"})}},
	} {
		need.Is(t, test.name, test.want, stamped(test.info))
	}
}

// The version is the one that CHANGELOG.md begins with.
func TestVersion(t *testing.T) {
	text := need.Read(t, filepath.Join("..", "..", "..", "..", "CHANGELOG.md"))
	m := regexp.MustCompile(`(?m)^## (\S+)`).FindSubmatch(text)
	if m == nil || string(m[1]) != Version {
		t.Errorf("CHANGELOG.md begins with %q, want %s", m, Version)
	}
}
