package contract

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// Facts is what was read off the page, in the form of OpenChrome's
// evidence.snapshot. It comes back from JSON as it went in, so that a logged
// judgement can be made again. Strings are WTF-8 (see [Details]).
type Facts struct {
	// URL is the page's address. nil counts as the empty string.
	URL *string `json:"url,omitempty"`
	// DOMText is the text of the page or of selectors. nil: no text was read,
	// and no dom_text assertion holds.
	DOMText *Text `json:"dom_text,omitempty"`
	// DOMCount maps a selector to the number of elements that match it. A
	// selector that is missing counts 0.
	DOMCount map[string]float64 `json:"dom_count,omitempty"`
	// Network lists the requests in their order.
	Network []Request `json:"network,omitempty"`
	// HasOpenDialog says whether a JavaScript dialog is open.
	HasOpenDialog bool `json:"has_open_dialog,omitempty"`
	// ScreenshotPNG is a PNG in base64. "": there is no screenshot.
	ScreenshotPNG string `json:"screenshot_png_base64,omitempty"`
	// ContractFacts is the array of performance and console facts, as
	// OpenChrome's tools return it. It is judged strictly, as it is.
	ContractFacts json.RawMessage `json:"contract_facts,omitempty"`
	// LastToolCall is no part of OpenChrome's snapshot, whose network entries
	// serve every since. It is when the last tool call was made, in
	// milliseconds like [Request.TS]: network assertions since last_tool_call
	// pass over earlier entries. 0: all entries count, as in OpenChrome.
	LastToolCall float64 `json:"last_tool_call,omitempty"`
	// Unavailable is no part of OpenChrome's snapshot. It maps the name of a
	// fact that could not be read to the reason, such as the browser's message
	// for an invalid selector: an assertion that needs the fact is inconclusive
	// with that reason. A name is one of the Fact constants, or TextFact or
	// CountFact of one selector.
	Unavailable map[string]string `json:"unavailable,omitempty"`
}

// Names of facts for [Facts.Unavailable]. FactText and FactCount stand for
// all selectors.
const (
	FactURL         = "url"
	FactText        = "dom_text"
	FactCount       = "dom_count"
	FactNetwork     = "network"
	FactDialog      = "dialog"
	FactScreenshot  = "screenshot"
	FactPerformance = "performance"
	FactConsole     = "console"
	FactImageQA     = "image_qa"
)

// TextFact is the name of the text of one selector.
func TextFact(selector string) string { return FactText + " " + selector }

// CountFact is the name of the count of one selector.
func CountFact(selector string) string { return FactCount + " " + selector }

// Text is dom_text: one text that serves every selector and assertions
// without one, or a text for each named selector, which serves those only.
type Text struct {
	// All is the text when Of is nil.
	All string
	// Of maps a selector to its text; a nil text means that nothing matches.
	Of map[string]*string
}

// get returns the text for the selector; nil means none was given.
func (t *Text) get(selector *string) *string {
	switch {
	case t == nil:
		return nil
	case t.Of == nil:
		return &t.All
	case selector == nil:
		return nil
	}
	return t.Of[*selector]
}

// Request is one entry of the network facts. Status is the HTTP status; 0, or
// anything else that is no status, matches no assertion. TS is in
// milliseconds; the order of entries counts, and TS only beside
// [Facts.LastToolCall].
type Request struct {
	URL    string  `json:"url"`
	Status float64 `json:"status"`
	TS     float64 `json:"ts"`
}

// MarshalJSON writes OpenChrome's snapshot, keys sorted within its maps.
func (f Facts) MarshalJSON() ([]byte, error) {
	o := Details{}
	if f.URL != nil {
		o = append(o, Detail{"url", *f.URL})
	}
	if f.DOMText != nil {
		o = append(o, Detail{"dom_text", f.DOMText.value()})
	}
	if f.DOMCount != nil {
		counts := Details{}
		for _, selector := range slices.Sorted(maps.Keys(f.DOMCount)) {
			counts = append(counts, Detail{selector, f.DOMCount[selector]})
		}
		o = append(o, Detail{"dom_count", counts})
	}
	if f.Network != nil {
		list := make([]any, len(f.Network))
		for i, r := range f.Network {
			list[i] = Details{{"url", r.URL}, {"status", r.Status}, {"ts", r.TS}}
		}
		o = append(o, Detail{"network", list})
	}
	if f.HasOpenDialog {
		o = append(o, Detail{"has_open_dialog", true})
	}
	if f.ScreenshotPNG != "" {
		o = append(o, Detail{"screenshot_png_base64", f.ScreenshotPNG})
	}
	if f.ContractFacts != nil {
		v, err := decodeJSON(f.ContractFacts)
		if err != nil {
			return nil, fmt.Errorf("facts: contract_facts: %w", err)
		}
		o = append(o, Detail{"contract_facts", v})
	}
	if f.LastToolCall != 0 {
		o = append(o, Detail{"last_tool_call", f.LastToolCall})
	}
	if len(f.Unavailable) > 0 {
		reasons := Details{}
		for _, name := range slices.Sorted(maps.Keys(f.Unavailable)) {
			reasons = append(reasons, Detail{name, f.Unavailable[name]})
		}
		o = append(o, Detail{"unavailable", reasons})
	}
	return appendJSON(nil, o), nil
}

func (t *Text) value() any {
	if t.Of == nil {
		return t.All
	}
	o := Details{}
	for _, selector := range slices.Sorted(maps.Keys(t.Of)) {
		var text any
		if s := t.Of[selector]; s != nil {
			text = *s
		}
		o = append(o, Detail{selector, text})
	}
	return o
}

// MarshalJSON writes a string or an object.
func (t Text) MarshalJSON() ([]byte, error) { return appendJSON(nil, t.value()), nil }
