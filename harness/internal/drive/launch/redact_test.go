package launch

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/need"
)

func testSecrets(t testing.TB) session.Redactor {
	t.Helper()
	to, err := url.Parse("https://host.test/mcp?a=1&key=s3cret%2Fvalue")
	need.OK(t, err)
	return (&tokenTransport{to: to, token: `tok"en/\u12345`}).secrets()
}

// Nothing of a token or of an address's query is left in a text, however it is
// written.
func TestBlot(t *testing.T) {
	for _, text := range []string{
		`bearer tok"en/\u12345`, `{"text":"tok\"en\/\\u12345"}`, `{"text":"{\"text\":\"tok\\\"en/\\\\u12345\"}"}`,
		"GET /mcp?a=1&key=s3cret%2Fvalue", `{"path":"/mcp?a=1\u0026key=s3cret%2Fvalue"}`,
		"bad key s3cret%2Fvalue", "bad key s3cret/value", `{"key":"s3cret\/value"}`, `\u00733cr\u0065t/valu\\u0065`,
	} {
		got := testSecrets(t).Text(text)
		for _, secret := range []string{"12345", "s3cret", "cr", "valu"} {
			if strings.Contains(got, secret) {
				t.Errorf("%s became %s", text, got)
			}
		}
	}
	for _, text := range []string{"a page with 1 word", `C:\temp\users`, `tok"en/\u1234`, ""} {
		need.Is(t, "an ordinary text became", text, testSecrets(t).Text(text))
	}
}

// escapedAll writes each character of s as an escape.
func escapedAll(s, format string) string {
	var b strings.Builder
	for _, c := range s {
		fmt.Fprintf(&b, format, c)
	}
	return b.String()
}

// A JSON text stays valid and loses nothing but the secrets.
func TestBlotJSON(t *testing.T) {
	const token = `abc/123+very=secret`
	lower, upper := escapedAll(token, `\u%04x`), escapedAll(token, `\u%04X`)
	tests := []struct{ name, text, want string }{
		{"as it is", `{"a": "x abc/123+very=secret y"}`, `{"a": "x [token] y"}`},
		{"escaped", `{"a":"` + lower + `"}`, `{"a":"[token]"}`},
		{"upper case", `{"a":"` + upper + `"}`, `{"a":"[token]"}`},
		{"mixed", `{"a":"<\n>\u0061b\u0063\/123\u002bvery=secre\u0074\u0074"}`, `{"a":"<\n>[token]t"}`},
		{"name of a member", `{"` + lower + `" : 1.50}`, `{"[token]" : 1.50}`},
		{"JSON in a text", `["{\"a\":\"\\u0061bc\\/123+very=secret\"}"]`, `["{\"a\":\"[token]\"}"]`},
		{"that in a text", `["[\"{\\\"a\\\":\\\"\\\\u0061bc/123+very=secret\\\"}\"]"]`, `["[\"{\\\"a\\\":\\\"[token]\\\"}\"]"]`},
		{"after an escape", `{"a":"\\abc/123+very=secret\\"}`, `{"a":"[token]\\"}`},
		{"twice", `["abc/123+very=secretabc/123+very=secret"]`, `["[token][token]"]`},
		{"in one string of many", `{"\u0061":"\u00e4\ud83d\ude00<\/","b":"` + lower + `"}`, `{"\u0061":"\u00e4\ud83d\ude00<\/","b":"[token]"}`},
		{"other bytes", `{ "\u0061" : [1.0e+2,-0,true,false,null,"\ud800","\/","\\u0061bc"]}`, `{ "\u0061" : [1.0e+2,-0,true,false,null,"\ud800","\/","\\u0061bc"]}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := session.Redactor{{Hidden: token, Shown: "[token]"}}.JSON(json.RawMessage(tt.text))
			if string(got) != tt.want || !json.Valid(got) {
				t.Errorf("%s became %s, want %s", tt.text, got, tt.want)
			}
		})
	}
	for text, want := range map[string]string{`{"n":-12345678}`: `{"n":"-[token]"}`, `[1234567,912345678e1]`: `[1234567,"9[token]e1"]`} {
		if got := (session.Redactor{{Hidden: "12345678", Shown: "[token]"}}).JSON(json.RawMessage(text)); string(got) != want {
			t.Errorf("%s became %s, want %s", text, got, want)
		}
	}
	if got := (session.Redactor{{Hidden: "schlüssel😀", Shown: "…"}}).JSON(json.RawMessage(`["schl\u00fcssel\ud83d\uDE00","{\"schl\\u00Fcssel\\ud83d\\ude00\":1}"]`)); string(got) != `["…","{\"…\":1}"]` {
		t.Errorf("beyond ASCII: %s", got)
	}
}

// A server that answers nothing but backslashes does not keep us busy for hours.
func TestBlotEscapesAlone(t *testing.T) {
	const token = "abc/123+very=secret"
	b := session.Redactor{{Hidden: token, Shown: "[token]"}}
	many := strings.Repeat(`\`, session.MaxAnswer/4)
	for text, want := range map[string]string{many: many, many + token: "[token]", many + "u0041": many + "u0041"} {
		if got := b.Text(text); got != want {
			t.Errorf("%d bytes became %d, want %d", len(text), len(got), len(want))
		}
	}
	if got := (session.Redactor{{Hidden: "u0075xyz", Shown: "…"}}).Text(`\u0075xyz`); got != `\…` {
		t.Errorf("what looks like an escape: %s", got)
	}
}

// Whatever the JSON: it stays valid, no string of it means the token, and one
// without a secret keeps its bytes.
func FuzzBlotJSON(f *testing.F) {
	f.Add(`{"a":"\u0061bc/123+very=secret","abc\/123+very=secret":12}`)
	f.Add(`["\\abc/123+very=secret\"", "\ud800", 1e5]`)
	f.Fuzz(func(t *testing.T, text string) {
		const token = "abc/123+very=secret"
		var before, after any
		if json.Unmarshal([]byte(text), &before) != nil {
			t.Skip()
		}
		got := session.Redactor{{Hidden: token, Shown: "[token]"}}.JSON(json.RawMessage(text))
		if err := json.Unmarshal(got, &after); err != nil {
			t.Fatalf("%s became %s: %v", text, got, err)
		}
		if strings.Contains(fmt.Sprint(after), token) {
			t.Errorf("%s became %s", text, got)
		}
		if string(got) != text && !strings.Contains(string(got), "[token]") {
			t.Errorf("%s without a secret became %s", text, got)
		}
	})
}
