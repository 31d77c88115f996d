package choose

import (
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/openchrome/bench/harness/internal/command/build"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/text/display"
	"github.com/openchrome/bench/harness/internal/text/regular"
)

// From says where the package comes from that the options name; nil if they name none. It
// asks git about a folder. It names no commit if the folder is in no checkout, if this
// machine has no git, or if git cannot say whether the checkout has changes.
func (o Options) From(ctx context.Context) *record.Package {
	if o.Package == "" {
		return nil
	}
	var p record.Package
	if info, err := os.Stat(o.Package); err == nil && info.IsDir() {
		if found, err := build.Checkout(ctx, o.Package); err == nil {
			p = found
			p.Dirty = p.Dirty || OtherBuild(o.Package) != ""
		}
		manifest, _ := regular.Read(filepath.Join(o.Package, "package.json"), 1<<20)
		json.Unmarshal(manifest, &struct{ Version *string }{&p.Version})
	}
	p.Path = o.Package
	return &p
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
