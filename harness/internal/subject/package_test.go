package subject

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func TestFrom(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "package.json")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	from := func(name string) string {
		p := Options{Package: name}.From(t.Context())
		if p == nil {
			return "none"
		}
		s := p.Commit
		if p.Dirty {
			s += " dirty"
		}
		if p.Path != name {
			t.Errorf("path %q, want %q", p.Path, name)
		}
		return s
	}
	for name, want := range map[string]string{"": "none", dir: "", "1.12.9": "", file: ""} {
		if got := from(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
	run := func(args ...string) {
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=n", "-c", "user.email=e", "-c", "commit.gpgsign=false"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	write("{}")
	run("init", "-q")
	run("add", ".")
	run("commit", "-q", "-m", "one")
	commit, err := exec.Command("git", "-C", dir, "rev-parse", "HEAD").Output()
	if err != nil {
		t.Fatal(err)
	}
	want := string(commit[:len(commit)-1])
	if got := from(dir); got != want {
		t.Errorf("a clean checkout: %q, want %q", got, want)
	}
	write(`{"changed": true}`)
	if got := from(dir); got != want+" dirty" {
		t.Errorf("a changed checkout: %q, want %q", got, want+" dirty")
	}
}
