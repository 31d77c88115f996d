package standin

import (
	"encoding/json"
	"strings"

	"github.com/openchrome/bench/harness/internal/text/display"
)

// arguments are the arguments of a call. As in OpenChrome, they are not checked against the
// schema, and a value of the wrong type counts as missing.
type arguments map[string]any

func (a arguments) str(key string) string { return arg(a, key, "") }

func arg[T any](a arguments, key string, missing T) T {
	if v, ok := a[key].(T); ok {
		return v
	}
	return missing
}

// object is a JSON object that keeps its order.
type object []field

type field struct {
	key   string
	value any
}

// MarshalJSON implements [json.Marshaler].
func (o object) MarshalJSON() ([]byte, error) {
	parts := make([]string, len(o))
	for i, f := range o {
		parts[i] = stringify(f.key) + ":" + stringify(f.value)
	}
	return []byte("{" + strings.Join(parts, ",") + "}"), nil
}

// stringify returns JSON as JSON.stringify writes it.
func stringify(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic("standin: " + err.Error()) // our own mistake, because we made the value
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// text returns an argument as JavaScript's String writes it.
func text(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	return stringify(v)
}

func pretty(v any) string { return string(display.Indent([]byte(stringify(v)), "")) }

func cut(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n])
	}
	return s
}
