package judge

import (
	"testing"

	"github.com/openchrome/bench/harness/internal/judge/jsregexp"
	"github.com/openchrome/bench/harness/internal/need"
)

func TestNearMiss(t *testing.T) {
	tests := []struct {
		name, StringAt, want string
		note                 string
	}{
		{"case", "please SIGN IN now", "Sign in", `only the case differs: the text has "SIGN IN"`},
		{"no-break space", "Total: 5\u00a0€", "5 €", `only white space differs: expected "5 €", the text has "5\u00a0€"`},
		{"line break", "Order\nnumber 7", "Order number", `only white space differs: expected "Order number", the text has "Order\nnumber"`},
		{"tab and runs", "a\t  b", "a b", `only white space differs: expected "a b", the text has "a\t  b"`},
		{"space missing", "Checkoutnow", "Checkout now", `only white space differs: expected "Checkout now", the text has "Checkoutnow"`},
		{"soft hyphen", "Versand\u00adkosten", "Versandkosten", `only white space differs: expected "Versandkosten", the text has "Versand\u00adkosten"`},
		{"case and space", "ORDER\u00a0NUMBER", "Order number", `only case and white space differ: expected "Order number", the text has "ORDER\u00a0NUMBER"`},
		{"hostile text is quoted", "\x1b[31mHELLO\u202e\u0007", "hello\u202e", "only the case differs: the text has \"HELLO\\u202e\""},
		{"case folding changes lengths", "ẞTRAßE İstanbul", "istanbul", `only the case differs: the text has "İstanbul"`},
		{"nothing like it", "Lorem ipsum dolor", "Your order is complete", ""},
		{"empty text", "", "x", ""},
		{"one character is on any page", "Example Domain", "A", ""},
		{"so are two", "the doctor", "DO", ""},
		{"but not on a short one", "Ok", "OK", `only the case differs: the text has "Ok"`},
		{"a space between two", "Total: 5 €", "5€", `only white space differs: expected "5€", the text has "5 €"`},
		{"three are not", "status: ok!", "OK!", `only the case differs: the text has "ok!"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			need.Is(t, "note", tt.note, nearText(tt.StringAt, tt.want))
		})
	}
}

func TestNearURL(t *testing.T) {
	tests := []struct{ name, url, pattern, note string }{
		{"case", "https://example.com/Cart", "/cart$", `only the case differs: the URL is "https://example.com/Cart"`},
		{"slash too many", "https://example.com/cart/", "/cart$", "it would match without the slash at the end"},
		{"slash missing", "https://example.com/cart", "/cart/$", "it would match with a slash at the end"},
		{"far off", "about:blank", "/cart$", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			re, err := jsregexp.Parse(tt.pattern)
			need.OK(t, err)
			if note := nearURL(tt.url, re); note != tt.note {
				t.Errorf("note %q, want %q", note, tt.note)
			}
		})
	}
}
