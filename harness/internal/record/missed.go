package record

import (
	"strconv"
	"time"
)

// Request is a request of a page to the fixture web.
type Request struct {
	Step   int    `json:"step"` // the step in which it was answered
	Method string `json:"method"`
	URL    string `json:"url"`
	Status int    `json:"status"`
	Type   string `json:"contentType,omitempty"`
	Body   string `json:"body,omitempty"` // up to 64 KiB
}

// Missed says why a receipt of the fixture web was not earned: the request that leads to it, and
// what came instead. Only [Stop] has it, because it names the values that were wanted.
type Missed struct {
	End    string     `json:"end"` // the receipt's entry in the log of requests: https://HOST/.end/PATH
	Kind   MissedKind `json:"kind"`
	Wanted string     `json:"wanted,omitempty"` // the request that leads to the receipt, such as POST /answers
	// Sent is the request that came nearest, or the wrong act; of an unsent one, what was sent
	// instead. Step is the step in which it came, 0 if there is none.
	Sent string    `json:"sent,omitempty"`
	At   time.Time `json:"at,omitzero"`
	Step int       `json:"step,omitempty"`
	// Status is with what the host failed Sent on purpose; 0 also if it broke the connection.
	Status int     `json:"status,omitempty"`
	Unmet  []Unmet `json:"unmet,omitempty"` // the conditions of Wanted that do not hold
	Wrong  string  `json:"wrong,omitempty"` // why Sent is a wrong act
	Early  string  `json:"early,omitempty"` // a later request, which came before Wanted had
}

// MissedKind says how a receipt was missed.
type MissedKind string

// The kinds.
const (
	MissedUnsent MissedKind = "unsent" // no such request came
	MissedValue  MissedKind = "value"  // it came with another value, or none
	MissedAgain  MissedKind = "again"  // it came too often
	MissedFailed MissedKind = "failed" // the host answered with a failure on purpose
	MissedUndone MissedKind = "undone" // a later request undid it
	MissedState  MissedKind = "state"  // all requests came, and the state is another one
	MissedWrong  MissedKind = "wrong"  // a wrong act
)

// Unmet is a condition that did not hold.
type Unmet struct {
	Of     string `json:"of"` // field, cookie, state, or the name of a list with its row
	Name   string `json:"name"`
	Wanted string `json:"wanted"` // in words
	Got    string `json:"got"`
	Absent bool   `json:"absent,omitempty"` // it was not sent
	Value  string `json:"value,omitempty"`  // the value that was wanted; empty if it is not the only one, or is empty
	// Shown is the field as the page shows it; of radios and buttons, the one that sends Value. Only a report has
	// it; nil: the page is not known, or shows no such field.
	Shown *Element `json:"shown,omitempty"`
}

// Named is the name of the condition: of a field as the page shows it, of all but fields with what it is of.
func (u *Unmet) Named() string {
	switch {
	case u.Shown != nil:
		return strconv.Quote(u.Shown.Words())
	case u.Of == "field":
		return u.Name
	}
	return u.Of + " " + u.Name
}
