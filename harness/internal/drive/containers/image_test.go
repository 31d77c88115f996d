package containers

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/moby/moby/client"

	"github.com/openchrome/bench/containers"
	"github.com/openchrome/bench/harness/internal/drive/launch"
	"github.com/openchrome/bench/harness/internal/need"
)

// A build by hand gets the version that a run gets.
func TestDockerfileVersion(t *testing.T) {
	data, err := containers.Recipes.ReadFile("openchrome/Dockerfile")
	need.OK(t, err)
	names := regexp.MustCompile(`OPENCHROME=(\S+)`).FindAllStringSubmatch(string(data), -1)
	for _, m := range names {
		need.Is(t, fmt.Sprintf("the Dockerfile has %s", m[0]), OnNpm, m[1])
	}
	need.Is(t, "the Dockerfile names the version", 2, len(names))
}

func TestOpenSource(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		need.Write(t, path, content)
		return path
	}
	tgz := write("openchrome-mcp-1.0.0.tgz", "packed")
	write("built/package.json", "{}")
	write("built/package-lock.json", "{}")
	write("built/dist/index.js", "1")
	write("built/dist/tools/find.js", "2")
	write("built/src/index.ts", "not packed")
	write("built/node_modules/x/index.js", "not packed")
	write("source/package.json", "{}")
	write("empty/README", "")

	tests := []struct {
		name, option string
		identity     string // or its beginning
		files        []string
		err          string // or its end
	}{
		{name: "the pinned version", option: "", identity: "openchrome-mcp@" + OnNpm},
		{name: "a version", option: "1.7.15", identity: "openchrome-mcp@1.7.15"},
		{name: "a tag", option: "latest", identity: "openchrome-mcp@latest"},
		{name: "a tarball", option: tgz, identity: "sha256:", files: []string{"manifest/openchrome.tgz"}},
		{name: "a folder", option: filepath.Join(dir, "built"), identity: "sha256:",
			files: []string{"dist/index.js", "dist/tools/find.js", "manifest/package-lock.json", "manifest/package.json"}},
		{name: "its entry", option: filepath.Join(dir, "built", "dist", "index.js"), identity: "sha256:",
			files: []string{"dist/index.js", "dist/tools/find.js", "manifest/package-lock.json", "manifest/package.json"}},
		{name: "not built", option: filepath.Join(dir, "source"), err: "no dist/index.js; build it first (npm run build)"},
		{name: "no package", option: filepath.Join(dir, "empty"), err: "package.json: no such file or directory; name a folder with a built OpenChrome"},
		{name: "no such tarball", option: "none.tgz", err: "package none.tgz: no such file or directory; name a version on npm, a .tgz, or a folder with a built OpenChrome"},
		{name: "no such folder", option: "./none", err: "package ./none: no such file or directory; name a version on npm, a .tgz, or a folder with a built OpenChrome"},
		{name: "more than a version", option: "1.0.0 && reboot", err: "no such file or directory; name a version on npm, a .tgz, or a folder with a built OpenChrome"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := openSource(tt.option)
			if tt.err != "" {
				if err == nil || !strings.HasSuffix(err.Error(), tt.err) {
					t.Fatalf("error %v, want one that ends %q", err, tt.err)
				}
				return
			}
			need.OK(t, err)
			need.Begins(t, got.identity, tt.identity)
			var names []string
			for name := range got.files {
				names = append(names, name)
			}
			slices.Sort(names)
			need.Equal(t, "files", tt.files, names)
		})
	}
}

func TestTag(t *testing.T) {
	one := func() image {
		return image{kind: "web", identity: "a", files: files{"x": []byte("1"), "y": []byte("2")}}
	}
	tag := one().tag()
	need.Begins(t, tag, "localhost/openchrome-bench/web:")
	if again := one().tag(); again != tag {
		t.Errorf("the same image is %s and %s", tag, again)
	}
	for name, change := range map[string]func(*image){
		"a file":      func(i *image) { i.files["x"] = []byte("3") },
		"a name":      func(i *image) { i.files["z"] = i.files["x"]; delete(i.files, "x") },
		"the package": func(i *image) { i.identity = "d" },
	} {
		i := one()
		change(&i)
		if i.tag() == tag {
			t.Errorf("another tag is due when %s changes", name)
		}
	}
}

func TestBuildLog(t *testing.T) {
	var progress strings.Builder
	b := &buildLog{name: "web image", progress: &progress}
	for _, part := range []string{
		"Step 1/3 : FROM scratch\n --->", " 123\nStep 2/3 : RUN apt-get update &&     apt-get install -y --no-install-recommends everything\n",
		"\x1b[91msome output\x1b[0m\n\x1b[0mRemoving intermediate container 12\n\nStep 3/3 : COPY x /\n",
	} {
		b.Write([]byte(part))
	}
	b.end(errors.New("no"))
	want := `web image: building (only once)
web image: step 2/3: RUN apt-get update && apt-get install -y --no-install-recomm…
web image: failed
`
	need.Equal(t, "progress", want, progress.String())
	if want := "some output\nStep 3/3 : COPY x /"; !strings.HasSuffix(b.tail(), want) {
		t.Errorf("the end of the output is %q, want %q", b.tail(), want)
	}
	for range 2 * tailLines {
		b.Write([]byte(strings.Repeat("long ", 1000) + "\n"))
	}
	b.Write([]byte("x" + strings.Repeat("é", tailWidth) + "\n")) // the limit is within a character
	if !utf8.ValidString(b.tail()) {
		t.Errorf("a character is cut in half: %q", b.tail())
	}
	if lines := strings.Count(b.tail(), "\n") + 1; lines != tailLines || utf8.RuneCountInString(b.tail()) > tailLines*(tailWidth+2) {
		t.Errorf("%d lines with %d bytes are kept", lines, len(b.tail()))
	}
}

func TestBuild(t *testing.T) {
	e := needEngine(t)
	o := BuildOptions{Server: testServer}
	built, err := buildImages(t.Context(), o)
	need.OK(t, err)
	var progress strings.Builder
	o.Progress = &progress
	again, err := buildImages(t.Context(), o)
	if err != nil || again != built || strings.Contains(progress.String(), "image: ") {
		t.Errorf("again: %+v, %v, with progress %q; want %+v", again, err, progress.String(), built)
	}
	if got, present, err := Present(t.Context(), o); err != nil || !present || got != built {
		t.Errorf("Present: %+v, %v, %v; want %+v", got, present, err, built)
	}
	i, err := e.api.ImageInspect(t.Context(), built.Server)
	need.OK(t, err)
	need.Is(t, fmt.Sprintf("label %s", packageLabel), built.Package, i.Config.Labels[packageLabel])
	o.Server = "./no/such/program"
	if _, err := buildImages(t.Context(), o); err == nil || !strings.HasPrefix(err.Error(), "server image: go build ./no/such/program: exit status 1; run it in the project's folder\n") {
		t.Errorf("a program that is not there: %v", err)
	}
}

// A run in another folder finds the source that it was compiled from.
func TestModuleDir(t *testing.T) {
	here, err := filepath.Abs("../../../..")
	need.OK(t, err)
	need.Is(t, "in the package's folder", here, moduleDir())
	t.Chdir(t.TempDir())
	need.Is(t, "elsewhere", here, moduleDir())
}

// What builds our programs sees no token.
// Without a home there is no cache folder, and the program is compiled all the same.
func TestCompileWithoutHome(t *testing.T) {
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	need.OK(t, err)
	for _, home := range []string{"", "/proc/no"} {
		t.Setenv("GOCACHE", strings.TrimSpace(string(cache)))
		t.Setenv("XDG_CACHE_HOME", "")
		t.Setenv("HOME", home)
		module := t.TempDir()
		for name, text := range map[string]string{"go.mod": "module x\n", "x.go": "package main\n\nfunc main() {}\n"} {
			need.Write(t, filepath.Join(module, name), text)
		}
		if program, err := compile(t.Context(), module, "amd64", ".", nil); err != nil || len(program) == 0 {
			t.Errorf("HOME=%s: %d bytes, %v", home, len(program), err)
		}
	}
}

func TestCompileTellsNoToken(t *testing.T) {
	bin, seen := t.TempDir(), filepath.Join(t.TempDir(), "env")
	need.OK(t, os.WriteFile(filepath.Join(bin, "go"), []byte("#!/bin/sh\nexport >"+seen+"\n"), 0o755))
	t.Setenv("PATH", bin)
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CACHE_HOME", "")
	t.Setenv(launch.TokenEnv, "very secret")
	need.Fails(t, need.Err(compile(t.Context(), ".", "amd64", "./x", nil)), "")
	if env, err := os.ReadFile(seen); err != nil || !strings.Contains(string(env), "CGO_ENABLED") || strings.Contains(string(env), "very secret") {
		t.Errorf("the environment of go build, which must not have the token: %v\n%s", err, env)
	}
}

// Without -package only the pinned version will do, whatever was built or tagged since,
// perhaps by another user of the engine.
func TestPresentTakesItsOwn(t *testing.T) {
	e := needEngine(t)
	made := func(kind, identity string) (image, string) {
		i := image{kind: kind, identity: identity, files: files{"Dockerfile": []byte("FROM scratch\nLABEL of=\"" + identity + "\"\n")}}
		id, err := e.buildImage(t.Context(), i, nil)
		need.OK(t, err)
		t.Cleanup(func() {
			e.api.ImageRemove(context.Background(), id, client.ImageRemoveOptions{Force: true, PruneChildren: true})
		})
		return i, id
	}
	web, webID := made("test-web", "web")
	other, otherID := made("openchrome", "other")
	pinned := image{kind: "openchrome", identity: "pinned"}
	for _, row := range []struct {
		name   string
		server image
		want   Images
	}{
		{"another package's image is there", pinned, Images{Web: webID, Package: "pinned"}},
		{"its own image is there", other, Images{Web: webID, Server: otherID, Package: "other"}},
	} {
		got, err := e.present(t.Context(), web, row.server)
		if diff := cmp.Diff(row.want, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", row.name, err, diff)
		}
	}
}

// A run without -package says what it drives before it builds anything.
func TestBuildNamesTheDefault(t *testing.T) {
	e := needEngine(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // so that nothing is built
	for _, row := range []struct {
		o    BuildOptions
		want string
	}{
		{BuildOptions{}, "openchrome image: using openchrome-mcp@" + OnNpm + ", the default (-package= names another)\n"},
		{BuildOptions{Package: "1.8.0"}, ""},
		{BuildOptions{Server: testServer}, ""},
	} {
		var progress strings.Builder
		row.o.Progress = &progress
		if _, err := e.build(ctx, row.o); err == nil || progress.String() != row.want {
			t.Errorf("package %q, server %q: %q, error %v; want %q", row.o.Package, row.o.Server, &progress, err, row.want)
		}
	}
}
