package session

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
)

// A hidden text is found in each form in which it can be written, at any place of a longer text.
func TestHiding(t *testing.T) {
	for _, secret := range []string{"k3y/with+odd chars>1", "sk-abcdefghij", "ÄÖÜ-schlüssel", "123456"} {
		r := Hiding([]string{secret})
		for n := range 4 {
			before, after := strings.Repeat("u", n), strings.Repeat("z", n)
			for name, form := range map[string]string{
				"raw": secret, "query": url.QueryEscape(secret), "path": url.PathEscape(secret), "lower": strings.ToLower(url.QueryEscape(strings.ToLower(secret))),
				"each byte": each("%%%02X", secret), "each byte, lower": each("%%%02x", secret), "each byte twice": url.QueryEscape(each("%%%02x", secret)),
				"query twice": url.QueryEscape(url.QueryEscape(secret)), "path twice": url.PathEscape(url.PathEscape(secret)),
			} {
				if name == "lower" && strings.ToLower(secret) != secret {
					continue
				}
				if got := r.Text(before + form + after); strings.Contains(got, form) || !strings.HasPrefix(got, before) || !strings.HasSuffix(got, after) {
					t.Errorf("%s of %s: got %s", name, secret, got)
				}
			}
			for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding, base64.RawStdEncoding, base64.RawURLEncoding} {
				// What is left of it decodes to no more than the ends of the secret.
				plain := encoding.EncodeToString([]byte(before + secret + after))
				most := len(plain) - len(encoding.EncodeToString([]byte(secret))) + 8
				for _, whole := range []string{plain, lines(plain, "\n"), lines(plain, "\r\n"), lines(plain, `\n`), lines(plain, `\\r\\n`), url.QueryEscape(plain), url.QueryEscape(lines(plain, "\n"))} {
					got := r.Text(whole)
					left := strings.Map(func(r rune) rune {
						if strings.ContainsRune("\r\n\\", r) {
							return -1
						}
						return r
					}, strings.Replace(got, "[hidden]", "", 1))
					if !strings.Contains(got, "[hidden]") || len(left) > most+8 {
						t.Errorf("base64 of %s in %q: got %q", secret, whole, got)
					}
				}
			}
		}
		quoted, _ := json.Marshal(map[string]any{secret: []string{"x" + secret}})
		if got := string(r.Strings(quoted)); strings.Contains(got, secret) || !json.Valid([]byte(got)) {
			t.Errorf("JSON: got %s", got)
		}
	}
	if r := Hiding([]string{"", "a", "12345"}); r != nil {
		t.Errorf("short texts give %v", r)
	}
	r := Hiding([]string{"123456"})
	need.Is(t, "", `[123456,"[hidden]"]`, string(r.Strings(json.RawMessage(`[123456,"123456"]`))))
}

// each writes each byte of a text.
func each(format, text string) (all string) {
	for _, b := range []byte(text) {
		all += fmt.Sprintf(format, b)
	}
	return all
}

// lines breaks a text into lines of eight characters.
func lines(text, end string) string {
	return strings.Join(slices.Collect(func(yield func(string) bool) {
		for chunk := range slices.Chunk([]byte(text), 8) {
			if !yield(string(chunk)) {
				return
			}
		}
	}), end)
}
