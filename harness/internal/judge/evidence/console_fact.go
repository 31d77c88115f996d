package evidence

import (
	"regexp"
	"strings"

	"github.com/openchrome/bench/harness/internal/judge/jsregexp"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
)

const (
	consoleOpen  = "<oc:console>"
	consoleClose = "</oc:console>"
)

// consoleEntry is a message and how often it occurred.
type consoleEntry struct {
	Type, Message string
	Count         float64
	Uncaught      bool
	Shown         Details // the form in the evidence: the message is still encoded
}

// parseConsoleFact checks a console fact, in OpenChrome's order.
func parseConsoleFact(o *jsonfile.Node) (*ContractFact, *Fault) {
	f, fault := parseBase(o, "console", "console_capture")
	if fault != nil {
		return nil, fault
	}
	entries, truncated, types, encoding := o.Get("entries"), o.Get("truncated"), o.Get("captured_types"), StringAt(o, "message_encoding")
	switch {
	case !entries.Is(jsonfile.Array) || len(entries.Items) > maxEntries:
		return nil, malformed("console fact entries are malformed")
	case !truncated.Is(jsonfile.Bool):
		return nil, malformed("console fact truncated flag is malformed")
	case !captureTypes(types):
		return nil, malformed("console fact captured_types is malformed")
	case encoding != "plain" && encoding != "oc_boundary_v1":
		return nil, malformed("console fact message_encoding is malformed")
	}
	f.Truncated = truncated.Text == "true"
	f.Types, _ = ValueOf(types).([]any)
	shown, total := make([]any, 0, len(entries.Items)), 0.0
	for _, item := range entries.Items {
		entry, wrong := parseEntry(item, encoding)
		if wrong != "" {
			return nil, malformed("console fact entry " + wrong)
		}
		if total += entry.Count; !IsSafeInteger(total) {
			return nil, malformed("console fact total count exceeds the safe integer range")
		}
		f.Entries = append(f.Entries, entry)
		shown = append(shown, entry.Shown)
	}
	f.Out = append(f.Out, Detail{"entries", shown}, Detail{"captured_types", ValueOf(types)},
		Detail{"message_encoding", encoding}, Detail{"truncated", f.Truncated})
	return f, nil
}

// captureTypes checks captured_types; null means that nothing was filtered.
func captureTypes(v *jsonfile.Node) bool {
	if v.Is(jsonfile.Null) {
		return true
	}
	if !v.Is(jsonfile.Array) || len(v.Items) > maxCaptureTypes {
		return false
	}
	seen := map[string]bool{}
	for _, typ := range v.Items {
		if typ.Kind != jsonfile.String || !Bounded(typ.Text, 64) || seen[typ.Text] {
			return false
		}
		seen[typ.Text] = true
	}
	return true
}

// parseEntry checks an entry, in OpenChrome's order; wrong describes the first fault.
func parseEntry(o *jsonfile.Node, encoding string) (e consoleEntry, wrong string) {
	message, uncaught := o.Get("message"), o.Get("uncaught")
	var decoded, counted bool
	if message.Is(jsonfile.String) {
		e.Message, decoded = decodeMessage(message.Text, encoding)
	}
	e.Type = StringAt(o, "type")
	e.Count, counted = NumberAt(o, "count")
	switch {
	case o.Kind != jsonfile.Object:
		return e, "must be an object"
	case !Bounded(e.Type, 64):
		return e, "type is malformed"
	case !message.Is(jsonfile.String):
		return e, "message is malformed"
	case !decoded:
		return e, "message encoding is malformed"
	case !counted || !IsSafeInteger(e.Count) || e.Count <= 0:
		return e, "count is malformed"
	case !uncaught.Is(jsonfile.Bool):
		return e, "uncaught flag is malformed"
	}
	e.Uncaught = uncaught.Text == "true"
	e.Shown = Details{{"type", e.Type}, {"message", message.Text}, {"count", e.Count}, {"uncaught", e.Uncaught}}
	return e, ""
}

// decodeMessage removes the boundary markers around a message. In the message, each zero
// width space is doubled, and a single one breaks up any inner marker.
func decodeMessage(message, encoding string) (string, bool) {
	if encoding == "plain" {
		return message, jsregexp.Length(message) <= maxMessage
	}
	body, ok := strings.CutPrefix(message, consoleOpen)
	if !ok {
		return "", false
	}
	if body, ok = strings.CutSuffix(body, consoleClose); !ok || jsregexp.Length(body) > maxMessage {
		return "", false
	}
	return strings.ReplaceAll(brokenMarker.ReplaceAllString(body, "<$1"), "\u200b\u200b", "\u200b"), true
}

// brokenMarker is a marker inside a message, broken up by a zero width space.
var brokenMarker = regexp.MustCompile("<\u200b(/?oc:[0-9A-Za-z_-])")
