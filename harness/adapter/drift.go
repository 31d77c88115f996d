package adapter

import (
	"cmp"
	"fmt"
)

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
