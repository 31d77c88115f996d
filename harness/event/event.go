package event

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"
)

// SchemaVersion is the version of the log's format, written in run_start.
// Version 1 had the contract in reset instead of stop.
const SchemaVersion = 2

// Type names what happened; it decides which fields an event has.
type Type string

// The types of events, in the order in which an episode meets them.
const (
	TypeRunStart     Type = "run_start"
	TypeReset        Type = "reset"
	TypeToolCall     Type = "tool_call"
	TypeToolResult   Type = "tool_result"
	TypeProgress     Type = "progress"
	TypeFacts        Type = "facts"
	TypeContractEval Type = "contract_eval"
	TypeStop         Type = "stop"
	TypeRunEnd       Type = "run_end"
)

// By says who made a tool call: the adapter's calls are steps, the harness's
// own (progress, facts) count nowhere. Step 0 is the adapter's: it is the
// navigation that every task begins with, and it counts.
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
	By      By        // empty for events that nobody called
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
	body, err := marshal(e.Body)
	if err != nil || len(body) == len("{}") {
		return head, err
	}
	head[len(head)-1] = ','
	return append(head, body[1:]...), nil
}

// marshal is json.Marshal without the escaping of <, > and &: a log is read by
// people, and pages are full of them.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimRight(b.Bytes(), "\n"), err
}

// UnmarshalJSON reads an event of any known type. An unknown type is an error:
// a report of a log that is only half understood would be wrong in silence.
func (e *Event) UnmarshalJSON(line []byte) error {
	var h header
	if err := json.Unmarshal(line, &h); err != nil {
		return err
	}
	body, ok := newBody(h.Type)
	if !ok {
		return fmt.Errorf("unknown event type %q", h.Type)
	}
	if err := json.Unmarshal(line, body); err != nil {
		return err
	}
	if b, ok := body.(*ToolResult); ok && b.Raw != nil {
		b.parsed = readContent(b.Raw) // once, not for each of its methods
	}
	*e = Event{Seq: h.Seq, TS: h.TS, Episode: h.Episode, By: h.By, Body: body}
	return nil
}

func newBody(t Type) (Body, bool) {
	switch t {
	case TypeRunStart:
		return new(RunStart), true
	case TypeReset:
		return new(Reset), true
	case TypeToolCall:
		return new(ToolCall), true
	case TypeToolResult:
		return new(ToolResult), true
	case TypeProgress:
		return new(Progress), true
	case TypeFacts:
		return new(Facts), true
	case TypeContractEval:
		return new(ContractEval), true
	case TypeStop:
		return new(Stop), true
	case TypeRunEnd:
		return new(RunEnd), true
	}
	return nil, false
}
