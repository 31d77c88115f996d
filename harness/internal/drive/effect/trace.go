// Package effect says what the pages got of a call: it makes the trace of a step, with a word
// for each thing that the call asked for. It reads nothing itself, and understands no language:
// it compares names, values and events.
package effect

import (
	"encoding/json"

	"github.com/openchrome/bench/harness/internal/drive/listen"
	"github.com/openchrome/bench/harness/internal/record"
)

// MaxTrace is the size in bytes of the largest trace in the log.
const MaxTrace = 16 << 10

// maxJoined is how many characters the text of joined events has.
const maxJoined = 100

// Events joins events that are alike and follow each other, such as the keys that went to one
// field. What only the rule of words needs is left out.
func Events(events []listen.Event) []record.Heard {
	var joined []record.Heard
	placed := map[int]bool{}
	for i := range events {
		h := events[i].Heard
		if h.Kind == "over" {
			continue
		}
		if h.Element != nil && placed[h.ID] { // one mention of its place is enough
			e := *h.Element
			e.Place = ""
			h.Element = &e
		}
		if last := before(joined, &h); last != nil {
			last.Times = max(last.Times, 1) + 1
			last.Element = h.Element // its value is newer
			if h.Kind == "key" && len(last.Text) < maxJoined {
				last.Text += key(h.Text)
			}
			continue
		}
		if h.Kind == "key" {
			h.Text = key(h.Text)
		}
		for _, c := range events[i].Fields {
			c.Place = ""
			h.Sent = append(h.Sent, record.Field{Where: c.Where, Element: c.Element})
		}
		if h.Element != nil {
			placed[h.ID] = true
		}
		joined = append(joined, h)
	}
	return joined
}

// key writes a key that is no character so that nobody takes its name for typed text.
func key(name string) string {
	if len([]rune(name)) > 1 {
		return "<" + name + ">"
	}
	return name
}

// before returns the event that h is joined to: the last one, or the one before if a key and the
// input that it made alternate. It is nil if there is none.
func before(joined []record.Heard, h *record.Heard) *record.Heard {
	n := len(joined)
	if n > 0 && alike(&joined[n-1], h) {
		return &joined[n-1]
	}
	if n > 1 && alike(&joined[n-2], h) && (h.Kind == "key" || h.Kind == "input") {
		if k := joined[n-1].Kind; (k == "key" || k == "input") && k != h.Kind && joined[n-1].Element != nil && joined[n-1].ID == h.ID {
			return &joined[n-2]
		}
	}
	return nil
}

func alike(a, b *record.Heard) bool {
	if a.Kind != b.Kind || a.Real != b.Real || a.Where != b.Where || (a.Element == nil) != (b.Element == nil) {
		return false
	}
	if a.Element != nil && a.ID != b.ID {
		return false
	}
	switch a.Kind {
	case "key", "input", "change", "invalid", "scroll":
		return true
	case "error":
		return a.Text == b.Text
	}
	return false
}

// Fit leaves out events and fields of a trace until it has at most [MaxTrace] bytes: first what
// navigations sent, then events from the end, then fields.
func Fit(t *record.Trace) {
	fits := func() bool {
		raw, err := json.Marshal(t)
		return err == nil && len(raw) <= MaxTrace
	}
	for i := len(t.Events) - 1; i >= 0 && !fits(); i-- {
		if n := len(t.Events[i].Sent); n > 0 {
			t.Left += n
			t.Events[i].Sent = nil
		}
	}
	for len(t.Events) > 0 && !fits() {
		n := (len(t.Events) + 3) / 4
		t.Left += n
		t.Events = t.Events[:len(t.Events)-n]
	}
	for len(t.Changed) > 0 && !fits() {
		n := (len(t.Changed) + 3) / 4
		t.Left += n
		t.Changed = t.Changed[:len(t.Changed)-n]
	}
	for len(t.Parts) > 0 && !fits() {
		t.Left++
		t.Parts = t.Parts[:len(t.Parts)-1]
	}
}
