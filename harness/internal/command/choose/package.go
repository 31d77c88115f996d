package choose

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

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
// runs; empty if nothing shows that, or if the folder has no src. Either a source is newer than
// dist/index.js, or a file of dist is so much newer that another build, or a person, changed it.
func OtherBuild(dir string) string {
	built, err := os.Stat(filepath.Join(dir, "dist", "index.js"))
	if err != nil {
		return ""
	}
	src, dist := filepath.Join(dir, "src"), filepath.Join(dir, "dist")
	if _, err := os.Stat(src); err != nil {
		return ""
	}
	if name := newer(src, built.ModTime()); name != "" {
		return fmt.Sprintf("%s is newer than dist/index.js, so this build is not of this source; build it again", display.Visible(name))
	}
	if name := newer(dist, built.ModTime().Add(longestBuild)); name != "" {
		return fmt.Sprintf("%s was changed after dist/index.js was built, and no source was, so dist is not of this source; build it again", display.Visible(name))
	}
	return ""
}

// longestBuild is how long a build may write files after dist/index.js.
const longestBuild = 2 * time.Minute

// newer returns a file in dir that was changed after a time; empty if there is none.
func newer(dir string, than time.Time) (name string) {
	filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return nil
		}
		if info, err := e.Info(); err == nil && info.ModTime().After(than) {
			name = path
			return fs.SkipAll
		}
		return nil
	})
	return name
}
