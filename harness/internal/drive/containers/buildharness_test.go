package containers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/openchrome/bench/harness/internal/drive/watchdog"
)

// buildHarness builds the image of the harness, unless it exists, and returns its name. The
// image holds the harness, and OpenChrome and Chromium from the image openchrome, which is
// an id. Its programs are not root and need no Docker.
func buildHarness(ctx context.Context, openchrome string, progress io.Writer) (name string, err error) {
	e, err := connect(ctx)
	if err != nil {
		return "", err
	}
	defer e.close()
	line(progress, "harness image: compiling")
	bench, err := compileHarness(ctx, moduleDir(), e.Arch)
	if err != nil {
		return "", fmt.Errorf("harness image: %w", err)
	}
	i := image{kind: "harness", identity: files{"bench": bench, "base": []byte(openchrome)}.digest(), files: recipe("harness"), args: map[string]*string{"BASE": &openchrome}}
	i.files["bench"] = bench
	_, err = e.buildImage(ctx, i, progress)
	return i.tag(), err
}

// compileHarness returns the harness as a static binary for Linux. mage writes a main
// package next to the magefile, so it works on a copy of the magefile, in a module of its
// own: the folder of this module may be read-only.
func compileHarness(ctx context.Context, module, arch string) (bench []byte, err error) {
	dir, remove, err := watchdog.TempDir()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, remove()) }()
	for _, name := range []string{"magefile.go", "go.mod", "go.sum"} {
		data, err := os.ReadFile(filepath.Join(module, name))
		if err != nil {
			return nil, fmt.Errorf("%w; run it in the project's folder", err)
		}
		const path = "github.com/openchrome/bench"
		text := strings.Replace(string(data), "module "+path+"\n", fmt.Sprintf("module bench\n\nrequire %s v0.0.0\n\nreplace %[1]s => %q\n", path, module), 1)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return nil, err
		}
	}
	out := filepath.Join(dir, "bench")
	cmd := exec.CommandContext(ctx, "go", "tool", "mage", "-compile="+out, "-goos=linux", "-goarch="+arch, "-ldflags=-s -w")
	cmd.Dir = dir
	cmd.Env = append(watchdog.Environ(), "CGO_ENABLED=0", "GOFLAGS=-trimpath", "GOTMPDIR="+dir)
	if text, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("mage -compile: %w\n%s", err, strings.TrimSpace(string(text)))
	}
	return os.ReadFile(out)
}
