package openchrome

import (
	"net/url"
	"strings"
	"testing"
)

// Nothing of a token or of an address's query is left, however it is written.
func TestBlot(t *testing.T) {
	to, err := url.Parse("https://host.test/mcp?a=1&key=s3cret%2Fvalue")
	if err != nil {
		t.Fatal(err)
	}
	c := &carrier{to: to, token: `tok"en/12345`}
	for _, text := range []string{
		`bearer tok"en/12345`, `{"text":"tok\"en/12345"}`, `{"text":"tok\"en\/12345"}`,
		"GET /mcp?a=1&key=s3cret%2Fvalue", `{"path":"/mcp?a=1\u0026key=s3cret%2Fvalue"}`,
		"bad key s3cret%2Fvalue", "bad key s3cret/value", `{"key":"s3cret\/value"}`,
	} {
		got := c.blot(text)
		for _, secret := range []string{"12345", "s3cret"} {
			if strings.Contains(got, secret) {
				t.Errorf("%s became %s", text, got)
			}
		}
	}
	if got := c.blot("a page with 1 word"); got != "a page with 1 word" {
		t.Errorf("an ordinary text became %s", got)
	}
}
