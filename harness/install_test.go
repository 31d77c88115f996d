package harness_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	gomod "golang.org/x/mod/module"
	"golang.org/x/mod/zip"

	"github.com/openchrome/bench/harness/internal/need"
)

const module = "github.com/openchrome/bench/"

// A module proxy that has this checkout is enough to install the program. It brings its tasks, sites, servers and
// recipes: it works in an empty folder.
func TestInstall(t *testing.T) {
	if testing.Short() {
		t.Skip("it compiles the program in another folder")
	}
	// Two checkouts share the module cache, and what was installed last must not be in it.
	commit := fmt.Sprintf("%x", sha256.Sum256([]byte(root())))[:12]
	version := "v0.0.0-20261121120000-" + commit
	this := gomod.Version{Path: strings.TrimSuffix(module, "/"), Version: version}
	proxy, bin := t.TempDir(), t.TempDir()
	files := filepath.Join(proxy, filepath.FromSlash(this.Path), "@v", version)
	info := `{"Version": "` + version + `", "Time": "2026-11-21T12:00:00Z"}`
	need.Write(t, files+".info", info)
	need.Write(t, filepath.Join(filepath.Dir(files), "list"), "")
	need.Write(t, filepath.Join(filepath.Dir(files), "..", "@latest"), info)
	need.Write(t, files+".mod", need.Read(t, filepath.Join(root(), "go.mod")))
	archive, err := os.Create(files + ".zip")
	need.OK(t, err)
	need.OK(t, zip.CreateFromDir(archive, this, root()))
	archive.Close()

	out, err := exec.Command("go", "env", "GOMODCACHE").Output()
	need.OK(t, err)
	cache := strings.TrimSpace(string(out))
	forget := func() {
		for _, pattern := range []string{this.Path + "@" + version, "cache/download/" + this.Path + "/@v/" + version + ".*"} {
			found, _ := filepath.Glob(filepath.Join(cache, filepath.FromSlash(pattern)))
			for _, name := range found {
				need.OK(t, os.RemoveAll(name))
			}
		}
	}
	forget()
	t.Cleanup(forget)
	install := exec.Command("go", "install", "-modcacherw", this.Path+"/harness/cmd/openchrome-bench@"+version)
	install.Dir = t.TempDir()
	install.Env = append(os.Environ(), "GOBIN="+bin, "GOFLAGS=-mod=mod", "GOSUMDB=off", "GOWORK=off",
		"GOPROXY=file://"+filepath.ToSlash(proxy)+",file://"+filepath.ToSlash(cache)+"/cache/download")
	need.Run(t, install)

	empty := t.TempDir()
	for args, want := range map[string]string{
		"version": "openchrome-bench 0.1.0, commit " + commit + ", ",
		"bench:mock -server=standin -task=example-h1": "\nPASSED: 1 passed, 0 failed, 0 void of 1\n",
		"task:check": " tasks valid, 0 warnings\n",
		"bench:episode -server=standin -adapter=policy:form -task=local-form-submit -run=policy": "\nPASSED: 1 passed",
		"test": `unknown target "test"`,
	} {
		cmd := exec.Command(filepath.Join(bin, ourProgram), strings.Fields(args)...)
		cmd.Dir = empty
		if out, err := cmd.CombinedOutput(); !strings.Contains(string(out), want) || err == nil == (args == "test") {
			t.Errorf("%s: %v, want %q\n%s", args, err, want, out)
		}
	}
}
