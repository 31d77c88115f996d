package web

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/openchrome/bench/fixtures"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/read/param"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
	"github.com/openchrome/bench/harness/internal/web/route"
)

// folder makes files below a new folder; a name that ends in "/" is a folder.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		p := filepath.Join(dir, filepath.FromSlash(name))
		if strings.HasSuffix(name, "/") {
			mkdir(t, p)
			continue
		}
		need.Write(t, p, content)
	}
	return dir
}

func mkdir(t *testing.T, p string) {
	t.Helper()
	need.OK(t, os.MkdirAll(p, 0o755))
}

func open(t testing.TB, dirs ...string) *Set {
	t.Helper()
	s, err := Open(dirs...)
	need.OK(t, err)
	return s
}

// drawn returns the built-in hosts with the values of the built-in tasks.
func drawn(t testing.TB) *Set {
	t.Helper()
	s := open(t)
	files, err := fs.Glob(fixtures.FS, "*/"+param.FileName)
	if err != nil || len(files) == 0 {
		t.Fatal("no built-in task draws values: ", err)
	}
	for _, name := range files {
		d := drawOf(t, path.Dir(name))
		if s, err = s.With(d); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	return s
}

// drawOf returns seed 0 of a built-in task.
func drawOf(t testing.TB, task string) Draw {
	t.Helper()
	f := jsonfile.Read(fixtures.FS, path.Join(task, param.FileName), task, "")
	spec := param.Read(f, nil)
	need.OK(t, f.Faults.Err())
	return Draw{spec.Sites, spec.Draw(0, task, 1)}
}

func TestOpenBuiltIn(t *testing.T) {
	s := open(t)
	entries, err := os.ReadDir("../../../sites")
	need.OK(t, err)
	var want []string
	for _, e := range entries {
		if e.IsDir() && strings.Contains(e.Name(), ".") {
			want = append(want, e.Name())
		}
	}
	need.Equal(t, "embedded hosts differ from the folders here; see go:embed in set.go", want, s.Hosts())
	if !s.Has("example.com") || !s.Has("EXAMPLE.com") || s.Has("example.org") || s.Has("") {
		t.Error("Has is wrong about example.com, example.org or the empty name")
	}
}

func TestOpenUserFolders(t *testing.T) {
	one := folder(t, map[string]string{
		"README.md":                "about these sites",
		".git/config":              "x",
		"example.com/index.html":   "mine",
		"example.com/.DS_Store":    "x",
		"example.com/README.md":    "x",
		"mysite.test/a/index.html": "first",
	})
	two := folder(t, map[string]string{"mysite.test/b.html": "second"})
	s := open(t, one, two)
	want := append(open(t).Hosts(), "mysite.test")
	slices.Sort(want)
	need.Equal(t, "Hosts", want, s.Hosts())
	w := s.NewWeb()
	for _, c := range []struct {
		url, want string
		status    int
	}{
		{"http://example.com/", "mine", 200},
		{"http://mysite.test/b", "second", 200},
	} {
		if r := do(t, w, "GET", c.url, ""); r.Code != c.status || r.Body.String() != c.want {
			t.Errorf("%s = %d %q, want %d %q", c.url, r.Code, r.Body, c.status, c.want)
		}
	}
	for _, gone := range []string{"http://example.com/more", "http://mysite.test/a", "http://example.com/README.md", "http://example.com/.DS_Store"} {
		if r := do(t, w, "GET", gone, ""); r.Code != 404 {
			t.Errorf("%s = %d, want 404", gone, r.Code)
		}
	}
}

func TestOpenFaults(t *testing.T) {
	see := func(t *testing.T, files map[string]string) string { // DIR stands for the folder
		dir := folder(t, files)
		return strings.ReplaceAll(filepath.ToSlash(fmt.Sprint(need.Err(Open(dir)))), filepath.ToSlash(dir), "DIR")
	}
	need.Cases(t, "open", see)
	hostile := see(t, map[string]string{"A\x1b[2J.test/x.html": "", "a.test/\u202e\n.tmpl.html": "{{"})
	need.Is(t, "names are hostile", `DIR/A\x1b[2J.test: not a host name; use lower-case letters, digits, hyphens and dots, such as mysite.test
DIR/a.test/\u202e\n.tmpl.html:1: unclosed action`, hostile)
	need.Fails(t, need.Err(Open(filepath.Join(t.TempDir(), "none"))), "none: no such file or directory; name a folder")
}

func TestOpenSymlinks(t *testing.T) {
	dir := folder(t, map[string]string{"a.test/real.html": "here", "folder.test/index.html": ""})
	link := func(to, name string) {
		t.Helper()
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Skip(err)
		}
	}
	link("real.html", "a.test/index.html")
	s := open(t, dir)
	need.Is(t, "through the symlink came", "here", do(t, s.NewWeb(), "GET", "http://a.test/", "").Body.String())
	secret := filepath.Join(t.TempDir(), "secret")
	need.Write(t, secret, "secret")
	for _, c := range []struct{ to, want string }{
		{secret, "path escapes from parent"},
		{"../../../../../../../../etc/passwd", "path escapes from parent"},
		{"/dev/zero", "path escapes from parent"},
		{"../folder.test", "it is not a regular file"},
		{"nowhere", "no such file or directory"},
	} {
		link(c.to, "a.test/x")
		if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), filepath.Join("a.test", "x")+": "+c.want) {
			t.Errorf("symlink to %s: error %v, want %q", c.to, err, c.want)
		}
		need.OK(t, os.Remove(filepath.Join(dir, "a.test/x")))
	}
}

func TestOpenTooLarge(t *testing.T) {
	dir := folder(t, map[string]string{"a.test/a.txt": "x", "a.test/b.txt": ""})
	need.OK(t, os.Truncate(filepath.Join(dir, "a.test", "b.txt"), maxTotal))
	need.Fails(t, need.Err(Open(dir)), "b.txt: with this file the sites hold more than 64 MB")
}

func TestPackRoundTrip(t *testing.T) {
	s := open(t, folder(t, map[string]string{"a.test/x y.html": "é", "a.test/empty.txt": ""}))
	got, err := OpenPacked(s.Pack())
	need.OK(t, err)
	need.Is(t, "digest", s.Digest(), got.Digest())
	need.Equal(t, "Hosts", s.Hosts(), got.Hosts())
	if s.Digest() == open(t).Digest() {
		t.Error("a host more, the same digest")
	}
	for name, data := range map[string][]byte{
		"empty":     nil,
		"not JSON":  []byte("sites"),
		"truncated": s.Pack()[:len(s.Pack())/2],
		"bad route": pack(tree{"a.test": {route.RoutesFile: []byte("{}")}}),
	} {
		if _, err := OpenPacked(data); err == nil || !strings.HasPrefix(err.Error(), "packed ") {
			t.Errorf("%s: error %v, want one that begins with packed", name, err)
		}
	}
}

// build makes a Set of these hosts and checks all of them.
func build(t tree, at func(host, name string) string) (*Set, jsonfile.Faults) {
	return buildSome(t, t, at)
}
