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
	"slices"
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
	IsError  *bool            // whether the answer must be an error; nil: either is accepted
	Contains []string         // texts that the answer must contain, apart from OpenChrome's hints
	Matches  []*regexp.Regexp // patterns that the text of the answer must match
	At       string           // place of this expectation, for the reports, such as transcript.jsonl:3
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
	for _, pattern := range e.Matches {
		if !pattern.MatchString(text) {
			expected = append(expected, "text that matches "+display.Quote(pattern.String()))
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

// Kind is an adapter that -adapter= can name.
type Kind struct {
	Name string
	// Prepare prepares the episodes of a run, before anything is launched. An error, such as
	// a missing credential, ends the command with exit code 64.
	Prepare func() (Factory, error)
	// Agent is not nil if the adapters are [Program]s that call a model. Their runs are then those
	// of an agent: their caps, reports and comparisons. The harness does not confine them.
	Agent *About
}

// About says what an agent is. Empty texts are unknown.
type About struct{ Version, Model string }

// Factory makes the adapter of one episode. Episodes may call it at the same
// time. An error or a panic ends the episode as adapter_error.
type Factory func() (Adapter, error)

// builtIn are the names of the adapters of this module: mock replays transcripts, and none
// makes no call.
var builtIn = []string{"mock", "none"}

var registered []Kind

// Register adds an adapter to the program. A separate program calls it before
// harness.Main; an adapter that calls a language model does not belong in this
// module. It panics if the name is empty or taken, or Prepare is missing.
func Register(k Kind) {
	if k.Name == "" || k.Prepare == nil {
		panic("adapter: Register needs a name and Prepare")
	}
	if slices.Contains(builtIn, k.Name) || slices.ContainsFunc(registered, func(other Kind) bool { return other.Name == k.Name }) {
		panic("adapter: " + k.Name + " is registered twice")
	}
	registered = append(registered, k)
}

// Registered returns the adapters that the program has registered, in that order.
func Registered() []Kind { return slices.Clone(registered) }

// Program is an [Adapter] that runs beside the episode, such as an agent in a process of its
// own. The episode starts it after step 0 and before its clock, and ends it before it says how
// the episode ended.
type Program interface {
	Adapter
	// Start starts the program. s has step 0. An error ends the episode as adapter_error.
	Start(ctx context.Context, s State) error
	// End ends the program, and says what is known of it. s has all steps: the program may not
	// have seen the last answer yet. The episode calls End once, also if Start failed. If ctx
	// has ended, the run was stopped, and nobody waits for the program.
	End(ctx context.Context, s State) Agent
	// Secrets are texts that no event, report or file may hold, such as keys. They do not change
	// after Start.
	Secrets() []string
}

// Agent is what is known of a [Program] after its end. Zero values and nil are unknown.
type Agent struct {
	Model   string   `json:"model,omitempty"`  // that it used, as it says
	Answer  string   `json:"answer,omitempty"` // its last words; nobody judges them
	Usage   *Usage   `json:"usage,omitempty"`
	CostUSD *float64 `json:"costUsd,omitempty"` // as it says
	Exit    string   `json:"exit,omitempty"`    // how its process ended, such as "exit status 0"
	StartMs float64  `json:"startMs"`           // from its start to its first tools/list
	Late    int      `json:"lateCalls"`         // calls that it made after the end
	// Error says why it failed. The episode is then void as adapter_error. Outage says how
	// something that it needs failed, such as a provider of models. The episode is then void as
	// inconclusive.
	Error  string `json:"error,omitempty"`
	Outage string `json:"outage,omitempty"`
	// Output is what it printed, for the file agent.log.
	Output []byte `json:"-"`
}

// Usage counts what a model was sent and what it wrote, as the program says. Nil is unknown.
type Usage struct {
	Requests         *int `json:"requests,omitempty"`
	InputTokens      *int `json:"inputTokens,omitempty"` // without those from a cache
	CachedInput      *int `json:"cachedInputTokens,omitempty"`
	CacheWriteTokens *int `json:"cacheWriteTokens,omitempty"`
	OutputTokens     *int `json:"outputTokens,omitempty"` // without those for reasoning
	ReasoningTokens  *int `json:"reasoningTokens,omitempty"`
}
