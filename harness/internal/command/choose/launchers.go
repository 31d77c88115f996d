package choose

import (
	"context"
	"fmt"
	neturl "net/url"
	"os"
	"strings"
	"time"

	"github.com/openchrome/bench/harness/internal/drive/containers"
	"github.com/openchrome/bench/harness/internal/drive/launch"
	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/read/server"
)

var local = onLocal("local", "")

// peers returns the kinds that start a peer of OpenChrome in the same way as local starts
// OpenChrome.
func peers() (list []kind) {
	for _, name := range server.Names()[1:] {
		list = append(list, onLocal(name, name))
	}
	return list
}

// onLocal is the kind that starts a server on this machine's Chromium.
func onLocal(name, peer string) kind {
	return kind{name: name, peer: peer, auto: peer == "", pkg: true, live: true,
		check: func(ctx context.Context, o Options) error {
			_, err := launch.FindLocal(ctx, launch.LocalOptions{Server: o.Describe(), Package: o.Package})
			return err
		},
		start: func(ctx context.Context, o Options, w webOptions, _ lines) (session.Launcher, error) {
			return launch.NewLocal(ctx, launch.LocalOptions{
				Server: o.Describe(), Package: o.Package, Sites: w.sites, CA: w.ca, LiveWeb: o.LiveWeb, Hide: o.Hide,
			})
		},
	}
}

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

// latencyEnv is the environment variable with a delay, such as 100ms, that the stand-in
// adds to each tool call. It shows how the harness behaves with a slow server.
const latencyEnv = "OPENCHROME_BENCH_STANDIN_LATENCY"

var standin = kind{name: "standin", auto: true,
	check: func(context.Context, Options) error { return nil },
	start: func(_ context.Context, _ Options, w webOptions, _ lines) (session.Launcher, error) {
		o := launch.StandinOptions{Sites: w.sites, CA: w.ca}
		if v := os.Getenv(latencyEnv); v != "" {
			var err error
			if o.Latency, err = time.ParseDuration(v); err != nil {
				return nil, fmt.Errorf("%s: %w", latencyEnv, err)
			}
		}
		return launch.NewStandin(o)
	},
}

var url = kind{name: "url", live: true, shared: true,
	means: isAddress,
	check: func(context.Context, Options) error { return nil },
	start: func(_ context.Context, o Options, _ webOptions, _ lines) (session.Launcher, error) {
		return launch.NewURL(o.Server)
	},
}

func isAddress(v string) bool {
	scheme, _, ok := strings.Cut(strings.ToLower(v), "://")
	return ok && (scheme == "http" || scheme == "https")
}

// Shown returns the server as text, without the parts of an address that may be secret.
func (o Options) Shown() string {
	u, err := neturl.Parse(o.Server)
	if err != nil || !isAddress(o.Server) {
		return o.Server
	}
	return u.Scheme + "://" + u.Host + u.Path
}

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
