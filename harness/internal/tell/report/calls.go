package report

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/normal"
	"github.com/openchrome/bench/harness/internal/tell/word"
	"github.com/openchrome/bench/harness/internal/text/display"
	"github.com/openchrome/bench/harness/internal/text/tokens"
)

// Call is one tool call of an episode's adapter, and what came back.
type Call struct {
	Step       int     `json:"step"` // 0: the navigation to the start URL
	Tool       string  `json:"tool"`
	DurationMs float64 `json:"durationMs"`
	Error      bool    `json:"error,omitempty"`   // the answer is an error, or the call was cancelled at the time cap
	Failure    string  `json:"failure,omitempty"` // why there is no answer
	Hint       string  `json:"hint,omitempty"`    // the rule of OpenChrome's hint
	Partial    string  `json:"partial,omitempty"` // how the answer, which is no error, says what failed or is left out
	ArgTokens  int     `json:"argTokens"`         // o200k_base
	// AnswerTokens counts the text of the answer and of its hint, also with o200k_base.
	AnswerTokens int `json:"answerTokens"`
	// Digest is of the normalised answer, 12 hexadecimal digits. Equal answers have
	// equal digests in every run of the same Report.Normaliser. It is empty without an answer.
	Digest string `json:"digest,omitempty"`

	// Args and Answer are the texts, normalised and cut at a million characters. HintText
	// is the hint. Only a report that was folded from a log has them, and it keeps at
	// most 64 MiB of them: then Omitted is true for the calls that came later.
	Args, Answer, HintText string `json:"-"`
	Omitted                bool   `json:"-"`
	// Parts say what the pages got of what the call asked for. Trace is all that is known of it, if
	// the episode did not pass. Requests are the requests of the pages in
	// this step. Both are only from a log.
	Parts    []record.Part    `json:"parts,omitempty"`
	Trace    *word.Got        `json:"-"`
	Requests []record.Request `json:"-"`
}

// Untrue reports whether the answer is a false success or leaves a side effect unreported. Known reports whether
// that is known of any part of the call.
func (c *Call) Untrue() bool { return c.Has(record.FalseSuccess) || c.Has(record.UnreportedSide) }

// Has reports whether a part of the call makes the answer this, see [record.Part.Untruth]. An answer can be both.
func (c *Call) Has(untruth string) bool {
	return slices.ContainsFunc(c.Parts, func(p record.Part) bool { return p.Untruth() == untruth })
}

// Known is explained at [Call.Untrue].
func (c *Call) Known() bool {
	return slices.ContainsFunc(c.Parts, func(p record.Part) bool { return p.Word != record.NotKnown })
}

// Cancelled reports whether the call was cancelled at the time cap.
func (c *Call) Cancelled() bool { return c.Error && c.Failure != "" }

const (
	maxCallText  = 1 << 20
	maxCallTexts = 64 << 20
	maxPartial   = 500 // characters
)

// texts keeps each text once, and counts its tokens once: most repetitions of a task give
// the same answers.
type texts struct {
	kept  map[string]string
	size  int
	sizes map[[sha256.Size]byte]tokens.Size
}

// keep returns text cut to what is kept; ok is false if there is no more room.
func (t *texts) keep(text string) (kept string, ok bool) {
	text = display.Cut(text, maxCallText)
	if kept, ok = t.kept[text]; ok {
		return kept, true
	}
	if t.size += len(text); t.size > maxCallTexts {
		return "", false
	}
	if t.kept == nil {
		t.kept = map[string]string{}
	}
	text = strings.Clone(text) // not a part of a larger one
	t.kept[text] = text
	return text, true
}

// maxCounted is how many texts remember their number of tokens.
const maxCounted = 100_000

// count measures text. Texts with the same key are counted once.
func (t *texts) count(key, text string) tokens.Size {
	sum := sha256.Sum256([]byte(key)) // the texts themselves are not kept
	n, ok := t.sizes[sum]
	if !ok {
		n = tokens.SizeOf(normal.SameTab(text))
		if t.sizes == nil || len(t.sizes) >= maxCounted {
			t.sizes = map[[sha256.Size]byte]tokens.Size{}
		}
		t.sizes[sum] = n
	}
	return n
}

// called adds a call that was sent.
func (ep *episode) called(b *record.ToolCall) {
	args := ep.normal.Args(b.Args)
	ep.result.ToolCalls++
	ep.result.LastToolCall = &adapter.Call{Tool: b.Tool, Args: json.RawMessage(args)}
	ep.sent = ep.texts.count(args, string(b.Args))
	c := Call{Step: b.Step, Tool: b.Tool, ArgTokens: ep.sent.O200k}
	var ok bool
	c.Args, ok = ep.texts.keep(args)
	c.Omitted = !ok
	ep.result.Calls = append(ep.result.Calls, c)
}

// heard adds what the pages got to the last call.
func (ep *episode) heard(got *word.Got) {
	if n := len(ep.result.Calls); n > 0 {
		c := &ep.result.Calls[n-1]
		c.Trace, c.Parts = got, got.Parts
		for i, p := range c.Parts {
			if p.Hit != nil { // equal episodes share their calls, and a box can differ by a pixel
				hit := *p.Hit
				hit.ID, hit.Box, c.Parts[i].Hit = 0, nil, &hit
			}
		}
	}
}

// asked adds the requests of the fixture web to their calls.
func (ep *episode) asked(all []record.Request) {
	for _, q := range all {
		q.Body, _ = ep.texts.keep(q.Body)
		if i := slices.IndexFunc(ep.result.Calls, func(c Call) bool { return c.Step == q.Step }); i >= 0 {
			ep.result.Calls[i].Requests = append(ep.result.Calls[i].Requests, q)
		}
	}
}

// finish adds the answer to the last call.
func (ep *episode) finish(b *record.ToolResult, a normal.Answer) {
	if len(ep.result.Calls) == 0 {
		return
	}
	c := &ep.result.Calls[len(ep.result.Calls)-1]
	c.DurationMs, c.Error, c.Failure = b.DurationMs, b.IsError(), ep.normal.Text(b.Failure)
	if b.Failure != "" {
		return
	}
	sum := sha256.Sum256(normal.Encode(a))
	c.Digest = hex.EncodeToString(sum[:6])
	text := strings.Join(a.Texts, "\n")
	if !c.Error {
		c.Partial, _ = ep.texts.keep(display.Cut(word.Partial(ep.words.Server, *ep.result.LastToolCall, text), maxPartial))
	}
	size := ep.texts.count(ep.normal.Whole, b.Text())
	var ok bool
	if c.Answer, ok = ep.texts.keep(text); !ok {
		c.Omitted = true
	}
	if h := b.Hint; h != nil {
		c.Hint = h.Rule
		size = size.Plus(ep.texts.count(h.Text, h.Text)) // an agent reads it too
		c.HintText, _ = ep.texts.keep(h.Text)
	}
	if c.AnswerTokens = size.O200k; ep.result.InputTokens != nil {
		name := ep.texts.count(b.Tool, b.Tool)
		ep.result.InputTokens.Call(b.Step, name.Plus(ep.sent), size, len(b.Others()))
	}
}
