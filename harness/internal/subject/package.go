package subject

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/openchrome/bench/harness/event"
	"github.com/openchrome/bench/harness/watchdog"
)

// gitTimeout bounds each question to git.
const gitTimeout = 2 * time.Second

// From says where the package comes from that the options name; nil if they name none. It
// asks git about a folder. A folder in no checkout, or a machine without git, gives no
// commit.
func (o Options) From(ctx context.Context) *event.Package {
	if o.Package == "" {
		return nil
	}
	p := &event.Package{Path: o.Package}
	if info, err := os.Stat(o.Package); err != nil || !info.IsDir() {
		return p
	}
	var err error
	if p.Commit, err = git(ctx, o.Package, "rev-parse", "HEAD"); err != nil {
		p.Commit = ""
		return p
	}
	changes, err := git(ctx, o.Package, "status", "--porcelain", "--untracked-files=no")
	p.Dirty = err == nil && changes != ""
	return p
}

// git asks git about a folder. It writes nothing there, and starts no program that the
// folder's own settings name.
func git(ctx context.Context, dir string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, gitTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, "git", append([]string{"--no-optional-locks", "-c", "core.fsmonitor=false", "-C", dir}, args...)...)
	cmd.Env = watchdog.Environ()
	out, err := cmd.Output()
	return strings.TrimSpace(string(out)), err
}
