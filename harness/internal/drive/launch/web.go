package launch

import (
	"context"
	"errors"
	"net/netip"

	"github.com/openchrome/bench/harness/internal/drive/confine"
	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/web"
	"github.com/openchrome/bench/harness/internal/web/serve"
)

// A web is the part of the internet that one session can reach: its own fixture web, the
// real web, or the fixture web for its hosts and the real web for all others.
type fixtureWeb struct {
	served *web.Web
	server *serve.Server // nil: no fixture web
	live   bool          // all hosts that are not fixture sites are on the real web
}

// newWeb serves set on free ports of the network's loopback interface. A nil set is not served, and
// a nil network is the machine's. live says that other hosts are on the real web.
func newWeb(set *web.Set, ca *serve.CA, live bool, network *confine.Network) (*fixtureWeb, error) {
	w := &fixtureWeb{live: live || set == nil}
	if set == nil {
		return w, nil
	}
	w.served = set.NewWeb()
	var err error
	if network == nil {
		w.server, err = serve.Listen(w.served, ca, serve.ListenOptions{})
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
	w.server = serve.On(w.served, ca, http, https)
	return w, nil
}

// log returns nil if not all requests are known.
func (w *fixtureWeb) log() session.AccessLog {
	if w.live {
		return nil
	}
	return func(_ context.Context, why bool) (web.Log, error) {
		if why {
			return w.served.Why(), nil
		}
		return w.served.Log(), nil
	}
}

// draw implements [session.Session]'s Draw; nil if there is no fixture web.
func (w *fixtureWeb) draw() func(context.Context, web.Draw) error {
	if w.served == nil {
		return nil
	}
	return func(_ context.Context, d web.Draw) error { return w.served.Draw(d) }
}

// ports returns the ports that a browser connects to; nil: any.
func (w *fixtureWeb) ports() []uint16 {
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

func (w *fixtureWeb) Close() error {
	if w.server == nil {
		return nil
	}
	return w.server.Close()
}
