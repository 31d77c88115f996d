package openchrome

import (
	"context"
	"errors"
	"net/netip"

	"github.com/openchrome/bench/harness/internal/confine"
	"github.com/openchrome/bench/sites"
)

// A web is the part of the internet that one session can reach: its own fixture web, the
// real web, or the fixture web for its hosts and the real web for all others.
type web struct {
	served *sites.Web
	server *sites.Server // nil: no fixture web
	live   bool          // all hosts that are not fixture sites are on the real web
}

// newWeb serves set, unless it is nil, on free ports of the network's loopback interface;
// nil is the machine's network. live says that other hosts are on the real web.
func newWeb(set *sites.Set, ca *sites.CA, live bool, network *confine.Network) (*web, error) {
	w := &web{live: live || set == nil}
	if set == nil {
		return w, nil
	}
	w.served = set.NewWeb()
	var err error
	if network == nil {
		w.server, err = sites.Listen(w.served, ca, sites.ListenOptions{})
		return w, err
	}
	http, err := network.Listen()
	if err != nil {
		return w, err
	}
	https, err := network.Listen()
	if err != nil {
		return w, errors.Join(err, http.Close())
	}
	w.server = sites.Serve(w.served, ca, http, https)
	return w, nil
}

// log returns nil if not all requests are known.
func (w *web) log() AccessLog {
	if w.live {
		return nil
	}
	return func(context.Context) ([]sites.Request, bool, error) {
		return w.served.Log(), w.served.Truncated(), nil
	}
}

// draw implements [Session]'s Draw; nil if there is no fixture web.
func (w *web) draw() func(context.Context, sites.Draw) error {
	if w.served == nil {
		return nil
	}
	return func(_ context.Context, d sites.Draw) error { return w.served.Draw(d) }
}

// ports returns the ports that a browser connects to; nil: any.
func (w *web) ports() []uint16 {
	if w.live {
		return nil
	}
	var ports []uint16
	for _, addr := range []string{w.server.HTTPAddr(), w.server.HTTPSAddr()} {
		if a, err := netip.ParseAddrPort(addr); err == nil {
			ports = append(ports, a.Port())
		}
	}
	return ports
}

func (w *web) Close() error {
	if w.server == nil {
		return nil
	}
	return w.server.Close()
}
