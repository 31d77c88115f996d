package launch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/read/server"
)

// fakePackage is a package whose dist/index.js is given to a fake node.
func fakePackage(t *testing.T, manifest string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), server.OpenChrome().Start.Package)
	write(t, filepath.Join(dir, "package.json"), manifest)
	write(t, filepath.Join(dir, "dist", "index.js"), "1")
	write(t, filepath.Join(dir, "dist", "cli", "index.js"), "2")
	return dir
}

func write(t *testing.T, path, text string) {
	t.Helper()
	need.Write(t, path, text)
	need.OK(t, os.Chmod(path, 0o755))
}

func TestFindPackage(t *testing.T) {
	dir := fakePackage(t, `{"version": "1.7.15", "engines": {"node": ">=18"}}`)
	dir, err := filepath.EvalSymlinks(dir) // TMPDIR may be a link
	need.OK(t, err)
	// What npm install --prefix makes. A checkout has a node_modules of its own.
	modules := filepath.Join(filepath.Dir(dir), "node_modules")
	inner := filepath.Join(modules, server.OpenChrome().Start.Package)
	write(t, filepath.Join(dir, "node_modules", server.OpenChrome().Start.Package, "dist", "index.js"), "another")
	need.OK(t, os.Mkdir(modules, 0o755))
	need.OK(t, os.Rename(dir, inner))
	dir = inner
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Log(err) // on Windows only some users may
		link = dir
	}
	unbuilt := filepath.Join(t.TempDir(), "checkout")
	write(t, filepath.Join(unbuilt, "package.json"), `{}`)
	broken := fakePackage(t, `{"version": 1}`)
	tests := []struct {
		given   string
		wantErr string // "": found
	}{
		{dir, ""},
		{dir + "/dist/index.js", ""},
		{link, ""},
		{modules, ""},
		{filepath.Dir(modules), ""},
		{unbuilt, "it has no dist/index.js; build it (npm install && npm run build), or name another folder"},
		{broken, "package.json: json: cannot unmarshal number"},
		{"no/such", "no such file or folder; name a folder with a built OpenChrome, or its dist/index.js"},
		{"1.7.15", "only -server=container takes a version; install it yourself: npm install -g openchrome-mcp@1.7.15"},
		{"latest", "only -server=container takes a version"},
		{"x.tgz", "a tarball does not include its dependencies; install it (npm install -g x.tgz)"},
	}
	for _, tt := range tests {
		p, err := findPackage(t.Context(), server.OpenChrome(), tt.given)
		switch {
		case tt.wantErr == "" && err != nil:
			t.Errorf("%s: %v", tt.given, err)
		case tt.wantErr == "":
			if p.dir != dir || p.version != "1.7.15" || p.engines != ">=18" {
				t.Errorf("%s: found %s, version %s for Node %s", tt.given, p.dir, p.version, p.engines)
			}
		case err == nil || !strings.Contains(err.Error(), tt.wantErr):
			t.Errorf("%s: error %v, want one with %q", tt.given, err, tt.wantErr)
		}
	}
}

func TestFindInstalled(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs symlinks and a shell")
	}
	dir := fakePackage(t, `{"version": "1.2.3"}`)
	found := func(path string) string {
		t.Setenv("PATH", path)
		p, err := findInstalled(t.Context(), server.OpenChrome())
		if err != nil {
			return err.Error()
		}
		return p.version
	}

	bin := t.TempDir()
	want := "no OpenChrome found; install it (npm install -g openchrome-mcp), or name a folder with a built OpenChrome: -package=<folder>"
	write(t, filepath.Join(bin, "openchrome"), "another program of this name")
	need.Is(t, "without one", want, found(bin))
	need.OK(t, os.Symlink(filepath.Join(dir, "dist", "cli", "index.js"), filepath.Join(bin, "oc")))
	need.Is(t, "by its program", "1.2.3", found(bin))
	withNpm := t.TempDir()
	write(t, filepath.Join(withNpm, "npm"), "#!/bin/sh\necho '"+filepath.Dir(dir)+"'\n")
	need.Is(t, "by npm", "1.2.3", found(withNpm))
}

func TestDigest(t *testing.T) {
	digest := func(change func(dir string)) string {
		dir := fakePackage(t, `{"version": "1"}`)
		write(t, filepath.Join(dir, "node_modules", "x", "index.js"), "not part of it")
		change(dir)
		d, err := (&nodePackage{server: server.OpenChrome(), dir: dir}).digest(t.Context())
		need.OK(t, err)
		return d
	}
	same := digest(func(string) {})
	if again := digest(func(string) {}); again != same || !strings.HasPrefix(same, "sha256:") || len(same) != 71 {
		t.Errorf("digests of one package: %s, %s", same, again)
	}
	changes := map[string]func(dir string){
		"content": func(dir string) { write(t, filepath.Join(dir, "dist", "index.js"), "3") },
		"name": func(dir string) {
			os.Rename(filepath.Join(dir, "dist", "index.js"), filepath.Join(dir, "dist", "index.jt"))
		},
		"another file": func(dir string) { write(t, filepath.Join(dir, "dist", "more.js"), "") },
		"manifest":     func(dir string) { write(t, filepath.Join(dir, "package.json"), `{"version": "2"}`) },
	}
	for name, change := range changes {
		if digest(change) == same {
			t.Errorf("%s changed, and the digest did not", name)
		}
	}
}

func TestCheckNode(t *testing.T) {
	tests := []struct {
		engines, version string
		ok               bool
	}{
		{">=18.0.0", "20.20.2", true},
		{">=18.0.0", "18.0.0", true},
		{">= 20", "18.19.1", false},
		{">=18", "v?", false},
		{"", "4.0.0", true},
		{"^20 || ^22", "18.0.0", false},
		{"^20.19.0 || ^22.12.0 || >=23", "20.18.3", false},
		{"^20.19.0 || ^22.12.0 || >=23", "20.19.0", true},
		{"^20.19.0 || ^22.12.0 || >=23", "21.7.0", false},
		{"^20.19.0 || ^22.12.0 || >=23", "24.1.0", true},
		{"18 - 20", "16.0.0", true},
	}
	for _, tt := range tests {
		err := (&nodePackage{server: server.OpenChrome(), version: "1", engines: tt.engines}).checkNode(tt.version)
		if (err == nil) != tt.ok {
			t.Errorf("Node %s for %q: %v", tt.version, tt.engines, err)
		}
	}
}

// TestKnownOptions: a version is given no option that it does not list.
func TestKnownOptions(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	const old = `Usage: openchrome serve [options]

Options:
  -p, --port <port>            Chrome remote debugging port (default: "9222")
  --lp-port <port>             see --launch-mode of newer versions
  --all-tools                  Expose all tools from startup
`
	tests := []struct {
		name, help string
		want       []string
	}{
		{"1.7", old, nil},
		{"1.15", old + "  --no-auto-elect    Disable\n  --launch-mode <mode>   auto | attach | isolated\n",
			[]string{"--no-auto-elect", "--launch-mode", "attach"}},
		{"none", "", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			node := filepath.Join(t.TempDir(), "node")
			write(t, node, "#!/bin/sh\ncat <<'END'\n"+tt.help+"END\n")
			l := &localLauncher{LocalOptions: LocalOptions{Server: server.OpenChrome()}, tools: LocalTools{Node: node}, entry: "index.js"}
			got, err := l.knownOptions(t.Context())
			need.OK(t, err)
			need.Equal(t, "options", tt.want, got)
		})
	}

	node := filepath.Join(t.TempDir(), "node")
	write(t, node, "#!/bin/sh\necho \"Error: Cannot find module 'commander'\" >&2\nexit 1\n")
	l := &localLauncher{LocalOptions: LocalOptions{Server: server.OpenChrome()}, tools: LocalTools{Node: node}, entry: "index.js"}
	_, err := l.knownOptions(t.Context())
	want := "OpenChrome ended: exit status 1: Error: Cannot find module 'commander'; is it built, with its dependencies (npm install)?"
	need.Is(t, "error", want, fmt.Sprint(err))
}

// What asks Node and npm sees no token.
func TestFindLocalTellsNoToken(t *testing.T) {
	bin, seen := t.TempDir(), filepath.Join(t.TempDir(), "env")
	for _, name := range []string{"node", "npm"} {
		write(t, filepath.Join(bin, name), "#!/bin/sh\necho "+name+" >>"+seen+"\nexport >>"+seen+"\n")
	}
	t.Setenv("PATH", bin)
	t.Setenv(TokenEnv, "very secret")
	FindLocal(t.Context(), LocalOptions{Server: server.OpenChrome()}) // finds nothing of use
	env := need.Read(t, seen)
	need.Has(t, string(env), "node\n", "npm\n")
	if strings.Contains(string(env), "very secret") {
		t.Errorf("the token was shown:\n%s", env)
	}
}

func TestFindLocalNothing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv("CHROME_PATH", "/no/such/browser")
	tools, err := FindLocal(t.Context(), LocalOptions{Server: server.OpenChrome()})
	want := `CHROME_PATH: /no/such/browser is not a program that can be run; correct it
no Node found; install Node.js 20.19 or newer, so that node is on the PATH
no OpenChrome found; install it (npm install -g openchrome-mcp), or name a folder with a built OpenChrome: -package=<folder>`
	need.Is(t, "error", want, fmt.Sprint(err))
	if got := errors.Join(tools.NoChromium, tools.NoNode, tools.NoPackage); got == nil || got.Error() != want {
		t.Errorf("one by one %v, want %s", got, want)
	}
	tools.NoChromium, tools.NoNode, tools.NoPackage = nil, nil, nil
	if diff := cmp.Diff(LocalTools{}, tools); diff != "" {
		t.Errorf("found what is not there:\n%s", diff)
	}
	need.Fails(t, need.Err(NewLocal(t.Context(), LocalOptions{Server: server.OpenChrome()})), "")
}

// Node looks for what a package depends on in it, beside it and further up.
func TestPackageFolders(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	need.OK(t, err)
	pkg := filepath.Join(dir, "project", "node_modules", server.OpenChrome().Start.Package)
	for _, d := range []string{filepath.Join(pkg, "node_modules"), filepath.Join(dir, "node_modules")} {
		need.OK(t, os.MkdirAll(d, 0o755))
	}
	got := PackageFolders(pkg)
	for _, want := range []string{pkg, filepath.Join(pkg, "node_modules"), filepath.Dir(pkg), filepath.Join(dir, "node_modules")} {
		if !slices.Contains(got, want) {
			t.Errorf("%s is not among %q", want, got)
		}
	}
	if slices.Contains(got, filepath.Join(dir, "project")) {
		t.Errorf("the project's folder is among %q", got)
	}
}
