package jsregexp

import (
	"fmt"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
)

func mustParse(t *testing.T, source string) *Regexp {
	t.Helper()
	re, err := Parse(source)
	need.OK(t, err)
	return re
}

// What the engine takes and Node does not.
func TestRefused(t *testing.T) {
	for source, refused := range map[string]bool{
		"(?i)a": true, "(?>a)": true, "(?#a)": true, "(?'n'a)": true, `\(?i`: false, `\\(?i)`: true, "[(?x]": false, `[\](?i)]`: false, "\\\n(?i)a": true, "(?<n>a)(?:b)(?=c)(?<!d)": false,
		"😀": false, "[😀](": true, `\\[😀]`: false, "a)(😀": true,
	} {
		_, err := Parse(source)
		need.Is(t, source, refused, err != nil)
	}
}

func TestMatchEnds(t *testing.T) {
	for pattern, s := range map[string]string{
		"((a)+)+$": strings.Repeat("a", 40) + "b", "(?<=c(a|aa)+)b": strings.Repeat("a", 60) + "b",
		"(?:a|b|(c))*d": strings.Repeat("a", 5_000_000), // as deep as it is long
	} {
		t.Run(pattern, func(t *testing.T) {
			t.Parallel()
			matched, err := mustParse(t, pattern).Match(s)
			if matched || err != nil && !strings.HasSuffix(err.Error(), "write one that backtracks less") {
				t.Errorf("%v, %v", matched, err)
			}
		})
	}
}

func TestUnits(t *testing.T) {
	tests := []struct {
		name  string
		s     string
		units []rune
		back  string // "" : s
	}{
		{"ascii", "ab", []rune{'a', 'b'}, ""},
		{"pair", "😀", []rune{0xd83d, 0xde00}, ""},
		{"high alone", "a\xed\xa0\xbd", []rune{'a', 0xd83d}, ""},
		{"low alone", "\xed\xb8\x80é", []rune{0xde00, 0xe9}, ""},
		{"last before surrogates", "\ud7ff", []rune{0xd7ff}, ""},
		{"halves join", "\xed\xa0\xbd\xed\xb8\x80", []rune{0xd83d, 0xde00}, "😀"},
		{"invalid byte", "a\xffb", []rune{'a', 0xfffd, 'b'}, "a\ufffdb"},
		{"cut surrogate", "\xed\xa0", []rune{0xfffd, 0xfffd}, "\ufffd\ufffd"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := Units(nil, tt.s)
			if string(fmt.Sprint(got)) != fmt.Sprint(tt.units) {
				t.Errorf("Units(%q) = %x, want %x", tt.s, got, tt.units)
			}
			want := tt.back
			if want == "" {
				want = tt.s
			}
			if back := String(got); back != want {
				t.Errorf("String(Units(%q)) = %q, want %q", tt.s, back, want)
			}
		})
	}
}
