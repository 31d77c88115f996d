package session

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strings"
	"testing"
)

// A hidden text is found in each form in which it can be written, at any place of a longer text.
func TestHiding(t *testing.T) {
	for _, secret := range []string{"k3y/with+odd chars>1", "sk-abcdefghij", "ÄÖÜ-schlüssel", "123456"} {
		r := Hiding([]string{secret})
		for n := range 4 {
			before, after := strings.Repeat("u", n), strings.Repeat("z", n)
			for name, form := range map[string]string{
				"raw": secret, "query": url.QueryEscape(secret), "path": url.PathEscape(secret), "lower": strings.ToLower(url.QueryEscape(strings.ToLower(secret))),
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
				whole := encoding.EncodeToString([]byte(before + secret + after))
				got := r.Text(whole)
				if !strings.Contains(got, "[hidden]") || len(strings.Replace(got, "[hidden]", "", 1)) > len(whole)-len(encoding.EncodeToString([]byte(secret)))+8 {
					t.Errorf("base64 of %s in %s: got %s", secret, whole, got)
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
	if got := string(r.Strings(json.RawMessage(`[123456,"123456"]`))); got != `[123456,"[hidden]"]` {
		t.Errorf("got %s", got)
	}
}
