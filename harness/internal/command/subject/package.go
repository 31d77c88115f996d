package subject

import (
	"context"
	"os"

	"github.com/openchrome/bench/harness/internal/command/build"
	"github.com/openchrome/bench/harness/internal/record"
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
		p.Commit, p.Dirty = commit, dirty
	}
	return p
}
