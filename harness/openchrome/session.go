// Package openchrome is one OpenChrome seen through MCP: launch it, call its
// tools, read the facts of a contract off its page, close it.
//
// A [Launcher] starts sessions, one for each episode. What is behind a session
// (the stand-in in this process, a child over stdio, a container, an HTTP
// address) shows only in its [event.Subject].
package openchrome

import (
	"context"
	"time"

	"github.com/openchrome/bench/harness/event"
	"github.com/openchrome/bench/sites"
)

// Launcher starts sessions. Its methods may be called by several goroutines.
type Launcher interface {
	// Launch starts a session that nothing has used and returns it once the
	// server has answered initialize and tools/list. ctx bounds the start only.
	Launch(ctx context.Context) (Session, error)
	// Notes returns what a reader of the report must know of how sessions are
	// started, a sentence each; they go into [event.RunStart].Notes. They are
	// the same for the launcher's whole life.
	Notes() []string
	// Close ends what the launcher's sessions share. Sessions are closed first.
	Close() error
}

// Session is one OpenChrome on one browser. Calls may overlap.
type Session interface {
	Subject() event.Subject
	Tools() []event.Tool
	// Call calls one tool. An answer of any kind, also an error answer, is a
	// Result; an error means that there is no answer: ctx's error when ctx
	// ended, else an [*Error], which wraps an [*Outage] where it is not
	// OpenChrome that is gone.
	Call(ctx context.Context, c event.Call) (event.Result, error)
	// Ping reports whether the server still answers, and the fixture web.
	Ping(ctx context.Context) error
	// Requests returns what the fixture web was asked for so far, in order.
	// The error says why the launcher cannot know (the live web, an address); an
	// [*Outage] that the web is gone.
	Requests(ctx context.Context) ([]sites.Request, error)
	// Outage looks for what failed of that which the session runs on, once an
	// episode on it failed. The error is an [*Outage]: the fixture web is gone, or
	// the disk is full; nil when nothing of the kind is found.
	Outage(ctx context.Context) error
	// Close ends the session and everything started for it.
	Close() error
}

// Has reports whether the session's server lists the tool.
func Has(s Session, name string) bool {
	for _, t := range s.Tools() {
		if t.Name == name {
			return true
		}
	}
	return false
}

// Error is a call without an answer although it was waited for: OpenChrome
// died, closed its stream or broke the protocol.
type Error struct {
	Tool string
	Err  error
}

func (e *Error) Error() string { return e.Tool + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Outage is the end of what a session runs on, and so nothing that OpenChrome did:
// of the engine, of the connection with it, of the fixture web, or at a limit
// that we set.
type Outage struct{ Err error }

func (o *Outage) Error() string { return o.Err.Error() }

// Unwrap returns the cause.
func (o *Outage) Unwrap() error { return o.Err }

// LaunchTimeout bounds the start of one session.
const LaunchTimeout = 60 * time.Second
