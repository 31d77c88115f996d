package normal

import (
	"bufio"
	"io"
	"maps"
	"slices"

	"github.com/openchrome/bench/harness/internal/text/display"
)

// Write writes a decoded JSON value with sorted keys and a field a line, and a newline at its end. What
// is nested deeper than [display.MaxIndent] stays on one line.
func Write(w io.Writer, v any) error {
	b := bufio.NewWriter(w)
	put(b, v, "\n")
	b.WriteByte('\n')
	return b.Flush()
}

// put writes v with a field a line. A list of values that hold no others stands on one
// line, and so does each element of a list that holds no others.
func put(b *bufio.Writer, v any, newline string) {
	if len(newline) > len("\n")+len("  ")*display.MaxIndent {
		b.Write(Encode(v))
		return
	}
	switch v := v.(type) {
	case map[string]any:
		b.WriteByte('{')
		comma := ""
		for _, key := range slices.Sorted(maps.Keys(v)) {
			b.WriteString(comma + newline + "  ")
			b.Write(Encode(key))
			b.WriteString(": ")
			put(b, v[key], newline+"  ")
			comma = ","
		}
		if len(v) > 0 {
			b.WriteString(newline)
		}
		b.WriteByte('}')
	case []any:
		if !slices.ContainsFunc(v, isNested) {
			b.Write(Encode(v))
			return
		}
		b.WriteByte('[')
		comma := ""
		for _, element := range v {
			b.WriteString(comma + newline + "  ")
			if m, ok := element.(map[string]any); ok && !slices.ContainsFunc(slices.Collect(maps.Values(m)), isNested) {
				b.Write(Encode(m))
			} else {
				put(b, element, newline+"  ")
			}
			comma = ","
		}
		b.WriteString(newline + "]")
	default:
		b.Write(Encode(v))
	}
}

// isNested reports whether a decoded JSON value holds other values.
func isNested(v any) bool {
	switch v.(type) {
	case map[string]any, []any:
		return true
	}
	return false
}
