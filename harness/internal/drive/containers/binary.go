package containers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/openchrome/bench/harness/internal/drive/watchdog"
)

// static plans an image of one program of this module.
func (e *engine) static(ctx context.Context, o BuildOptions, kind, pkg string) (image, error) {
	binary, err := compile(ctx, moduleDir(), e.Arch, pkg, o.Progress)
	if err != nil {
		return image{}, fmt.Errorf("%s image: %w", kind, err)
	}
	i := image{kind: kind, identity: files{"server": binary}.digest(), files: recipe("static")}
	i.files["server"] = binary
	return i, nil
}

// moduleDir is the folder of this module's source. It is the module of the working
// directory if that is this module, else the folder from which this program was compiled.
func moduleDir() string {
	here, _ := os.Getwd()
	for dir := here; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "harness", "internal", "web", "cmd", "web", "main.go")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			_, file, _, _ := runtime.Caller(0)
			return filepath.Join(filepath.Dir(file), "..", "..", "..", "..")
		}
	}
}

// compile returns a Go program as a static binary for Linux. It stays in the
// user's cache folder, if there is one, where go build finds it when nothing changed. If it is not
// there yet, go build takes long, and a line of progress says so.
func compile(ctx context.Context, module, arch, pkg string, progress io.Writer) ([]byte, error) {
	// A killed build does not clean up, so it works in a folder of ours.
	dir, remove, err := watchdog.TempDir()
	if err != nil {
		return nil, fmt.Errorf("go build %s: %w", pkg, err)
	}
	defer remove()
	out := filepath.Join(dir, "program")
	if cache, err := os.UserCacheDir(); err == nil {
		if cache = filepath.Join(cache, "openchrome-bench", "bin"); os.MkdirAll(cache, 0o755) == nil {
			// All copies of the module share the binary, so its name does not contain their folder.
			out = filepath.Join(cache, strings.NewReplacer("/", "_", ".", "").Replace(pkg)+"-"+arch)
		}
	}
	if _, err := os.Stat(out); err != nil {
		line(progress, "compiling %s", pkg)
	}
	// No VCS stamp: a commit does not change the program.
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
