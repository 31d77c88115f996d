package openchrome

import (
	"context"
	"fmt"

	"github.com/openchrome/bench/harness/observer"
)

// localSession is a session on a browser of our own.
type localSession struct {
	*Owned
	row      Server
	browser  *chromium
	node     *process      // the server
	oomKills func() uint64 // [oomKills], or a replacement in tests
	before   uint64        // oomKills when the session began
}

// Observer implements [Session].
func (s *localSession) Observer() *observer.Observer { return s.browser.observer }

// Memory implements [Session].
func (s *localSession) Memory() int64 { return s.node.memory() }

// Server implements [Session].
func (s *localSession) Server() Server { return s.row }

// Ping implements [Session]. It also checks the browser, because OpenChrome answers without
// one. If the harness ended the browser, or the kernel killed processes for lack of memory,
// the error is an [*Outage].
func (s *localSession) Ping(ctx context.Context) error {
	if n := s.oomKills() - s.before; n > 0 {
		return &Outage{fmt.Errorf("memory ran out; processes killed by the kernel since the session began: %d", n)}
	}
	if !s.browser.hasEnded(ctx) {
		return s.Owned.Ping(ctx)
	}
	err := s.browser.end()
	if s.browser.ours.Load() {
		return &Outage{err}
	}
	return &NoPage{Why: err.Error()}
}
