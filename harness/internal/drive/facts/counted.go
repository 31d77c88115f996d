package facts

import (
	"context"
	"slices"
	"time"

	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/web"
)

// actTimeout bounds the look at the web's log before an act, which takes milliseconds.
const actTimeout = 2 * time.Second

// counted is a session whose Requests leave out what does not count.
type counted struct {
	session.Session
	at  time.Time // just before the observer's first act; zero: there was none
	log web.Log   // then
	err error
}

// Counted returns the session. Its Requests leave out those that came after the first act of its
// observer, and what they did to the state of the web. What came before and was answered later
// counts. Call it once for a session.
func Counted(s session.Session) session.Session {
	o := s.Observer()
	if o == nil {
		return s
	}
	c := &counted{Session: s}
	o.BeforeAct(func() {
		ctx, cancel := context.WithTimeout(context.Background(), actTimeout) // the end of a reading must not cut it off
		defer cancel()
		c.log, c.err = s.Requests(ctx)
		c.at = time.Now()
	})
	return c
}

// Requests implements [session.Session].
func (c *counted) Requests(ctx context.Context) (web.Log, error) {
	log, err := c.Session.Requests(ctx)
	if c.at.IsZero() || err != nil {
		return log, err
	}
	answered := slices.DeleteFunc(log.Requests[len(c.log.Requests):], func(q web.Request) bool { return q.Came.After(c.at) })
	log.Requests, log.Own, log.Full = slices.Concat(c.log.Requests, answered), c.log.Own, c.log.Full
	return log, c.err
}
