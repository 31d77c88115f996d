package event

import (
	"encoding/json"
	"strings"
)

// Call is one tool call: a tool's name and its arguments, a JSON object. Nil
// arguments stand for an empty object.
type Call struct {
	Tool string          `json:"tool"`
	Args json.RawMessage `json:"args,omitempty"`
}

// Result is a tool's answer. Exactly one of Raw and RPCError is set; the zero
// value is a call without an answer.
type Result struct {
	Raw      json.RawMessage `json:"result,omitempty"` // the result object as it came
	RPCError *RPCError       `json:"rpcError,omitempty"`
	Hint     *Hint           `json:"hint,omitempty"` // OpenChrome's hint, parsed out of Raw

	parsed *content // of Raw, when NewResult made the result
}

// RPCError is a JSON-RPC error answer, such as that to an unknown tool.
type RPCError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// Hint is what OpenChrome's hint engine added to a result (its _hint and
// _hintMeta fields). Count is the rule's fireCount.
type Hint struct {
	Text     string `json:"text"`
	Rule     string `json:"rule,omitempty"`
	Severity string `json:"severity,omitempty"`
	Count    int    `json:"count,omitempty"`
}

// content is the part of an MCP tool result that is read here.
type content struct {
	Content []struct {
		Type string `json:"type"`
		Text string `json:"text"`
		Data string `json:"data"`
	} `json:"content"`
	IsError  bool   `json:"isError"`
	HintText string `json:"_hint"`
	HintMeta struct {
		Rule      string `json:"rule"`
		Severity  string `json:"severity"`
		FireCount int    `json:"fireCount"`
	} `json:"_hintMeta"`
}

// parse reads Raw; of a result that is none it returns an empty content.
func (r Result) parse() *content {
	if r.parsed != nil {
		return r.parsed
	}
	c := new(content)
	if r.Raw != nil && json.Unmarshal(r.Raw, c) != nil {
		return new(content)
	}
	return c
}

// NewResult wraps a result object as it came and parses the hint out of it.
func NewResult(raw json.RawMessage) Result {
	r := Result{Raw: raw}
	r.parsed = r.parse()
	if c := r.parsed; c.HintText != "" {
		r.Hint = &Hint{c.HintText, c.HintMeta.Rule, c.HintMeta.Severity, c.HintMeta.FireCount}
	}
	return r
}

// IsError reports whether the answer is an error: isError in the result, or a
// JSON-RPC error.
func (r Result) IsError() bool {
	if r.RPCError != nil {
		return true
	}
	return r.parse().IsError
}

// Texts returns the text items of the result without the one that repeats the
// hint; of a JSON-RPC error its message.
func (r Result) Texts() []string {
	if r.RPCError != nil {
		return []string{r.RPCError.Message}
	}
	c := r.parse()
	var texts []string
	for _, item := range c.Content {
		if item.Type != "text" || c.HintText != "" && strings.TrimPrefix(item.Text, "\n") == c.HintText {
			continue
		}
		texts = append(texts, item.Text)
	}
	return texts
}

// Images returns the data of the image items, base64 as it came.
func (r Result) Images() []string {
	var images []string
	for _, item := range r.parse().Content {
		if item.Type == "image" {
			images = append(images, item.Data)
		}
	}
	return images
}

// Text returns [Result.Texts] joined by newlines.
func (r Result) Text() string { return strings.Join(r.Texts(), "\n") }

// JSON decodes the first text item that is a JSON object into v and reports
// whether there was one. OpenChrome may put a warning before it and a hint
// behind it, so its place says nothing.
func (r Result) JSON(v any) bool {
	for _, text := range r.Texts() {
		if t := strings.TrimSpace(text); strings.HasPrefix(t, "{") && json.Unmarshal([]byte(t), v) == nil {
			return true
		}
	}
	return false
}
