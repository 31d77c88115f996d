package report

import (
	"fmt"
	"slices"

	"github.com/openchrome/bench/harness/internal/record"
)

// Private reports whether the tasks' values were drawn with a private key.
func (r *Report) Private() bool { return r.SeedKey != "" }

// withheld stands for a text that can hold a drawn value.
const withheld = "left out: it can hold privately drawn values"

// DescribeDraw says in words which values the tasks had.
func DescribeDraw(r *Report) string {
	draw := fmt.Sprintf("draw %d", r.Seed)
	if r.Private() {
		draw += " with the private key " + r.SeedKey
	}
	return draw
}

// privateNote is the note of a report of a private draw.
const privateNote = "drawn with a private key, do not publish; goals, contracts, addresses, arguments, answers, reasons and numbers of tokens are only in the event log"

// withhold removes every text that can hold a drawn value, and the numbers of tokens, which
// differ from draw to draw. Outcomes, other counts, times and digests stay.
func (r *Report) withhold() {
	for i := range r.Tasks {
		t := &r.Tasks[i]
		t.StartURL, t.Goal, t.Contract = "", "", nil
	}
	for i, e := range r.Episodes.All() {
		e.withhold()
		r.Episodes.Set(i, e)
	}
}

func (e *Episode) withhold() {
	hide := func(text *string) {
		if *text != "" {
			*text = withheld
		}
	}
	hide(&e.Reason)
	e.Unsupported = ""
	for _, text := range []*string{&e.ServerEnded, &e.ServerFacts, &e.PageMissing} {
		hide(text)
	}
	if e.AgentSaid != nil {
		said := *e.AgentSaid
		for _, text := range []*string{&said.Answer, &said.Error, &said.Outage} {
			hide(text)
		}
		said.Log, e.AgentSaid = "", &said
	}
	e.Harm = slices.Clone(e.Harm)
	for i := range e.Harm {
		hide(&e.Harm[i])
	}
	e.FinalURL, e.LastToolCall, e.Page, e.Ended, e.Missed = "", nil, "", "", nil
	e.Bill = nil
	e.FailedContract, e.Explanation, e.Tree, e.Evidence = nil, nil, nil, nil
	e.Attempts, e.Drifts = slices.Clone(e.Attempts), slices.Clone(e.Drifts) // equal episodes share them
	for i := range e.Attempts {
		hide(&e.Attempts[i].Reason)
		e.Attempts[i].Page = ""
	}
	for i := range e.Drifts {
		hide(&e.Drifts[i].Expected)
		hide(&e.Drifts[i].Actual)
	}
	for i := range e.Calls {
		c := &e.Calls[i]
		for _, text := range []*string{&c.Failure, &c.Args, &c.Answer, &c.HintText} {
			hide(text)
		}
		c.ArgTokens, c.AnswerTokens, c.Requests, c.Trace = 0, 0, nil, nil
		c.Parts = slices.Clone(c.Parts)
		for j, p := range c.Parts {
			c.Parts[j] = record.Part{Word: p.Word, Untrue: p.Untrue}
		}
	}
}
