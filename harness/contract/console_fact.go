package contract

import (
	"slices"
	"strings"
)

const (
	consoleOpen  = "<oc:console>"
	consoleClose = "</oc:console>"
)

// parseConsoleFact checks a console fact, in OpenChrome's order.
func parseConsoleFact(o Details) (*contractFact, *factFault) {
	f, fault := parseBase(o, "console", "console_capture")
	if fault != nil {
		return nil, fault
	}
	v, _ := o.Get("entries")
	entries, ok := v.([]any)
	if !ok || len(entries) > maxEntries {
		return nil, malformed("console fact entries are malformed")
	}
	v, _ = o.Get("truncated")
	if f.truncated, ok = v.(bool); !ok {
		return nil, malformed("console fact truncated flag is malformed")
	}
	v, ok = o.Get("captured_types")
	if f.types, ok = captureTypes(v, ok); !ok {
		return nil, malformed("console fact captured_types is malformed")
	}
	encoding := o.text("message_encoding")
	if encoding != "plain" && encoding != "oc_boundary_v1" {
		return nil, malformed("console fact message_encoding is malformed")
	}
	if fault := f.setEntries(entries, encoding); fault != nil {
		return nil, fault
	}
	var types any
	if f.types != nil {
		types = f.types
	}
	f.out = append(f.out, Detail{"entries", f.entries}, Detail{"captured_types", types},
		Detail{"message_encoding", encoding}, Detail{"truncated", f.truncated})
	return f, nil
}

// captureTypes checks captured_types; null means that nothing was filtered.
func captureTypes(v any, present bool) (types []any, ok bool) {
	if v == nil {
		return nil, present
	}
	types, ok = v.([]any)
	if !ok || len(types) > maxCaptureTypes {
		return nil, false
	}
	for i, v := range types {
		s, _ := v.(string)
		if !bounded(s, 64) || slices.Contains(types[:i], v) {
			return nil, false
		}
	}
	return types, true
}

func (f *contractFact) setEntries(entries []any, encoding string) *factFault {
	f.entries = make([]any, len(entries))
	f.messages = make([]string, len(entries))
	total := 0.0
	for i, v := range entries {
		entry, ok := v.(Details)
		if !ok {
			return malformed("console fact entry must be an object")
		}
		typ := entry.text("type")
		if !bounded(typ, 64) {
			return malformed("console fact entry type is malformed")
		}
		v, _ := entry.Get("message")
		message, ok := v.(string)
		if !ok {
			return malformed("console fact entry message is malformed")
		}
		if f.messages[i], ok = decodeMessage(message, encoding); !ok {
			return malformed("console fact entry message encoding is malformed")
		}
		count, ok := number(entry, "count")
		if !ok || !isSafeInteger(count) || count <= 0 {
			return malformed("console fact entry count is malformed")
		}
		if total += count; !isSafeInteger(total) {
			return malformed("console fact total count exceeds the safe integer range")
		}
		v, _ = entry.Get("uncaught")
		uncaught, ok := v.(bool)
		if !ok {
			return malformed("console fact entry uncaught flag is malformed")
		}
		f.entries[i] = Details{{"type", typ}, {"message", message}, {"count", count}, {"uncaught", uncaught}}
	}
	return nil
}

// decodeMessage takes a message out of its boundary markers. A zero width
// space in it stands doubled, and one keeps an inner marker from being one.
func decodeMessage(message, encoding string) (string, bool) {
	if encoding == "plain" {
		return message, utf16Len(message) <= maxMessage
	}
	body, ok := strings.CutPrefix(message, consoleOpen)
	if !ok {
		return "", false
	}
	if body, ok = strings.CutSuffix(body, consoleClose); !ok || utf16Len(body) > maxMessage {
		return "", false
	}
	return strings.ReplaceAll(openMarkers(body), "\u200b\u200b", "\u200b"), true
}

// openMarkers takes the zero width space out of "<\u200boc:name" and
// "<\u200b/oc:name".
func openMarkers(s string) string {
	const broken = "<\u200b"
	var b strings.Builder
	for {
		before, after, ok := strings.Cut(s, broken)
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		name, isMarker := strings.CutPrefix(strings.TrimPrefix(after, "/"), "oc:")
		if isMarker && name != "" && (isWord(name[0]) || name[0] == '-') {
			b.WriteByte('<')
		} else {
			b.WriteString(broken)
		}
		s = after
	}
}
