package subject

import (
	"context"

	"github.com/openchrome/bench/harness/openchrome"
)

var local = kind{name: "local", auto: true, pkg: true, live: true,
	check: func(ctx context.Context, o Options) error {
		_, err := openchrome.FindLocal(ctx, openchrome.LocalOptions{Package: o.Package})
		return err
	},
	start: func(ctx context.Context, o Options, w web, _ lines) (openchrome.Launcher, error) {
		return openchrome.NewLocal(ctx, openchrome.LocalOptions{
			Package: o.Package, Sites: w.sites, CA: w.ca, LiveWeb: w.live, Hide: o.Hide,
		})
	},
}
