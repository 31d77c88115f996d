package word

import (
	"fmt"
	"slices"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/read/server"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// Rules is the number of the rules of words. Two runs are compared by the words of the same rules only.
const Rules = 3

// Reader makes words of the calls of an episode, from the events of its log in their order.
type Reader struct {
	Server *server.Server // whose calls they are

	last     adapter.Step // the last call, and its answer
	heard    bool         // its trace was read
	controls record.Controls
	refs     refs
	list     *record.Control // the list that was pressed last; nil: something else was since
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
		got := &Got{Missing: t.Missing, Changed: t.Changed, Lost: t.Lost, Survey: t.Before, Parts: judge(r, t)}
		if b.Step == 0 {
			got.Survey = t.After
		}
		for _, e := range t.Events {
			if slices.Contains(only, e.Kind) || e.Kind == "change" || e.Kind == "navigate" {
				r.list = nil
			}
			if c := e.Control; c != nil && c.Tag == "select" && (e.Kind == "pointer" || e.Kind == "click") {
				r.list = c
			}
		}
		got.hear(t.Events)
		r.refs.learn(r.Server, r.last.Result.Text())
		return got, nil
	}
	return nil, nil
}

// Got is what the pages got in a step, for people to read.
type Got struct {
	Parts   []record.Part // a word for each thing that the call asked for; of a call that asked for nothing, none
	Missing string        // why nothing is known
	Heard   []string      // the events that the pages got
	Fault   string        // the last error that a page reported, in quotes
	Changed []record.Field
	Lost    []string      // what may be missing
	Survey  record.Survey // the controls that the call could name; at the start, those that it led to
}

// line is an event that a page got, or several that are alike.
type line struct {
	record.Heard
	isScript bool // a script made it
	times    int
}

// maxJoined is how many characters the text of joined events has.
const maxJoined = 100

// only are the kinds of trusted events that only input makes.
var only = []string{"pointer", "click", "key", "drag", "drop"}

// hear puts events into words. Those that are alike and follow each other, such as the keys that went
// to one field, are one line. What only the rule of words needs is left out.
func (got *Got) hear(events []record.Heard) {
	var list []*line
	placed := map[int]bool{}
	for _, h := range events {
		if h.Kind == "over" {
			continue
		}
		e := &line{Heard: h, times: 1, isScript: h.Scripted || !h.Trusted && slices.Contains(only, h.Kind)}
		if h.Control != nil {
			e.Control = new(*h.Control)
			if placed[e.Control.ID] { // one mention of its place is enough
				e.Control.Place = ""
			}
			placed[e.Control.ID] = true
		}
		switch {
		case h.Kind == "error":
			got.Fault = display.QuoteTo(h.Text, maxNamed)
		case h.Kind == "key" && len([]rune(h.Text)) > 1: // nobody takes its name for typed text
			e.Text = "<" + h.Text + ">"
		}
		last := continued(list, e)
		if last == nil {
			list = append(list, e)
			continue
		}
		last.times++
		last.Control = e.Control // its state is newer
		if e.Kind == "key" && len(last.Text) < maxJoined {
			last.Text += e.Text
		}
	}
	for _, e := range list {
		got.Heard = append(got.Heard, e.String())
	}
}

// continued returns the line that h continues: the last one, or the one before if a key and the input
// that it made alternate. It is nil if there is none.
func continued(list []*line, h *line) *line {
	isTyping := func(l *line) bool { return l.Kind == "key" || l.Kind == "input" }
	for _, l := range slices.Backward(list[max(0, len(list)-2):]) {
		switch {
		case !l.sameElement(h):
			return nil
		case l.Kind == h.Kind:
			isLike := l.Kind == "error" && l.Text == h.Text || slices.Contains(joined, l.Kind)
			if !isLike || l.isScript != h.isScript || l.Where != h.Where {
				return nil
			}
			return l
		case !isTyping(l) || !isTyping(h):
			return nil
		}
	}
	return nil
}

// joined are the kinds of events that often come one after the other.
var joined = []string{"key", "input", "change", "invalid", "scroll"}

func (l *line) sameElement(h *line) bool {
	return l.Control == h.Control || l.Control != nil && h.Control != nil && l.Control.ID == h.Control.ID
}

func (l *line) String() string {
	text := l.Kind
	if l.isScript {
		text += " by a script"
	}
	if l.times > 1 {
		text += fmt.Sprintf(", %d times", l.times)
	}
	if c := l.Control; c != nil {
		text += fmt.Sprintf(": %s %s", c.Role, display.QuoteTo(c.Name, 60))
		if c.Disabled {
			text += ", disabled"
		}
		if c.Place != "" {
			text += " in " + display.QuoteTo(c.Place, 40)
		}
	}
	if l.Text != "" {
		text += ": " + l.Text
	}
	return text
}
