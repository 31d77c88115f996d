package choose

import (
	"context"

	"github.com/openchrome/bench/harness/internal/drive/containers"
	"github.com/openchrome/bench/harness/internal/drive/session"
)

var container = kind{name: "container", auto: true, pkg: true, live: true,
	check: func(ctx context.Context, _ Options) error {
		_, err := containers.Check(ctx)
		return err
	},
	start: func(ctx context.Context, o Options, w webOptions, say lines) (session.Launcher, error) {
		return containers.New(ctx, containers.Options{
			BuildOptions: containers.BuildOptions{Package: o.Package, Progress: say},
			Sites:        w.sites, CA: w.ca, LiveWeb: o.LiveWeb,
		})
	},
}
