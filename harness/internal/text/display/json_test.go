package display_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/text/display"
)

func TestJSON(t *testing.T) {
	for in, want := range map[string]string{
		`{"a": 1}`: `{"a": 1}`, "[\n  \"é ☃ 😀 日本\"\n]": "[\n  \"é ☃ 😀 日本\"\n]",
		"\"\u009b31m\"": `"\u009b31m"`, "\"\u202egnp.exe\"": `"\u202egnp.exe"`, "\"a\u00a0b\"": `"a\u00a0b"`,
		"\"\U000e0041\"": `"\udb40\udc41"`, "\"\xff\"": `"\ufffd"`, "\"\x7f\"": `"\u007f"`, "\"\ufffd\"": "\"\ufffd\"",
	} {
		got := display.JSON([]byte(in))
		need.Is(t, fmt.Sprintf("%q", in), want, string(got))
		var a, b any
		if json.Unmarshal([]byte(in), &a) != nil || json.Unmarshal(got, &b) != nil {
			t.Errorf("%q is not JSON any more", in)
		} else if x, _ := json.Marshal(a); true {
			if y, _ := json.Marshal(b); string(x) != string(y) {
				t.Errorf("%q: the value is %s, was %s", in, y, x)
			}
		}
	}
}
