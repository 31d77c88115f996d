package openchrome

import (
	"context"
	"errors"

	"github.com/openchrome/bench/sites"
)

// A web is what one session sees of the internet: a fixture web of its own, or
// with a nil server the real one.
type web struct {
	log    *sites.Web
	server *sites.Server
}

// newWeb serves set on free ports of the loopback. A nil set is the live web.
func newWeb(set *sites.Set, ca *sites.CA) (*web, error) {
	if set == nil {
		return &web{}, nil
	}
	w := &web{log: set.NewWeb()}
	var err error
	w.server, err = sites.Listen(w.log, ca, sites.ListenOptions{})
	return w, err
}

// Requests implements that of [Session].
func (w *web) Requests(context.Context) ([]sites.Request, error) {
	switch {
	case w.log == nil:
		return nil, errors.New("requests to the live web are not recorded")
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
