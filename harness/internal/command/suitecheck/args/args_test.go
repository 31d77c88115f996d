package args

import (
	"encoding/json"
	"testing"
)

// An edit changes one value and keeps all other bytes, also the order of members.
func TestEdits(t *testing.T) {
	const given = `{"tabId": "T", "fields": {"b/c": "1", "a": "2"}, "at": [3, 4]}`
	b := func(string) string { return `"5"` }
	for _, test := range []struct{ name, want, got string }{
		{"a text", `{"tabId": "T", "fields": {"b/c": "\"5\"", "a": "2"}, "at": [3, 4]}`, string(Replace(json.RawMessage(given), "/fields/b~1c", b))},
		{"a number", `{"tabId": "T", "fields": {"b/c": "1", "a": "2"}, "at": [3, 7]}`, string(Replace(json.RawMessage(given), "/at/1", func(string) string { return "7" }))},
		{"nothing", given, string(Replace(json.RawMessage(given), "/x", b))},
		{"without a field", `{"tabId": "T", "fields": {"a":"2"}, "at": [3, 4]}`, string(Without(json.RawMessage(given), "/fields/b~1c"))},
		{"with a tab", `{"tabId":"U","url":"x"}`, string(With(json.RawMessage(`{"url":"x"}`), "tabId", "U"))},
		{"with a tab, of nothing", `{"tabId":"U"}`, string(With(json.RawMessage(`{}`), "tabId", "U"))},
	} {
		if test.got != test.want {
			t.Errorf("%s: got %s, want %s", test.name, test.got, test.want)
		}
	}
}
