package choose

import (
	"context"

	"github.com/openchrome/bench/harness/internal/drive/launch"
	"github.com/openchrome/bench/harness/internal/drive/session"
)

var command = kind{name: "command", live: true,
	means: func(string) bool { return true },
	check: func(_ context.Context, o Options) error { return checkCommand(o.Server) },
	start: func(_ context.Context, o Options, w webOptions, _ lines) (session.Launcher, error) {
		c := launch.CommandOptions{Line: o.Server, Dir: o.Dir, Sites: w.sites, CA: w.ca}
		if o.LiveWeb {
			c.Sites, c.CA = nil, nil
		}
		return launch.NewCommand(c)
	},
}
