package launch

import (
	"context"
	"errors"
	"fmt"

	"github.com/openchrome/bench/harness/internal/drive/confine"
	"github.com/openchrome/bench/harness/internal/drive/observer"
	"github.com/openchrome/bench/harness/internal/drive/process"
	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/read/server"
)

// localSession is a session on a browser of our own.
type localSession struct {
	*session.Base
	row      *server.Server
	browser  *chromium
	network  *confine.Network // where both started; nil: the machine's
	node     *process.Process // the server
	quota    *process.Quota   // of the session's folder
	oomKills func() uint64    // [process.OOMKills], or a replacement in tests
	before   uint64           // oomKills when the session began
}

// Observer implements [session.Session].
func (s *localSession) Observer() *observer.Observer { return s.browser.observer }

// Memory implements [session.Session].
func (s *localSession) Memory() int64 { return s.node.Memory() }

// Halt implements [session.Session].
func (s *localSession) Halt(context.Context) (resume func(context.Context) error, err error) {
	goOn := s.node.Halt()
	return func(context.Context) error { goOn(); return nil }, nil
}

// Server implements [session.Session].
func (s *localSession) Server() *server.Server { return s.row }

// Ping implements [session.Session]. It also checks the browser, because OpenChrome answers without
// one. If the session exceeded its quota, the error is a [*observer.NoPage]. If another SIGKILL ended
// the browser, it is an [*session.Outage], because nobody knows who sent it. It is one too if the
// browser runs and the kernel killed processes for lack of memory: a tab may be among them.
func (s *localSession) Ping(ctx context.Context) error {
	if s.browser.hasEnded(ctx) {
		if guilt := s.browser.Guilt.Load(); guilt != nil {
			return &observer.NoPage{Why: (*guilt).Error()}
		}
		err := s.browser.End()
		if s.browser.WasKilled() || s.browser.Ours.Load() {
			return &session.Outage{Err: s.starved(err)}
		}
		return &observer.NoPage{Why: err.Error()}
	}
	if err := s.starved(nil); err != nil {
		return &session.Outage{Err: err}
	}
	return s.Base.Ping(ctx)
}

// starved adds to err that the kernel killed processes for lack of memory during the session.
// Which ones is unknown, because the session has no control group of its own.
func (s *localSession) starved(err error) error {
	n := s.oomKills() - s.before
	if n == 0 {
		return err
	}
	memory := fmt.Errorf("memory ran out; processes killed by the kernel since the session began: %d", n)
	if err == nil {
		return memory
	}
	return fmt.Errorf("%w; %w", err, memory)
}

// Outage implements [session.Session]. A SIGKILL that ended a tab is one, because nobody knows
// who sent it. A disk that the session filled is none.
func (s *localSession) Outage(ctx context.Context) error {
	err := s.Base.Outage(ctx)
	if watch := s.browser.observer; err == nil && watch != nil && watch.Killed() {
		err = &session.Outage{Err: errors.New("SIGKILL ended the process of a tab")}
	}
	if err != nil && s.quota.Exceeded() != nil {
		return nil
	}
	return err
}
