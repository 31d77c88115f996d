// Package session is one server on one browser, driven over MCP: it connects, calls tools,
// and says what ended a call.
//
//  1. A [Launcher] starts sessions, one for each episode. Packages launch and containers
//     have the launchers.
//  2. [Client] makes the calls. [Base] adds what this process started for the session.
//
// Only the [record.Server] shows what a session runs on. The package starts no process and
// reads no page.
package session

import (
	"context"
	"path/filepath"
	"slices"
	"time"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/drive/observer"
	"github.com/openchrome/bench/harness/internal/read/server"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/web"
)

// Launcher starts sessions. Its methods may be called by several goroutines.
type Launcher interface {
	// Launch starts a new session and returns it when the server has answered initialize
	// and tools/list. ctx bounds the start only.
	Launch(ctx context.Context) (Session, error)
	// Notes returns sentences for the reader of the report about how sessions are
	// started; they go into [record.RunStart].Notes. They never change during the
	// launcher's life.
	Notes() []string
	// PackageDigest is the digest of the server's package, as in [record.Server]; empty if it
	// is unknown.
	PackageDigest() string
	// Close ends everything that the sessions share. Close the sessions first.
	Close() error
}

// Session is one OpenChrome on one browser. Calls may overlap.
type Session interface {
	Identity() record.Server
	// Tools returns the tools that the server lists at the start.
	Tools() []adapter.Tool
	// Listed returns the tools that the server lists now. It asks the server only if that said
	// that its tools changed.
	Listed(ctx context.Context) []adapter.Tool
	// Server returns the description of the server; OpenChrome's if the launcher does not know the
	// server.
	Server() *server.Server
	// Call calls one tool. Every answer is a Result, even an error answer. An error means
	// that there is no answer. It is the error of ctx if ctx ended, otherwise an [*Error].
	// The [*Error] wraps an [*Outage] if OpenChrome is not to blame.
	Call(ctx context.Context, c adapter.Call) (adapter.Result, error)
	// Draw shows the values of a task on the session's fixture web. Call it before the first
	// navigation. It returns an error if the web is not the session's own.
	Draw(ctx context.Context, d web.Draw) error
	// PutFiles writes the files of a task to a folder with the name [adapter.FilesDir], which
	// the server can read, and returns their paths there. Call it at most once, before the
	// first navigation. It returns an error if the harness cannot reach such a folder.
	PutFiles(ctx context.Context, files map[string][]byte) (paths map[string]string, err error)
	// Observer watches the session's browser. It is nil if the browser is not ours.
	Observer() *observer.Observer
	// Ping returns an error if the server or the fixture web no longer answers. It is a
	// [*observer.NoPage] if only the browser ended.
	Ping(ctx context.Context) error
	// Requests returns the access log of the fixture web. The error says why the launcher
	// cannot know it (the live web, an address); an [*Outage] says that the web is gone.
	Requests(ctx context.Context) (web.Log, error)
	// Why is Requests with the reasons of missed receipts. Call it after the verdict.
	Why(ctx context.Context) (web.Log, error)
	// Outage looks for a fault of the environment after an episode failed. It
	// returns an [*Outage] if the fixture web is gone or the disk is full, and nil if
	// it finds no such fault.
	Outage(ctx context.Context) error
	// Halt stops all processes of the server where they are, and resume lets them go on. It returns an
	// error if they are not ours.
	Halt(ctx context.Context) (resume func(context.Context) error, err error)
	// Memory returns the resident memory of the server and of all processes that it
	// started, in bytes; 0 if it is unknown.
	Memory() int64
	// Close ends the session and everything started for it.
	Close() error
}

// Has reports whether the session's server lists the tool at the start, by any of its names.
func Has(s Session, name string) bool {
	return has(s.Tools(), s.Server().Listed(name, s.Tools()))
}

func has(tools []adapter.Tool, name string) bool {
	return slices.ContainsFunc(tools, func(t adapter.Tool) bool { return t.Name == name })
}

// Error is the error of a call that got no answer although its context had not ended:
// OpenChrome died, closed its stream or broke the protocol.
type Error struct {
	Tool string
	Err  error
}

func (e *Error) Error() string { return e.Tool + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Outage is a fault of the environment that OpenChrome did not cause: the engine, the
// connection with it or the fixture web is gone, or a limit that we set ended the
// session.
type Outage struct{ Err error }

func (o *Outage) Error() string { return o.Err.Error() }

// Unwrap returns the cause.
func (o *Outage) Unwrap() error { return o.Err }

// NotBuilt is the error of a folder without the program of its server.
type NotBuilt struct{ Err error }

func (n *NotBuilt) Error() string { return n.Err.Error() }

// HomeOf returns the home folder of the programs of the session in the folder dir.
func HomeOf(dir string) string { return filepath.Join(dir, "home") }

// LaunchTimeout bounds the start of one session.
const LaunchTimeout = 60 * time.Second
