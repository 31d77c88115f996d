// Package adapter decides the next call of an episode.
//
// An adapter sees a task's goal, start URL and caps, the server's tools and the
// results so far. It never sees the contract, and it cannot reach the event
// log: its [State] holds neither.
package adapter

import (
	"context"
	"regexp"
	"time"

	"github.com/openchrome/bench/harness/event"
)

// Adapter decides the calls of one episode.
type Adapter interface {
	// Next returns the next call, or says that the adapter is done. The episode
	// calls it after every answer, until a cap is reached or a call has no answer.
	// An error ends the episode as adapter_error. If the error is an [*event.Drift],
	// an answer differs from the one that a transcript expects.
	Next(ctx context.Context, s State) (Decision, error)
}

// State is what an adapter may know. Its slices are shared with the episode:
// an adapter reads them during Next and changes nothing.
type State struct {
	Goal        string
	StartURL    string
	MaxSteps    int
	MaxDuration time.Duration
	Tools       []event.Tool
	// TabID is the tab last opened or navigated; empty when none is known.
	TabID string
	// Refs finds the elements that an answer of this server names, such as those of a
	// snapshot. Its groups are role, name and ref, the element's handle in later calls.
	// Names are as the server prints them.
	Refs *regexp.Regexp
	// Steps are the calls so far with their results; the first is step 0, the
	// episode's own navigation to StartURL.
	Steps []Step
}

// Step is a call and its answer.
type Step struct {
	Call   event.Call
	Result event.Result
}

// Decision is a call to make, or the end: Done or Unsupported.
type Decision struct {
	Done bool
	Call event.Call // when not done
	// Unsupported says why the server cannot do the task. The episode then counts as
	// failed and is not judged.
	Unsupported string
}
