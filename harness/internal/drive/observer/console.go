package observer

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"

	"github.com/openchrome/bench/harness/internal/drive/devtools"
)

// Limits of OpenChrome's console facts, see package judge, and of our own.
const (
	maxEntries      = 200
	maxMessageUnits = 1024 // UTF-16 units
	maxErrors       = 50   // console errors, and failed requests, in a scene
)

// consoleLog holds the console messages of a tab, from all its documents and their iframes.
type consoleLog struct {
	entries   []consoleEntry // in the order of first occurrence
	truncated bool           // an entry is missing, or a message was cut
	errors    []string       // the last ones
}

type consoleKey struct {
	Type     string `json:"type"`
	Message  string `json:"message"`
	Uncaught bool   `json:"uncaught"`
}

// consoleEntry is a message and how often it occurred.
type consoleEntry struct {
	consoleKey
	Count int `json:"count"`
}

func (c *consoleLog) add(key consoleKey) {
	if key.Type == "error" || key.Type == "assert" {
		c.errors = appendLast(c.errors, key.Message)
	}
	var isCut bool
	key.Message, isCut = cutUnits(key.Message, maxMessageUnits)
	c.truncated = c.truncated || isCut
	i := slices.IndexFunc(c.entries, func(e consoleEntry) bool { return e.consoleKey == key })
	if i < 0 {
		if len(c.entries) == maxEntries {
			c.truncated = true
			return
		}
		i = len(c.entries)
		c.entries = append(c.entries, consoleEntry{consoleKey: key})
	}
	c.entries[i].Count++
}

// said adds a message to the console of a tab.
func (o *Observer) said(w *watched, key consoleKey) {
	w.tab.console.add(key)
	if key.Type == "error" {
		o.Ear.Failed(string(w.tab.id), key.Message)
	}
}

func (o *Observer) consoleCalled(w *watched, e *runtime.EventConsoleAPICalled) {
	words := make([]string, len(e.Args))
	for i, arg := range e.Args {
		words[i] = argText(arg)
	}
	o.said(w, consoleKey{Type: consoleType(string(e.Type)), Message: strings.Join(words, " ")})
}

// logAdded adds the browser's own messages, for example about a resource that failed to
// load. OpenChrome sees them in the console too, through Puppeteer.
func (o *Observer) logAdded(w *watched, e *log.EventEntryAdded) {
	if e.Entry != nil && e.Entry.Source != log.EntrySourceWorker {
		o.said(w, consoleKey{Type: consoleType(string(e.Entry.Level)), Message: e.Entry.Text})
	}
}

func (o *Observer) exceptionThrown(w *watched, e *runtime.EventExceptionThrown) {
	if e.ExceptionDetails != nil {
		o.said(w, consoleKey{Type: "error", Message: exceptionText(e.ExceptionDetails), Uncaught: true})
	}
}

// consoleType returns the type of a message, under the name that Puppeteer and OpenChrome
// use.
func consoleType(s string) string {
	if s == "warning" {
		return "warn"
	}
	return cut(s, 64)
}

// argText returns the text of one argument of a message. An object shows only its type, as in
// Puppeteer's ConsoleMessage.text: "JSHandle@error".
func argText(o *runtime.RemoteObject) string {
	switch {
	case o == nil:
		return ""
	case o.ObjectID != "":
		return "JSHandle@" + cmp.Or(string(o.Subtype), string(o.Type))
	}
	return primitiveText(o)
}

// primitiveText returns a value as JavaScript's Array.prototype.join writes it.
func primitiveText(o *runtime.RemoteObject) string {
	if v := string(o.UnserializableValue); v != "" {
		if v == "-0" || o.Type == runtime.RemoteObjectTypeBigint {
			return strings.Trim(v, "-n")
		}
		return v
	}
	var s string
	if o.Type == runtime.RemoteObjectTypeString && devtools.Unmarshal(o.Value, &s) == nil {
		return s
	}
	if string(o.Value) == "null" {
		return ""
	}
	return string(o.Value)
}

// exceptionText returns an uncaught exception as the console shows it, without its stack:
// "Uncaught TypeError: x is not a function".
func exceptionText(e *runtime.ExceptionDetails) string {
	text := e.Text
	switch x := e.Exception; {
	case x == nil:
	case x.Description != "":
		what, _, _ := strings.Cut(x.Description, "\n    at ")
		text += " " + what
	default:
		text += " " + primitiveText(x)
	}
	return text
}

// consoleFact returns the contract fact of a tab's console.
func (o *Observer) consoleFact(t *tab, sessionID string) any {
	o.mu.Lock()
	defer o.mu.Unlock()
	entries := append([]consoleEntry{}, t.console.entries...) // none are [] and not null
	return struct {
		base
		Entries         []consoleEntry `json:"entries"`
		CapturedTypes   []string       `json:"captured_types"` // null: no filter
		MessageEncoding string         `json:"message_encoding"`
		Truncated       bool           `json:"truncated"`
	}{newBase("console", "console_capture", sessionID, string(t.id)), entries, nil, "plain", t.console.truncated}
}

// base holds the fields that all contract facts have.
type base struct {
	SchemaVersion int    `json:"schema_version"`
	Kind          string `json:"kind"`
	SourceTool    string `json:"source_tool"`
	SessionID     string `json:"session_id"`
	TargetID      string `json:"target_id"`
	CapturedAt    string `json:"captured_at"`
}

func newBase(kind, tool, sessionID, tabID string) base {
	return base{1, kind, tool, sessionID, tabID, time.Now().UTC().Format("2006-01-02T15:04:05.000Z")}
}

// cutUnits returns at most max UTF-16 units of s, and whether the result is shorter than s.
// A shorter result is a copy; see [cut].
func cutUnits(s string, max int) (string, bool) {
	if len(s) <= max { // no character has more units than bytes
		return s, false
	}
	n := 0
	for i, r := range s {
		if n += utf16.RuneLen(r); n > max {
			return strings.Clone(s[:i]), true
		}
	}
	return s, false
}

// appendLast appends a line that a page wrote, and keeps only the last ones.
func appendLast(list []string, line string) []string {
	if len(list) == maxErrors {
		list = append(list[:0], list[1:]...)
	}
	return append(list, cut(line, maxText))
}
