package contract

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/openchrome/bench/harness/contract/jsregexp"
)

// appendJSON writes a value of Details as JSON.stringify does: infinite
// numbers as null, lone surrogates as escapes.
func appendJSON(b []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(b, "null"...)
	case bool:
		return strconv.AppendBool(b, v)
	case float64:
		return appendNumber(b, v)
	case string:
		return appendString(b, v)
	case *string:
		if v == nil {
			return append(b, "null"...)
		}
		return appendString(b, *v)
	case []any:
		b = append(b, '[')
		for i, item := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendJSON(b, item)
		}
		return append(b, ']')
	case Details:
		b = append(b, '{')
		for i, m := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendString(b, m.Key), ':')
			b = appendJSON(b, m.Value)
		}
		return append(b, '}')
	case json.RawMessage:
		return append(b, v...)
	case *Evidence:
		b = strconv.AppendBool(append(b, `{"passed":`...), v.Passed)
		b = appendString(append(b, `,"assertion_kind":`...), v.AssertionKind)
		b = appendJSON(append(b, `,"details":`...), v.Details)
		return append(b, '}')
	}
	panic(fmt.Sprintf("contract: Details cannot hold a %T", v))
}

// appendNumber writes f as JavaScript's String(f) does, infinite ones aside.
func appendNumber(b []byte, f float64) []byte {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return append(b, "null"...)
	}
	if f == 0 {
		return append(b, '0') // JavaScript writes -0 so too
	}
	if abs := math.Abs(f); abs >= 1e-6 && abs < 1e21 {
		return strconv.AppendFloat(b, f, 'f', -1, 64)
	}
	b = strconv.AppendFloat(b, f, 'e', -1, 64)
	if n := len(b); b[n-2] == '0' { // e-07 is written e-7
		b = append(b[:n-2], b[n-1])
	}
	return b
}

func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
			i++
		case c == '\n':
			b = append(b, `\n`...)
			i++
		case c < ' ':
			b = fmt.Appendf(b, `\u%04x`, c)
			i++
		case c < utf8.RuneSelf:
			b = append(b, c)
			i++
		default:
			r, size := utf8.DecodeRuneInString(s[i:])
			if lone, ok := jsregexp.SurrogateAt(s, i); ok {
				b = fmt.Appendf(b, `\u%04x`, lone)
				size = 3
			} else {
				b = utf8.AppendRune(b, r)
			}
			i += size
		}
	}
	return append(b, '"')
}

// jsString is JavaScript's String(v) of a JSON value.
func jsString(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return strconv.FormatBool(v)
	case string:
		return v
	case float64:
		switch {
		case math.IsInf(v, 1):
			return "Infinity"
		case math.IsInf(v, -1):
			return "-Infinity"
		}
		return string(appendNumber(nil, v))
	case []any:
		var b []byte
		for i, e := range v {
			if i > 0 {
				b = append(b, ',')
			}
			if e != nil {
				b = append(b, jsString(e)...)
			}
		}
		return string(b)
	}
	return "[object Object]"
}
