package evidence

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/openchrome/bench/harness/internal/judge/jsregexp"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
)

// AppendJSON writes a value of Details as JSON.stringify does: infinite
// numbers as null, lone surrogates as escapes.
func AppendJSON(b []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(b, "null"...)
	case bool:
		return strconv.AppendBool(b, v)
	case float64:
		if math.IsInf(v, 0) || math.IsNaN(v) {
			return append(b, "null"...)
		}
		return jsonfile.AppendNumber(b, v)
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
			b = AppendJSON(b, item)
		}
		return append(b, ']')
	case Details:
		b = append(b, '{')
		for i, m := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendString(b, m.Key), ':')
			b = AppendJSON(b, m.Value)
		}
		return append(b, '}')
	case json.RawMessage:
		return append(b, v...)
	case *Node:
		b = strconv.AppendBool(append(b, `{"passed":`...), v.Passed)
		b = appendString(append(b, `,"assertion_kind":`...), v.AssertionKind)
		b = AppendJSON(append(b, `,"details":`...), v.Details)
		return append(b, '}')
	}
	panic(fmt.Sprintf("judge: Details cannot hold a %T", v))
}

func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	for len(s) > 0 {
		r, size := jsregexp.DecodeRune(s)
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r == '\n':
			b = append(b, `\n`...)
		case r < ' ' || utf16.IsSurrogate(r):
			b = fmt.Appendf(b, `\u%04x`, r)
		default:
			b = utf8.AppendRune(b, r)
		}
		s = s[size:]
	}
	return append(b, '"')
}

// JSON returns a value of Details as JSON, for people to read.
func JSON(v any) string { return string(AppendJSON(nil, v)) }
