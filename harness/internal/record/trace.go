package record

// Trace is what the pages got in a step: the events that the observer heard, and the fields that
// changed. It follows the answer of each call and has the same seq. It is in no digest of
// events, and never affects a status. It has at most 16 KiB; trace.json has all of it.
type Trace struct {
	Step int `json:"step"`
	// Missing says why nothing is known: no observer, or the page did not answer. Then Events is
	// not complete, and what it lacks may have happened.
	Missing string  `json:"missing,omitempty"`
	Events  []Heard `json:"events,omitempty"` // in order; alike events are joined
	// Changed are the fields that hold another value than after the step before, and fields that
	// are new and not empty.
	Changed []Field `json:"changed,omitempty"`
	// Left counts the events and fields that this line has no room for.
	Left int `json:"left,omitempty"`
	// Lost says what the observer may have missed: a tab where it listened only late, too many
	// events, fields that it had no time to read.
	Lost []string `json:"lost,omitempty"`
	// Parts are the things that the call asked for, with a word for each. A call that asked for
	// nothing on a page has none.
	Parts []Part `json:"parts,omitempty"`
	// Untrue says that the answer is a false success or leaves a side effect unreported: it is no error,
	// and it does not name what was hit, opened or closed.
	Untrue bool `json:"untrue,omitempty"`
}

// Heard is an event that a page got, or several that are alike.
type Heard struct {
	// Kind is pointer, click, key, input, change, submit, invalid, drag, drop, scroll, navigate,
	// dialog, closed (of a dialog), error (of the console), tab (it was opened) or tab closed.
	Kind string `json:"kind"`
	// Real says that the browser made the event from input or by itself. A script made the others.
	Real  bool `json:"real,omitempty"`
	Times int  `json:"times,omitempty"` // how many were alike; absent: one
	Where
	*Element
	// Text is the key, the URL of a navigation, or the message of a dialog or of an error.
	Text string `json:"text,omitempty"`
	// Sent are the fields of the page at the moment of a navigation.
	Sent []Field `json:"sent,omitempty"`
}

// Where says in which tab and frame something is.
type Where struct {
	Tab   int    `json:"tab,omitempty"`   // in the order in which they were opened, from 2; absent: the first
	Frame string `json:"frame,omitempty"` // the address of the frame's document; absent: the page itself
}

// Element is an element of a page, as a person names it. All texts come from the page.
type Element struct {
	ID       int    `json:"id,omitempty"` // the same element has the same number, as long as its document lives
	Role     string `json:"role,omitempty"`
	Name     string `json:"name,omitempty"`
	Value    string `json:"value,omitempty"` // of a field; "on" or "off" for one that is checked or not
	Place    string `json:"place,omitempty"` // what it stands in: a row, a list, a form, by its first words
	Field    string `json:"field,omitempty"` // the name under which a form sends it
	Box      []int  `json:"box,omitempty"`   // x, y, width, height in the window; only at pointer events
	Disabled bool   `json:"disabled,omitempty"`
}

// Field is a field of a page that holds another value than before.
type Field struct {
	Where
	Element
	Was string `json:"was,omitempty"` // its value before; absent: it was empty, or there was no such field
}

// Part is one thing that a call asked for, and what the page got.
type Part struct {
	Asked string `json:"asked"`           // the words of the call that name the target: a query, a field, a point
	Value string `json:"value,omitempty"` // the value that the call asked for
	Word  Word   `json:"word"`
	Did   string `json:"did,omitempty"` // in words: what was hit, or why nothing is known
	// Hit is the element that got it; nil: none did, or it is not known.
	Hit *Element `json:"hit,omitempty"`
	// Untrue says that this part makes the answer untrue, see [Part.Untruth].
	Untrue bool `json:"untrue,omitempty"`
}

// What an answer can be that is untrue.
const (
	FalseSuccess   = "false success"          // it says that something was done, and the page got something else
	UnreportedSide = "unreported side effect" // it leaves out a dialog, a tab or a field
)

// Untruth says what the part makes of the answer: [FalseSuccess] or [UnreportedSide]; empty if it is true.
func (p *Part) Untruth() string {
	switch {
	case !p.Untrue:
		return ""
	case p.Word == More:
		return UnreportedSide
	}
	return FalseSuccess
}

// Word says how what the page got differs from what a call asked for.
type Word string

// The words.
const (
	AsAsked      Word = "as asked"        // the named element got it, or the field holds the value
	Nothing      Word = "nothing"         // no event reached it
	OtherElement Word = "other element"   // another element got it
	OtherValue   Word = "other value"     // the field holds another value
	OneOfSeveral Word = "one of several"  // several controls have this name, and one was taken
	OtherName    Word = "other name"      // no control has the name; the one taken lacks words of it
	More         Word = "more"            // a dialog was closed, a tab opened, or another field changed
	NoEffect     Word = "no effect"       // the named element got it, and nothing changed
	Refused      Word = "refused"         // the answer is an error, and the page got nothing
	ErrorButDone Word = "error, but done" // the answer is an error, and the page got it
	NotKnown     Word = "not known"       // the trace cannot say
)

// Type implements [Body].
func (*Trace) Type() Type { return TypeTrace }
