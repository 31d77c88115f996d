package evidence

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/openchrome/bench/harness/internal/judge/jsregexp"
	"github.com/openchrome/bench/harness/internal/need"
)

func TestFactsRoundTrip(t *testing.T) {
	url, text, half := "https://example.com/\xed\xa0\xbd?<&>", "Hello\u2028", "x\xed\xb8\x80"
	facts := Facts{
		URL:           &url,
		DOMText:       &Text{Of: map[string]*string{"h1": &text, "li": &half, "none": nil}},
		DOMCount:      map[string]float64{"li": 3, "a\"b": 1e21},
		Network:       []Request{{"https://example.com/", 200, 1.5}, {"", 0, 0}},
		HasOpenDialog: true,
		OpenDialog:    `confirm "Delete it?"`,
		ScreenshotPNG: "iVBORw0=",
		ContractFacts: json.RawMessage(`[{"b":1,"a":"\ud83d"}]`),
		Unavailable:   map[string]string{FactConsole: "no tool"},
	}
	data, err := json.Marshal(struct{ F *Facts }{&facts})
	need.OK(t, err)
	var got struct{ F *Facts }
	need.OK(t, json.Unmarshal(data, &got))
	need.Equal(t, "facts", &facts, got.F)
	if text := `"dom_text":{"h1":"Hello`; !strings.Contains(string(data), text) {
		t.Errorf("%s does not have %s", data, text)
	}
}

func TestFactsForms(t *testing.T) {
	tests := []struct {
		name, snapshot string
		want           Facts
		err            string
	}{
		{name: "empty", snapshot: `{}`},
		{name: "nulls and unknown fields", snapshot: `{"url":null,"dom_text":null,"dom_count":null,"network":null,"has_open_dialog":null,"screenshot_png_base64":null,"contract_facts":null,"x":[]}`},
		{name: "one text", snapshot: `{"dom_text":"a"}`, want: Facts{DOMText: &Text{All: "a"}}},
		{name: "entries without what counts", snapshot: `{"network":[{},{"url":"a","status":"200"}]}`, want: Facts{Network: []Request{{}, {URL: "a"}}}},
		{name: "a null entry", snapshot: `{"network":[{"url":"a"},null]}`, want: Facts{Unavailable: map[string]string{"network": "Cannot read properties of null (reading 'url')"}}},
		{name: "contract facts of any type", snapshot: `{"contract_facts":"x"}`, want: Facts{ContractFacts: json.RawMessage(`"x"`)}},
		{name: "no object", snapshot: `[]`, err: "facts:1:1: /: is an empty array, want an object of facts"},
		{name: "url", snapshot: `{"url":1}`, err: "facts:1:8: /url: is 1, want a string"},
		{name: "text", snapshot: `{"dom_text":{"h1":true}}`, err: "facts:1:19: /dom_text/h1: is true, want a string, or null where nothing matches"},
		{name: "count", snapshot: `{"dom_count":{"h1":"3"}}`, err: "facts:1:20: /dom_count/h1: is \"3\", want a number"},
		{name: "request", snapshot: `{"network":["a"]}`, err: "facts:1:13: /network/0: is \"a\", want an object with url and status"},
		{name: "url of a request", snapshot: `{"network":[{"url":{}}]}`, err: "facts:1:20: /network/0/url: is an object, want a string"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got Facts
			err := json.Unmarshal([]byte(tt.snapshot), &got)
			if tt.err != "" || err != nil {
				need.Is(t, "error", tt.err, fmt.Sprint(err))
				return
			}
			need.Equal(t, "facts", tt.want, got)
		})
	}
}

// TestDecodeJSON holds what is read against encoding/json.
func TestDecodeJSON(t *testing.T) {
	for _, text := range []string{
		`null`, ` [ ] `, `{"a":{},"b":[1,-0,0.5,1e3,1E-7,-12.25e+2]}`, `"a\"\\\/\b\f\n\r\tA\u00e9😀\u0000"`, `["é😀"]`, `true`,
		``, `nul`, `[1,]`, `{"a"}`, `{"a":1,}`, `{a:1}`, `01`, `1.`, `.5`, `-`, `1e`, `+1`, `"\x"`, `"\u12"`, `"\u+123"`, "\"\n\"", `"a`, `[`, `[1 2]`, `{} {}`, `"\`, `'a'`,
	} {
		v, err := decodeJSON([]byte(text))
		if valid := json.Valid([]byte(text)); (err == nil) != valid {
			t.Errorf("decodeJSON(%s): %v, but valid is %v", text, err, valid)
			continue
		}
		if err != nil {
			continue
		}
		var want, got any
		need.OK(t, json.Unmarshal([]byte(text), &want))
		need.OK(t, json.Unmarshal(AppendJSON(nil, v), &got))
		need.Equal(t, text, want, got)
	}
}

func TestSurrogates(t *testing.T) {
	for in, want := range map[string]string{
		`"\ud83d\ude00"`:   `"😀"`,
		`"\ud83d"`:         `"\ud83d"`,
		`"\ude00\ud83d"`:   `"\ude00\ud83d"`,
		`"a\ud83db"`:       `"a\ud83db"`,
		"\"\xed\xa0\xbd\"": `"���"`,
		"\"\xff\\n\"":      `"�\n"`,
	} {
		v, err := decodeJSON([]byte(in))
		need.OK(t, err)
		need.Is(t, fmt.Sprintf("%q came back as", in), want, string(AppendJSON(nil, v)))
	}
}

func TestUTF16(t *testing.T) {
	for _, s := range []string{"", "a", "abcdefgh", "abcdefghi", "Übergröße", "日本語のテキスト", "😀", "a😀b😀c😀d😀", "e\u0301", strings.Repeat("é😀x日", 9)} {
		units := utf16.Encode([]rune(s))
		if n := jsregexp.Length(s); n != len(units) {
			t.Errorf("utf16Len(%q) = %d, want %d", s, n, len(units))
		}
		for n := range len(units) + 2 {
			want := string(utf16.Decode(units[:min(n, len(units))]))
			got := strings.ToValidUTF8(jsregexp.Prefix(s, n), "\ufffd")
			need.Is(t, fmt.Sprintf("utf16Prefix(%q, %d)", s, n), want, got)
		}
	}
	if n := jsregexp.Length("12345\xed\xa0\xbd678"); n != 9 {
		t.Errorf("a lone surrogate: %d", n)
	}
}

// decodeJSON reads one JSON text as a value of [Details].
func decodeJSON(data []byte) (any, error) {
	n, err := Parse(data)
	return ValueOf(n), err
}
