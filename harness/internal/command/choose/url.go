package choose

import (
	"context"
	neturl "net/url"
	"strings"

	"github.com/openchrome/bench/harness/internal/drive/launch"
	"github.com/openchrome/bench/harness/internal/drive/session"
)

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
