package choose

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/openchrome/bench/harness/internal/need"
)

func TestFrom(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "package.json")
	write := func(text string) {
		need.Write(t, file, text)
	}
	from := func(name string) string {
		p := Options{Package: name}.From(t.Context())
		if p == nil {
			return "none"
		}
		s := strings.TrimSpace(p.Commit + " " + p.Describe + " " + p.Version)
		if _, err := time.Parse(time.RFC3339, p.Date); p.Commit != "" && err != nil {
			t.Error("the date of the commit:", err)
		}
		if p.Dirty {
			s += " dirty"
		}
		need.Is(t, "path", name, p.Path)
		return s
	}
	for name, want := range map[string]string{"": "none", dir: "", "1.12.9": "", file: ""} {
		need.Is(t, fmt.Sprintf("%q", name), want, from(name))
	}
	run := func(args ...string) {
		cmd := exec.Command(need.Program(t, "git"), append([]string{"-C", dir, "-c", "user.name=n", "-c", "user.email=e", "-c", "commit.gpgsign=false"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	write(`{"version": "1.2.3"}`)
	run("init", "-q")
	run("add", ".")
	run("commit", "-q", "-m", "one")
	run("tag", "v1.2.3")
	commit, err := exec.Command(need.Program(t, "git"), "-C", dir, "rev-parse", "HEAD").Output()
	need.OK(t, err)
	want := string(commit[:len(commit)-1]) + " v1.2.3"
	need.Is(t, "a clean checkout", want+" 1.2.3", from(dir))
	write(`{"changed": true}`)
	need.Is(t, "a changed checkout", want+" dirty", from(dir))
}

// A package's own settings for git start no program, and say nothing about its state.
func TestFromStartsNothing(t *testing.T) {
	top := t.TempDir()
	dir, sub, marks := filepath.Join(top, "package"), filepath.Join(top, "sub"), filepath.Join(top, "marks")
	write := func(name, text string, mode os.FileMode) string {
		t.Helper()
		need.OK(t, os.MkdirAll(filepath.Dir(name), 0o755))
		need.OK(t, os.WriteFile(name, []byte(text), mode))
		return name
	}
	need.OK(t, os.Mkdir(marks, 0o755))
	mark := write(filepath.Join(top, "mark"), "#!/bin/sh\necho >"+marks+"/$(basename $0).$$\ncat\n", 0o755)
	git := func(dir string, args ...string) string {
		t.Helper()
		cmd := exec.Command(need.Program(t, "git"), append([]string{"-C", dir, "-c", "user.name=n", "-c", "user.email=e", "-c", "commit.gpgsign=false", "-c", "protocol.file.allow=always"}, args...)...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	for _, d := range []string{sub, dir} {
		write(filepath.Join(d, "package.json"), "{}", 0o644)
		write(filepath.Join(d, ".gitattributes"), "*.json filter=f diff=f merge=f\n", 0o644)
		git(d, "init", "-q")
		git(d, "add", ".")
		git(d, "commit", "-q", "-m", "one")
	}
	git(dir, "submodule", "--quiet", "add", sub, "sub")
	git(dir, "commit", "-q", "-m", "two")
	work := filepath.Join(top, "work") // a worktree has its index elsewhere than its objects
	git(dir, "worktree", "add", "-q", work)

	config := "[filter \"f\"]\nclean = " + mark + "\nsmudge = " + mark + "\nprocess = " + mark + "\nrequired = true\n" +
		"[diff]\nexternal = " + mark + "\n[diff \"f\"]\ntextconv = " + mark + "\ncommand = " + mark + "\n" +
		"[core]\nfsmonitor = " + mark + "\nhooksPath = " + top + "/hooks\npager = " + mark + "\nsshCommand = " + mark + "\n" +
		"[pager]\nstatus = true\nrev-parse = true\n[alias]\nstatus = !" + mark + "\nrev-parse = !" + mark + "\n"
	included := write(filepath.Join(top, "included"), config, 0o644)
	for _, name := range []string{filepath.Join(dir, ".git", "config"), filepath.Join(dir, ".git", "modules", "sub", "config")} {
		old := need.Read(t, name)
		write(name, string(old)+config+"[include]\npath = "+included+"\n", 0o644)
	}
	write(filepath.Join(dir, ".git", "info", "attributes"), "* filter=f\n", 0o644)
	for _, hook := range []string{"post-index-change", "reference-transaction", "post-checkout", "pre-commit"} {
		write(filepath.Join(top, "hooks", hook), "#!/bin/sh\n"+mark+"\n", 0o755)
		write(filepath.Join(dir, ".git", "hooks", hook), "#!/bin/sh\n"+mark+"\n", 0o755)
	}
	commit := git(dir, "rev-parse", "HEAD")
	started := func() (names []string) {
		entries, err := os.ReadDir(marks)
		need.OK(t, err)
		for _, e := range entries {
			names = append(names, e.Name())
		}
		return names
	}
	// git compares the content of a file only if its time is not the index's.
	touch := func(dir string) {
		for _, name := range []string{"package.json", ".gitattributes", "sub/package.json"} {
			if err := os.Chtimes(filepath.Join(dir, name), time.Time{}, time.Unix(1, 0)); err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
		}
	}
	for _, d := range []string{dir, work} {
		for _, changed := range []bool{false, true} {
			if changed {
				write(filepath.Join(d, "package.json"), "[]", 0o644) // as long as before
			}
			touch(d)
			p := Options{Package: d}.From(t.Context())
			if p.Commit != commit || p.Dirty != changed {
				t.Errorf("%s, changed %t: %+v, want commit %s", filepath.Base(d), changed, *p, commit)
			}
			if names := started(); names != nil {
				t.Fatalf("%s, changed %t: the package's settings started %q", filepath.Base(d), changed, names)
			}
		}
	}
	// The settings do start programs if git reads them.
	exec.Command(need.Program(t, "git"), "-C", dir, "status").Run()
	if started() == nil {
		t.Error("git status started nothing, so this test shows nothing")
	}
}

// A commit is named only if it is known whether the checkout has further changes.
func TestFromUnknownState(t *testing.T) {
	dir := t.TempDir()
	for _, args := range [][]string{{"init", "-q"}, {"commit", "-q", "--allow-empty", "-m", "one"}} {
		args = append([]string{"-C", dir, "-c", "user.name=n", "-c", "user.email=e", "-c", "commit.gpgsign=false"}, args...)
		if out, err := exec.Command(need.Program(t, "git"), args...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	need.Write(t, filepath.Join(dir, ".git", "index"), "no index")
	if p := (Options{Package: dir}).From(t.Context()); p.Commit != "" || p.Dirty {
		t.Errorf("%+v, want no commit", *p)
	}
}
