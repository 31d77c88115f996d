package record

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
	Denied bool `json:"denied,omitempty"` // the server dismissed the page's question whether to do it
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
	Refused      Word = "refused"         // the answer says that it failed, and the page got nothing
	ErrorButDone Word = "error, but done" // the answer is an error, and the page got it
	NotKnown     Word = "not known"       // the trace cannot say
)
