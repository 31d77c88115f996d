package subject

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/openchrome/bench/harness/internal/drive/watchdog"
	"github.com/openchrome/bench/harness/internal/record"
)

// gitTimeout bounds each question to git.
const gitTimeout = 2 * time.Second

// From says where the package comes from that the options name; nil if they name none. It
// asks git about a folder. It names no commit if the folder is in no checkout, if this
// machine has no git, or if git cannot say whether the checkout has changes.
func (o Options) From(ctx context.Context) *record.Package {
	if o.Package == "" {
		return nil
	}
	p := &record.Package{Path: o.Package}
	if info, err := os.Stat(o.Package); err != nil || !info.IsDir() {
		return p
	}
	if commit, dirty, err := checkout(ctx, o.Package); err == nil {
		p.Commit, p.Dirty = commit, dirty
	}
	return p
}

// checkout returns the commit that dir has checked out, and whether files differ from it.
// It writes nothing there, and runs no program that the checkout names.
//
// git status runs the filters and the file system monitor that a repository's configuration
// names. So it gets a repository of ours: a folder with the commit and no configuration,
// which borrows only the index and the objects. rev-parse runs no programs.
func checkout(ctx context.Context, dir string) (commit string, dirty bool, err error) {
	out, err := git(ctx, nil, "-C", dir, "rev-parse", "HEAD", "--show-toplevel", "--git-path", "index", "--git-path", "objects")
	if err != nil {
		return "", false, err
	}
	lines := strings.Split(out, "\n")
	if len(lines) != 4 {
		return "", false, errors.New("git: a path has more than one line")
	}
	commit, top := lines[0], lines[1]
	for i, path := range lines[2:] {
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		if lines[2+i], err = filepath.Abs(path); err != nil {
			return "", false, err
		}
	}
	empty, remove, err := watchdog.TempDir()
	if err != nil {
		return "", false, err
	}
	defer func() { err = errors.Join(err, remove()) }()
	if err := os.Mkdir(filepath.Join(empty, "refs"), 0o700); err != nil {
		return "", false, err
	}
	if err := os.WriteFile(filepath.Join(empty, "HEAD"), []byte(commit+"\n"), 0o600); err != nil {
		return "", false, err
	}
	env := []string{"GIT_DIR=" + empty, "GIT_WORK_TREE=" + top, "GIT_INDEX_FILE=" + lines[2], "GIT_OBJECT_DIRECTORY=" + lines[3],
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull} // filters, which would read the package's files
	// In a submodule, git would read the submodule's configuration.
	changes, err := git(ctx, env, "-C", top, "-c", "core.fileMode=false", "status", "--porcelain", "--untracked-files=no", "--ignore-submodules=all", "--no-renames")
	return commit, changes != "", err
}

// git returns what git answers.
func git(ctx context.Context, env []string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, gitTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, "git", append([]string{"--no-optional-locks"}, args...)...)
	cmd.Env = append(watchdog.Environ(), env...)
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}
