package subject

import (
	"context"

	"github.com/openchrome/bench/harness/internal/drive/launch"
	"github.com/openchrome/bench/harness/internal/drive/session"
)

var local = onLocal("local", session.OpenChrome)

// peers returns the kinds that start a peer of OpenChrome in the same way as local starts
// OpenChrome.
func peers() (list []kind) {
	for _, s := range session.Servers() {
		if s.Name != "" {
			list = append(list, onLocal(s.Name, s))
		}
	}
	return list
}

// onLocal is the kind that starts a server on this machine's Chromium.
func onLocal(name string, server session.Server) kind {
	return kind{name: name, server: server, auto: server.Name == "", pkg: true, live: true,
		check: func(ctx context.Context, o Options) error {
			_, err := launch.FindLocal(ctx, launch.LocalOptions{Server: server, Package: o.Package})
			return err
		},
		start: func(ctx context.Context, o Options, w webOptions, _ lines) (session.Launcher, error) {
			return launch.NewLocal(ctx, launch.LocalOptions{
				Server: server, Package: o.Package, Sites: w.sites, CA: w.ca, LiveWeb: o.LiveWeb, Hide: o.Hide,
			})
		},
	}
}
