// Package adapter decides the next call of an episode.
//
// An adapter sees a task's goal, start URL and caps, the server's tools and the
// results so far. It never sees the contract, and it cannot reach the event
// log: its [State] holds neither.
package adapter

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/openchrome/bench/harness/internal/text/display"
)

// Adapter decides the calls of one episode.
type Adapter interface {
	// Next returns the next call, or says that the adapter is done. The episode
	// calls it after every answer, until a cap is reached or a call has no answer.
	// An error ends the episode as adapter_error; an [UnmetError] may count otherwise.
	Next(ctx context.Context, s State) (Decision, error)
}

// State is what an adapter may know. Its slices are shared with the episode:
// an adapter reads them during Next and changes nothing.
type State struct {
	Goal        string
	StartURL    string
	MaxSteps    int
	MaxDuration time.Duration
	// Tools are those that the server lists now: a call can change the list.
	Tools []Tool
	// Files are the paths of the task's files that the server can upload, by name. The goal
	// names the paths of the files that are wanted.
	Files map[string]string
	// Server is the name of the server, such as playwright-mcp; openchrome for OpenChrome, the
	// stand-in, and any other command or address.
	Server string
	// TabID is the tab last opened or navigated; empty when none is known.
	TabID string
	// Refs finds the elements that an answer of this server lists, for example in a
	// snapshot. Its groups are role, name and ref; later calls use the ref to address the
	// element. Names are as the server prints them.
	Refs *regexp.Regexp
	// Steps are the calls so far with their results; the first is step 0, the
	// episode's own navigation to StartURL. Of more than 32 MiB of answers, the oldest are empty.
	Steps []Step
}

// Step is a call and its answer.
type Step struct {
	Call   Call
	Result Result
}

// Decision is a call to make, or the end: Done, GaveUp, NoTool or Unsupported. The zero
// value is neither, and ends the episode as adapter_error.
type Decision struct {
	Done bool
	Call Call // the call to make, unless the episode ends
	// Expect describes the answer to Call that the adapter expects.
	Expect Expect
	// Unsupported says why the server cannot do the task. The episode then counts as failed and is
	// not judged. Only a transcript that the mock adapter replays can declare a known defect.
	Unsupported string
	// GaveUp says why the adapter goes no further, and NoTool which intent the server has
	// no tool for. The episode then counts as failed, unless the contract holds: the page is
	// judged, because what was done so far may be a wrong side effect.
	GaveUp, NoTool string
	// Looked is for how many targets the adapter has looked in answers so far, and Found is how many
	// of them an answer named. A report shows them as coverage.
	Looked, Found int
}

// Expect describes the answer that an adapter expects. The zero value accepts every answer.
// An answer that differs is a changed answer: the harness records it, and the episode goes on unless
// -drift=strict. If the contract does not hold at the end, the episode has failed, and the first
// changed answer is the reason.
type Expect struct {
	IsError  *bool    // whether the answer must be an error; nil: either is accepted
	Contains []string // texts that the answer must contain, apart from OpenChrome's hints
	At       string   // place of this expectation, for the reports, such as transcript.jsonl:3
}

// Drift returns how an answer differs from e; nil if it does not.
func (e Expect) Drift(r Result) *Drift {
	var expected []string
	if e.IsError != nil && r.IsError() != *e.IsError {
		if *e.IsError {
			expected = append(expected, "an error")
		} else {
			expected = append(expected, "no error")
		}
	}
	text := r.Text()
	for _, part := range e.Contains {
		if !strings.Contains(text, part) {
			expected = append(expected, "text with "+display.Quote(part))
		}
	}
	if expected == nil {
		return nil
	}
	return &Drift{Expected: strings.Join(expected, " and "), At: e.At}
}

// An UnmetError says that no answer has what the next call needs, such as a tab, an element or
// a text. The episode ends. It counts as a changed answer if an earlier answer changed, or if the start
// page could not be opened, and as adapter_error otherwise.
type UnmetError struct{ Err error }

func (e *UnmetError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *UnmetError) Unwrap() error { return e.Err }

// Drift is a changed answer: it differs from the one that the adapter (or its transcript)
// expects. It is part of the event with the answer.
type Drift struct {
	Expected string `json:"expected"`     // in words
	At       string `json:"at,omitempty"` // where the expected answer is written, such as transcript.jsonl:3
}

// Words describes the changed answer of a step in words. answer is
// the answer as text, cut for a report.
func (d *Drift) Words(step int, tool, answer string) string {
	at := cmp.Or(d.At, fmt.Sprintf("step %d", step))
	return fmt.Sprintf("%s: %s: expected %s, got %s", at, tool, d.Expected, answer)
}
