package report

import (
	"cmp"
	"fmt"
	"math"

	"github.com/openchrome/bench/harness/internal/text/tokens"
)

// The prices of a prompt cache: what a text costs that is new, and that was read in the turn before.
const (
	cacheWrite = 1.25
	cacheRead  = 0.1
)

// InputTokens is what a model would have to read in an episode. Each call is a turn, and so is the end. In
// each turn the model reads the list of tools and all calls and answers so far. Not counted are the
// system prompt, the model's own words, images, and what a client sends again.
type InputTokens struct {
	Calls   int         `json:"calls"`   // of the adapter, without step 0
	Tools   tokens.Size `json:"tools"`   // the list of tools, read once
	Read    tokens.Size `json:"read"`    // all, without a prompt cache
	Listed  tokens.Size `json:"listed"`  // of Read: the list of tools
	Cached  tokens.Size `json:"cached"`  // Read with a prompt cache: new texts cost 1.25, others 0.1
	Largest tokens.Size `json:"largest"` // answer
	Images  int         `json:"images"`  // in answers

	history tokens.Size // all calls and answers so far
}

// NewInputTokens begins the count of an episode on a server with these tools.
func NewInputTokens(tools tokens.Size) *InputTokens { return &InputTokens{Tools: tools} }

// Call adds a call with its answer. The one of step 0 opens the start page; no turn makes it.
func (b *InputTokens) Call(step int, sent, answer tokens.Size, images int) {
	if step > 0 {
		b.Calls++
	}
	b.Images += images
	b.Largest = b.Largest.Max(answer)
	b.history = b.history.Plus(sent).Plus(answer)
	all := b.Tools.Plus(b.history) // each text in it is new in one turn
	b.Listed = b.Listed.Plus(b.Tools)
	b.Read = b.Read.Plus(all)
	b.Cached = tokens.Size{Bytes: cached(all.Bytes, b.Read.Bytes), O200k: cached(all.O200k, b.Read.O200k)}
}

// cached is what was read with a prompt cache, of which so much was new.
func cached(fresh, read int) int {
	return int(math.Round(cacheWrite*float64(fresh) + cacheRead*float64(read-fresh)))
}

// Plus adds two counts; nil is none.
func (b *InputTokens) Plus(c *InputTokens) *InputTokens {
	if b == nil || c == nil {
		return cmp.Or(b, c)
	}
	sum := *b
	sum.Calls += c.Calls
	sum.Listed, sum.Read, sum.Cached = b.Listed.Plus(c.Listed), b.Read.Plus(c.Read), b.Cached.Plus(c.Cached)
	sum.Largest = b.Largest.Max(c.Largest)
	sum.Images += c.Images
	return &sum
}

// String writes the count in a line, with o200k_base.
func (b InputTokens) String() string {
	listed := 0.0
	if b.Read.O200k > 0 {
		listed = 100 * float64(b.Listed.O200k) / float64(b.Read.O200k)
	}
	return fmt.Sprintf("%d calls, read %s (tool list %.0f %%), cached %s, largest answer %s",
		b.Calls, Thousands(b.Read.O200k), listed, Thousands(b.Cached.O200k), Thousands(b.Largest.O200k))
}

// Thousands writes a number of tokens in thousands, or millions.
func Thousands(n int) string {
	switch {
	case n < 1000:
		return fmt.Sprint(n)
	case n >= 1e6:
		return fmt.Sprintf("%.1f M", float64(n)/1e6)
	}
	return fmt.Sprintf("%.1f k", float64(n)/1000)
}
