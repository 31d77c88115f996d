package display_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// FuzzIndent compares with json.Indent, which has no bound.
func FuzzIndent(f *testing.F) {
	for _, text := range []string{`{}`, `[]`, `"{[,:\"\\"`, `7`, `{"a":[1,{"b":{}},[]],"c:,":"\\\""}`, `[[],{},[[]]]`, `["[","]"]`, deep(display.MaxIndent)} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var compact, want bytes.Buffer
		if json.Compact(&compact, []byte(text)) != nil {
			return
		}
		got := display.Indent(compact.Bytes(), "> ")
		if json.Indent(&want, compact.Bytes(), "> ", "  "); strings.Count(text, "[")+strings.Count(text, "{") <= display.MaxIndent {
			need.Equal(t, "", want.String(), string(got))
		}
		var again bytes.Buffer
		if err := json.Compact(&again, bytes.ReplaceAll(got, []byte("\n> "), []byte("\n"))); err != nil || again.String() != compact.String() {
			t.Errorf("%s became %s: %v", text, got, err)
		}
	})
}

func deep(n int) string { return strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) }

func TestIndentIsBounded(t *testing.T) {
	text := deep(9990)
	if got := len(display.Indent([]byte(text), "")); got > 2*len(text) {
		t.Errorf("%d bytes became %d", len(text), got)
	}
	wide := strings.Repeat("[", display.MaxIndent+1) + strings.Repeat("[],", 20_000) + "[]" + strings.Repeat("]", display.MaxIndent+1)
	if got := len(display.Indent([]byte(wide), "")); got > 2*len(wide) {
		t.Errorf("%d bytes became %d", len(wide), got)
	}
}
