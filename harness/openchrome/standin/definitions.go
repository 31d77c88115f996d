package standin

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf16"

	"github.com/mark3labs/mcp-go/mcp"
)

//go:embed tools.json
var toolsJSON []byte

// definitions is the tool list by name, read once.
var definitions = sync.OnceValue(func() map[string]mcp.Tool {
	var raw []struct {
		Name, Description string
		InputSchema       json.RawMessage
	}
	if err := json.Unmarshal(toolsJSON, &raw); err != nil {
		panic("standin: tools.json: " + err.Error())
	}
	out := map[string]mcp.Tool{}
	for _, t := range raw {
		var schema bytes.Buffer
		if err := json.Compact(&schema, t.InputSchema); err != nil {
			panic("standin: tools.json: " + err.Error())
		}
		out[t.Name] = mcp.NewToolWithRawSchema(t.Name, t.Description, schema.Bytes())
	}
	return out
})

// arguments of a call. As in OpenChrome nothing checks them against the
// schema; a value of another type counts as its zero value.
type arguments struct {
	values map[string]any
	raw    json.RawMessage
}

func (a arguments) str(key string) string {
	s, _ := a.values[key].(string)
	return s
}

func (a arguments) num(key string, missing float64) float64 {
	if f, ok := a.values[key].(float64); ok {
		return f
	}
	return missing
}

func (a arguments) truth(key string, missing bool) bool {
	if b, ok := a.values[key].(bool); ok {
		return b
	}
	return missing
}

// keys lists the keys of the object under key as the caller ordered them.
func (a arguments) keys(key string) []string {
	var outer map[string]json.RawMessage
	if json.Unmarshal(a.raw, &outer) != nil {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(outer[key]))
	d.Token()
	var out []string
	for d.More() {
		name, err := d.Token()
		var skip json.RawMessage
		if err != nil || d.Decode(&skip) != nil {
			break
		}
		if k, ok := name.(string); ok && !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	return out
}

// jsString is JavaScript's String() of a JSON value.
func jsString(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case nil:
		return "null"
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1e21 {
			return strconv.FormatFloat(v, 'f', -1, 64)
		}
		return strconv.FormatFloat(v, 'g', -1, 64)
	case map[string]any:
		return "[object Object]"
	case []any:
		parts := make([]string, len(v))
		for i, e := range v {
			if e != nil {
				parts[i] = jsString(e)
			}
		}
		return strings.Join(parts, ",")
	}
	return fmt.Sprint(v)
}

func text(format string, args ...any) *mcp.CallToolResult {
	s := format
	if len(args) > 0 {
		s = fmt.Sprintf(format, args...)
	}
	return mcp.NewToolResultText(s)
}

func fail(format string, args ...any) *mcp.CallToolResult {
	r := text(format, args...)
	r.IsError = true
	return r
}

// object is a JSON object that keeps its order, written as JSON.stringify
// writes it.
type object []field

type field struct {
	key   string
	value any
}

func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, f := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(stringify(f.key))
		b.WriteByte(':')
		b.Write(stringify(f.value))
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// stringify is JSON without HTML escapes.
func stringify(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic("standin: " + err.Error()) // only values of our own making
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

func pretty(v any) string {
	var b bytes.Buffer
	if json.Indent(&b, stringify(v), "", "  ") != nil {
		return string(stringify(v))
	}
	return b.String()
}

// contains reports whether a list of words with spaces around holds word.
func contains(words, word string) bool {
	return word != "" && !strings.Contains(word, " ") && strings.Contains(words, " "+word+" ")
}

// trim and cut are JavaScript's trim and slice(0, n).
func trim(s string) string {
	return strings.TrimFunc(s, func(r rune) bool { return unicode.IsSpace(r) || r == '\ufeff' })
}

func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	units := utf16.Encode([]rune(s))
	return string(utf16.Decode(units[:min(n, len(units))]))
}
