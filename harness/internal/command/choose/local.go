package choose

import (
	"context"

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
