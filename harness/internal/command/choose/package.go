package choose

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/openchrome/bench/harness/internal/command/build"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/text/display"
)

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
	if commit, dirty, err := build.Checkout(ctx, o.Package); err == nil {
		p.Commit, p.Dirty = commit, dirty || OtherBuild(o.Package) != ""
	}
	return p
}

// OtherBuild says why a folder's dist is not a build of its src, so that the commit is not what
// runs: a source is newer than dist/index.js. It is empty if none is, or if the folder has no src.
func OtherBuild(dir string) string {
	built, err := os.Stat(filepath.Join(dir, "dist", "index.js"))
	if err != nil {
		return ""
	}
	newer := ""
	filepath.WalkDir(filepath.Join(dir, "src"), func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return nil
		}
		if info, err := e.Info(); err == nil && info.ModTime().After(built.ModTime()) {
			newer = display.Visible(path) + " is newer than dist/index.js, so this build is not of this source; build it again"
			return fs.SkipAll
		}
		return nil
	})
	return newer
}
