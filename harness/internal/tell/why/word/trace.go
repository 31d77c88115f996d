package word

import (
	"fmt"
	"slices"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/read/server"
	"github.com/openchrome/bench/harness/internal/record"
)

// Rules is the number of the rules of words. Two runs are compared by the words of the same rules only.
const Rules = 1

// Reader makes words of the calls of an episode, from the events of its log in their order.
type Reader struct {
	Server *server.Server // whose calls they are

	last     adapter.Step // the last call, and its answer
	heard    bool         // its trace was read
	controls record.Controls
	refs     refs
}

// Add takes the next event. After a trace, it returns what the pages got in the step. The error says that
// the log does not hold together.
func (r *Reader) Add(e record.Event) (*Got, error) {
	switch b := e.Body.(type) {
	case *record.ToolCall:
		if e.By == record.ByAdapter {
			r.last, r.heard = adapter.Step{Call: b.Call}, false
		}
	case *record.ToolResult:
		if e.By == record.ByAdapter {
			r.last.Result = b.Result
		}
	case *record.Trace:
		if r.heard {
			return nil, fmt.Errorf("second trace of step %d", b.Step)
		}
		r.heard = true
		t, err := r.controls.Unpack(b)
		if err != nil {
			return nil, err
		}
		got := read(&t)
		got.Parts = judge(step{r.Server, r.last, &r.refs, t})
		r.refs.learn(r.Server, r.last.Result.Text())
		return got, nil
	}
	return nil, nil
}

// Got is what the pages got in a step, for people to read.
type Got struct {
	Parts   []record.Part // a word for each thing that the call asked for; of a call that asked for nothing, none
	Missing string        // why nothing is known
	Events  []Event
	Changed []record.Field
	Lost    []string // what may be missing
}

// Event is an event that a page got, or several that are alike.
type Event struct {
	Kind     string // as in [record.Heard]
	IsScript bool   // a script made it
	Times    int    // how many were alike
	record.Where
	*record.Element
	Text string
	Sent []record.Field // the fields of the page at the moment of a navigation
}

// maxJoined is how many characters the text of joined events has.
const maxJoined = 100

// only are the kinds of trusted events that only input makes.
var only = []string{"pointer", "click", "key", "drag", "drop"}

// read joins events that are alike and follow each other, such as the keys that went to one
// field. What only the rule of words needs is left out.
func read(t *record.Trace) *Got {
	got := &Got{Missing: t.Missing, Changed: t.Changed, Lost: t.Lost}
	placed := map[int]bool{}
	for _, h := range t.Events {
		if h.Kind == "over" {
			continue
		}
		e := Event{Kind: h.Kind, Times: 1, Where: h.Where, Text: h.Text}
		e.IsScript = h.Scripted || !h.Trusted && slices.Contains(only, h.Kind)
		if h.Control != nil {
			e.Element = element(h.Control)
			if placed[e.ID] { // one mention of its place is enough
				e.Place = ""
			}
		}
		if h.Kind == "key" {
			e.Text = key(h.Text)
		}
		if last := before(got.Events, &e); last != nil {
			last.Times++
			last.Element = e.Element // its value is newer
			if e.Kind == "key" && len(last.Text) < maxJoined {
				last.Text += e.Text
			}
			continue
		}
		for _, c := range h.Fields {
			c.Place = ""
			e.Sent = append(e.Sent, record.Field{Where: c.Where, Element: c.Element})
		}
		if e.Element != nil {
			placed[e.ID] = true
		}
		got.Events = append(got.Events, e)
	}
	return got
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
func before(joined []Event, h *Event) *Event {
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

func alike(a, b *Event) bool {
	if a.Kind != b.Kind || a.IsScript != b.IsScript || a.Where != b.Where || (a.Element == nil) != (b.Element == nil) {
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
