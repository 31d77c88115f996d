package openchrome

import (
	"context"
	"errors"

	"github.com/openchrome/bench/sites"
)

// A web is what one session sees of the internet: a fixture web of its own,
// the real one, or the one for its hosts and the other beside it.
type web struct {
	log     *sites.Web
	server  *sites.Server // nil: no fixture web
	unknown string        // why requests are not all known, or ""
}

// newWeb serves set, unless it is nil, on free ports of the loopback. live says
// that other hosts are the real web.
func newWeb(set *sites.Set, ca *sites.CA, live bool) (*web, error) {
	w := &web{}
	if live || set == nil {
		w.unknown = "requests to the live web are not recorded"
	}
	if set == nil {
		return w, nil
	}
	w.log = set.NewWeb()
	var err error
	w.server, err = sites.Listen(w.log, ca, sites.ListenOptions{})
	return w, err
}

// Requests implements that of [Session].
func (w *web) Requests(context.Context) ([]sites.Request, error) {
	switch {
	case w.unknown != "":
		return nil, errors.New(w.unknown)
	case w.log.Truncated():
		return nil, errors.New("the access log of the fixture web is full")
	}
	return w.log.Log(), nil
}

func (w *web) Close() error {
	if w.server == nil {
		return nil
	}
	return w.server.Close()
}
