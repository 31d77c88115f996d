package record

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"github.com/openchrome/bench/harness/internal/text/display"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
)

// SchemaVersion is the version of the log's format, written in run_start.
// Version 2 had words in its traces.
const SchemaVersion = 3

// Type names what happened; it decides which fields an event has.
type Type string

// The types of events, in the order in which they occur.
const (
	TypeRunStart     Type = "run_start"
	TypeRunResume    Type = "run_resume"
	TypeReset        Type = "reset"
	TypeToolCall     Type = "tool_call"
	TypeToolResult   Type = "tool_result"
	TypeTrace        Type = "trace"
	TypeProgress     Type = "progress"
	TypeFacts        Type = "facts"
	TypeContractEval Type = "contract_eval"
	TypeAgent        Type = "agent"
	TypeStop         Type = "stop"
	TypeRunEnd       Type = "run_end"
)

// By says who made a tool call. The adapter's calls are steps. The harness's own calls
// (progress, facts) do not count. Step 0, the first navigation of every task, counts as a
// call of the adapter.
type By string

// The two makers of calls.
const (
	ByAdapter By = "adapter"
	ByHarness By = "harness"
)

// Event is one line of the log.
type Event struct {
	Seq     int       // from 1 within an episode; 0 for events of the run
	TS      time.Time // UTC
	Episode string    // "<task-id>#<repetition>"; empty for events of the run
	By      By        // empty for events that are not calls
	Body    Body      // never nil in a written event
}

// Body holds the fields of one type of event.
type Body interface{ Type() Type }

type header struct {
	Seq     int       `json:"seq"`
	TS      time.Time `json:"ts"`
	Episode string    `json:"episode,omitempty"`
	Type    Type      `json:"type"`
	By      By        `json:"by,omitempty"`
}

// MarshalJSON writes the event as one flat object, the common fields first.
func (e Event) MarshalJSON() ([]byte, error) {
	if e.Body == nil {
		return nil, fmt.Errorf("event %d of %q has no body", e.Seq, e.Episode)
	}
	head, err := json.Marshal(header{e.Seq, e.TS, e.Episode, e.Body.Type(), e.By})
	if err != nil {
		return nil, err
	}
	body, err := Marshal(e.Body)
	if err != nil || len(body) == len("{}") {
		return head, err
	}
	head[len(head)-1] = ','
	return append(head, body[1:]...), nil
}

// Marshal is json.Marshal without the escaping of <, > and &: people read logs,
// and pages are full of them. What does not print is escaped, see [display.JSON].
func Marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return display.JSON(bytes.TrimRight(b.Bytes(), "\n")), err
}

// maxValues is how many values an event can hold. A value of 2 bytes can take a hundred times
// as much memory.
const maxValues = 256 << 10

// UnmarshalJSON reads an event of any known type. An unknown type is an error: a
// report that ignored it would be wrong.
func (e *Event) UnmarshalJSON(line []byte) error {
	var h header
	if err := json.Unmarshal(line, &h); err != nil {
		return err
	}
	if h.Type != TypeToolResult && len(line) > maxValues && jsonfile.Values(line) > maxValues { // a raw result is not decoded here
		return fmt.Errorf("the event %s has more than %d values", h.Type, maxValues)
	}
	body, err := ReadBody(h.Type, line)
	if err != nil {
		return err
	}
	*e = Event{Seq: h.Seq, TS: h.TS, Episode: h.Episode, By: h.By, Body: body}
	return nil
}

// ReadBody reads the fields of an event of this type.
func ReadBody(t Type, raw []byte) (Body, error) {
	newBody, ok := bodies[t]
	if !ok {
		return nil, fmt.Errorf("unknown event type %q", t)
	}
	body := newBody()
	if err := json.Unmarshal(raw, body); err != nil {
		return nil, err
	}
	if b, ok := body.(*ToolResult); ok && b.Raw != nil {
		b.Result.Parse()
	}
	return body, nil
}

var bodies = map[Type]func() Body{
	TypeRunStart:     func() Body { return new(RunStart) },
	TypeRunResume:    func() Body { return new(RunResume) },
	TypeReset:        func() Body { return new(Reset) },
	TypeToolCall:     func() Body { return new(ToolCall) },
	TypeToolResult:   func() Body { return new(ToolResult) },
	TypeTrace:        func() Body { return new(Trace) },
	TypeProgress:     func() Body { return new(Progress) },
	TypeFacts:        func() Body { return new(Facts) },
	TypeContractEval: func() Body { return new(ContractEval) },
	TypeAgent:        func() Body { return new(Agent) },
	TypeStop:         func() Body { return new(Stop) },
	TypeRunEnd:       func() Body { return new(RunEnd) },
}
