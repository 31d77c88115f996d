package adapter

import (
	"bytes"
	"encoding/json"
	"strings"
)

// FilesDir is the name of the folder that holds the files of a task, which a server can
// upload. Reports leave out the folder's place.
const FilesDir = "task-files"

// Call is one tool call: a tool's name and its arguments, a JSON object. Nil
// arguments stand for an empty object.
type Call struct {
	Tool string          `json:"tool"`
	Args json.RawMessage `json:"args,omitempty"`
}

// Tool is a tool as a server's tools/list shows it.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	InputSchema json.RawMessage `json:"inputSchema,omitempty"`
	// Raw is the tool as the server wrote it, with the fields that are not here.
	Raw json.RawMessage `json:"-"`
}

// Result is a tool's answer. Exactly one of Raw and RPCError is set; the zero
// value is a call without an answer.
type Result struct {
	Raw      json.RawMessage `json:"result,omitempty"` // the result object, unchanged
	RPCError *RPCError       `json:"rpcError,omitempty"`
	Hint     *Hint           `json:"hint,omitempty"` // OpenChrome's hint, parsed out of Raw

	parsed *content // the content of Raw, if NewResult made the result
}

// RPCError is a JSON-RPC error answer, such as the one to an unknown tool.
type RPCError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// Hint is the part of a result that OpenChrome's hint engine added (its _hint and _hintMeta
// fields). Count is the rule's fireCount.
type Hint struct {
	Text     string `json:"text"`
	Rule     string `json:"rule,omitempty"`
	Severity string `json:"severity,omitempty"`
	Count    int    `json:"count,omitempty"`
}

// content is the part of an MCP tool result that this package reads.
type content struct {
	items   []item
	isError bool
	hint    *Hint
	valid   bool // it is a valid MCP tool result
}

type item struct {
	Type string          `json:"type"`
	Text string          `json:"text"`
	Data string          `json:"data"`
	raw  json.RawMessage // nil for a text
}

// MaxItems is how many items of a result's content are read. An answer of allowed size can
// hold millions of items, and each takes fifty times its size in memory.
const MaxItems = 10_000

// readContent reads a result object field by field, so that a malformed field, for example
// of the hint engine, does not hide the others.
func readContent(raw json.RawMessage) *content {
	c := new(content)
	var fields struct {
		Content  json.RawMessage `json:"content"`
		IsError  json.RawMessage `json:"isError"`
		HintText json.RawMessage `json:"_hint"`
		HintMeta json.RawMessage `json:"_hintMeta"`
	}
	if json.Unmarshal(raw, &fields) != nil {
		return c
	}
	list := json.NewDecoder(bytes.NewReader(fields.Content))
	if open, err := list.Token(); err != nil || open != json.Delim('[') {
		return c
	}
	c.valid = fields.IsError == nil || json.Unmarshal(fields.IsError, &c.isError) == nil
	for list.More() {
		if len(c.items) == MaxItems {
			c.valid = false
			break
		}
		var i item
		if err := list.Decode(&i.raw); err != nil {
			c.valid = false
			break
		}
		c.valid = json.Unmarshal(i.raw, &i) == nil && c.valid
		if i.Type == "text" {
			i.raw = nil // Raw has it, too
		}
		c.items = append(c.items, i)
	}
	var text string
	if json.Unmarshal(fields.HintText, &text) == nil && text != "" {
		var meta struct {
			Rule      string  `json:"rule"`
			Severity  string  `json:"severity"`
			FireCount float64 `json:"fireCount"`
		}
		json.Unmarshal(fields.HintMeta, &meta)
		c.hint = &Hint{text, meta.Rule, meta.Severity, int(meta.FireCount)}
	}
	return c
}

// parse reads the parts of Raw that form a tool result.
func (r Result) parse() *content {
	if r.parsed != nil {
		return r.parsed
	}
	return readContent(r.Raw)
}

// Parse parses Raw, so that no method has to do it again. [NewResult] has done it.
func (r *Result) Parse() { r.parsed = readContent(r.Raw) }

// NewResult wraps a raw result object and parses its hint.
func NewResult(raw json.RawMessage) Result {
	parsed := readContent(raw)
	return Result{Raw: raw, Hint: parsed.hint, parsed: parsed}
}

// Valid reports whether the result follows MCP: content is a list of at most [MaxItems]
// objects, and isError is a boolean if it is present.
func (r Result) Valid() bool { return r.parse().valid }

// IsError reports whether the answer is an error: isError in the result, or a
// JSON-RPC error.
func (r Result) IsError() bool {
	return r.RPCError != nil || r.parse().isError
}

// Texts returns the text items of the result, except the item that repeats the hint. For a
// JSON-RPC error it returns the error's message.
func (r Result) Texts() []string {
	if r.RPCError != nil {
		return []string{r.RPCError.Message}
	}
	c := r.parse()
	var texts []string
	for _, item := range c.items {
		if item.Type != "text" || c.hint != nil && strings.TrimPrefix(item.Text, "\n") == c.hint.Text {
			continue
		}
		texts = append(texts, item.Text)
	}
	return texts
}

// Others returns the items that are not text, such as images, unchanged.
func (r Result) Others() []json.RawMessage {
	var others []json.RawMessage
	for _, item := range r.parse().items {
		if item.Type != "text" {
			others = append(others, item.raw)
		}
	}
	return others
}

// Text returns [Result.Texts] joined by newlines.
func (r Result) Text() string { return strings.Join(r.Texts(), "\n") }

// TabID returns the tab id in the answer, or "". OpenChrome's navigate and tabs_create
// return one.
func (r Result) TabID() string {
	var tab struct {
		TabID string `json:"tabId"`
	}
	r.JSON(&tab)
	return tab.TabID
}

// JSON decodes the first text item that is a JSON object into v and reports
// whether there was one. It looks at every item, because OpenChrome may put a
// warning before the object and a hint after it.
func (r Result) JSON(v any) bool {
	for _, text := range r.Texts() {
		if t := strings.TrimSpace(text); strings.HasPrefix(t, "{") && json.Unmarshal([]byte(t), v) == nil {
			return true
		}
	}
	return false
}
