package build

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/openchrome/bench/harness/internal/drive/watchdog"
	"github.com/openchrome/bench/harness/internal/record"
)

const gitTimeout = 2 * time.Second

// Checkout says which commit dir has checked out, and whether tracked files differ from
// it. It writes nothing there, and runs no program that the checkout names.
func Checkout(ctx context.Context, dir string) (p record.Package, err error) {
	c, err := find(ctx, dir)
	if err != nil {
		return p, err
	}
	p.Commit = c.commit
	p.Describe, _ = git(ctx, nil, "-C", dir, "describe", "--tags")
	date, _ := git(ctx, nil, "-C", dir, "rev-list", "--max-count=1", "--format=%cI", "HEAD") // git log may run gpg
	_, p.Date, _ = strings.Cut(date, "\n")
	p.Dirty, err = c.dirty(ctx, "--untracked-files=no")
	return p, err
}

// checkout is a checkout of git, with the paths of its parts.
type checkout struct{ commit, top, index, objects, log string }

// find finds the checkout of a folder. rev-parse runs no programs.
func find(ctx context.Context, dir string) (c checkout, err error) {
	out, err := git(ctx, nil, "-C", dir, "rev-parse", "HEAD", "--show-toplevel", "--git-path", "index", "--git-path", "objects", "--git-path", "logs/HEAD")
	if err != nil {
		return c, err
	}
	lines := strings.Split(out, "\n")
	if len(lines) != 5 {
		return c, errors.New("git: a path has more than one line")
	}
	for i, path := range lines[2:] {
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		if lines[2+i], err = filepath.Abs(path); err != nil {
			return c, err
		}
	}
	return checkout{lines[0], lines[1], lines[2], lines[3], lines[4]}, nil
}

// dirty reports whether files differ from the commit. which says which files, in arguments of
// git status.
//
// git status runs the filters and the file system monitor that a repository's configuration
// names. So it gets a repository of ours: a folder with the commit and no configuration,
// which borrows only the index and the objects.
func (c checkout) dirty(ctx context.Context, which ...string) (dirty bool, err error) {
	empty, remove, err := watchdog.BriefDir()
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, remove()) }()
	if err := os.Mkdir(filepath.Join(empty, "refs"), 0o700); err != nil {
		return false, err
	}
	if err := os.WriteFile(filepath.Join(empty, "HEAD"), []byte(c.commit+"\n"), 0o600); err != nil {
		return false, err
	}
	env := []string{"GIT_DIR=" + empty, "GIT_WORK_TREE=" + c.top, "GIT_INDEX_FILE=" + c.index, "GIT_OBJECT_DIRECTORY=" + c.objects,
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull} // filters, which would read the package's files
	// In a submodule, git would read the submodule's configuration.
	args := []string{"-C", c.top, "-c", "core.fileMode=false", "status", "--porcelain", "--ignore-submodules=all", "--no-renames"}
	changes, err := git(ctx, env, append(args, which...)...)
	return changes != "", err
}

func git(ctx context.Context, env []string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, gitTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, "git", append([]string{"--no-optional-locks"}, args...)...)
	// A hook of another repository sets GIT_DIR and more.
	own := slices.DeleteFunc(watchdog.Environ(), func(e string) bool { return strings.HasPrefix(e, "GIT_") })
	cmd.Env = append(own, env...)
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}
