// Package observer watches a Chromium beside the server under test.
//
// An [Observer] is a second DevTools client. It attaches before the server starts,
// so it sees each dialog, crash and new tab. It reads the facts of a contract in an
// isolated world, where nothing that a page overrides has an effect. It never acts on
// a page, with one exception: it dismisses a dialog that is open while facts are read,
// because a dialog stops scripts.
package observer

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/openchrome/bench/harness/contract"
	"github.com/openchrome/bench/harness/event"
)

// Observer watches one browser. Its methods may be called by several goroutines.
type Observer struct{}

// Attach attaches to the Chromium at the other end of pipe, which is its
// --remote-debugging-pipe: JSON messages, each ended by a zero byte. It returns when
// the first page is being watched. The Observer owns the pipe from then on, also when
// Attach fails. ctx bounds the attaching only.
func Attach(ctx context.Context, pipe io.ReadWriteCloser) (*Observer, error) {
	pipe.Close()
	return nil, errors.New("not written yet")
}

// Version returns what the browser calls itself, such as Chrome/156.0.8078.79.
func (o *Observer) Version() string { return "" }

// Done is closed when the browser has ended, or the pipe to it.
func (o *Observer) Done() <-chan struct{} { return nil }

// Close ends the connection. A Chromium ends about a second after its pipe.
func (o *Observer) Close() error { return nil }

// Tab returns the target id of the page that was opened or began to load another document
// last since then; empty if none was. For servers that do not name the tab.
func (o *Observer) Tab(since time.Time) (targetID string) { return "" }

// URL returns the address of a tab, as its last navigation gave it; "" for a tab that is
// not watched. Nothing is read from the page, so an open dialog stays as it is.
func (o *Observer) URL(targetID string) string { return "" }

// Request says which facts to read, and of which tab.
type Request struct {
	TabID     string // the target id of the page
	Needs     contract.Needs
	SessionID string // for the contract facts, see [contract.Input]
	// LiveWeb asks for the requests that the browser made, in Facts.Network. Otherwise
	// the observer leaves Facts.Network to the fixture web's log.
	LiveWeb bool
}

// Reading is one look at a page.
type Reading struct {
	Facts *contract.Facts
	// Settled: the page is loaded, and no request was under way for 100 ms.
	Settled bool
	// Dialogs are the dialogs of the tab so far, in order, at most 20.
	Dialogs []event.Dialog
}

// NoPage is the error of [Observer.Read] if there is no page to read: the tab is closed
// or crashed, shows a page of the browser itself, or does not answer.
type NoPage struct {
	Why string
	URL string // of the tab; "" without one
}

func (n *NoPage) Error() string { return n.Why }

// Read reads the facts that a contract needs. A fact that cannot be read is named in
// Facts.Unavailable with the reason. The error is a [*NoPage], or ctx's.
func (o *Observer) Read(ctx context.Context, r Request) (Reading, error) {
	return Reading{}, errors.New("not written yet")
}

// Scene is what a person needs to see of the end of an episode that did not pass.
type Scene struct {
	URL      string         `json:"url"`
	Title    string         `json:"title"`
	Text     string         `json:"text"` // visible, at most 64 KiB
	Dialogs  []event.Dialog `json:"dialogs,omitempty"`
	Console  []string       `json:"console,omitempty"`  // the last errors, at most 50 of 1 KiB
	Requests []string       `json:"requests,omitempty"` // the last that failed, at most 50 of 1 KiB
	Missing  string         `json:"missing,omitempty"`  // why a part could not be had
	PNG      []byte         `json:"-"`                  // screenshot; nil: none could be taken
}

// Scene looks at the tab once more. It never fails: Missing says what could not be had
// before ctx ended.
func (o *Observer) Scene(ctx context.Context, tabID string) Scene { return Scene{} }
