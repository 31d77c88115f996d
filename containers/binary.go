package containers

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/openchrome/bench/harness/watchdog"
)

// compileNotice is how long go build may take before it is told: it does when
// its cache is empty, and not otherwise.
const compileNotice = 2 * time.Second

// static plans an image of one program of this module.
func (e *engine) static(ctx context.Context, o BuildOptions, kind, pkg string) (image, error) {
	slow := time.NewTimer(compileNotice)
	defer slow.Stop()
	var binary []byte
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		binary, err = compile(ctx, moduleDir(), e.Arch, pkg)
	}()
	select {
	case <-done:
	case <-slow.C:
		line(o.Progress, "%s image: compiling %s", kind, pkg)
		<-done
	}
	if err != nil {
		return image{}, fmt.Errorf("%s image: %w", kind, err)
	}
	i := image{kind: kind, identity: files{"server": binary}.digest(), files: recipe("static")}
	i.files["server"] = binary
	return i, nil
}

// moduleDir is the folder of this module's source: the module that the working
// directory is in, else the one that this very program was compiled from.
func moduleDir() string {
	isOurs := func(dir string) bool {
		_, err := os.Stat(filepath.Join(dir, "sites", "cmd", "web", "main.go"))
		return err == nil
	}
	if dir, err := os.Getwd(); err == nil {
		for ; !isOurs(dir); dir = filepath.Dir(dir) {
			if dir == filepath.Dir(dir) {
				break
			}
		}
		if isOurs(dir) {
			return dir
		}
	}
	if _, file, _, ok := runtime.Caller(0); ok {
		if dir := filepath.Dir(filepath.Dir(file)); isOurs(dir) {
			return dir
		}
	}
	return "" // go build will say what is missing
}

// compile returns a Go program as a static binary for Linux. It is kept in the
// user's cache folder, where go build finds out by itself that nothing changed.
func compile(ctx context.Context, module, arch, pkg string) ([]byte, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, fmt.Errorf("go build %s: %w", pkg, err)
	}
	// The place has no part in the name, so that copies of the module share it.
	name := strings.NewReplacer("/", "_", ".", "").Replace(pkg) + "-" + arch
	out := filepath.Join(cache, "openchrome-bench", "bin", name)
	// What is being compiled stands in a folder of ours: a build that is killed
	// does not clean up.
	dir, remove, err := watchdog.TempDir()
	if err != nil {
		return nil, fmt.Errorf("go build %s: %w", pkg, err)
	}
	defer remove()
	// No VCS stamp: a commit is no other program.
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", out, pkg)
	cmd.Dir = module
	cmd.Env = append(watchdog.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+arch, "GOTMPDIR="+dir)
	if text, err := cmd.CombinedOutput(); err != nil {
		if errors.Is(err, exec.ErrNotFound) {
			return nil, fmt.Errorf("go build %s: %w; install Go", pkg, err)
		}
		return nil, fmt.Errorf("go build %s: %w; run it in the project's folder\n%s", pkg, err, strings.TrimSpace(string(text)))
	}
	return os.ReadFile(out)
}
