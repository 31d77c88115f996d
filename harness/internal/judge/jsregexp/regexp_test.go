package jsregexp

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
)

func mustParse(t *testing.T, source string) *Regexp {
	t.Helper()
	re, err := Parse(source)
	need.OK(t, err)
	return re
}

func TestSyntaxError(t *testing.T) {
	_, err := Parse("a(")
	if want := "Invalid regular expression: /a(/: Unterminated group"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %q", err, want)
	}
}

func TestIgnoringCase(t *testing.T) {
	tests := []struct {
		pattern, s string
		want       bool
	}{
		{"^/Cart$", "/cART", true},
		{`^\S\D\W\B-[A-Z][^A-F]\x41\u00c9$`, "xx/-qgaé", true},
		{`^[^A-F]$`, "b", false},
		{`[À-Þ]`, "é", true},
		{`^a`, "bA", false},
		{`b+c`, "aBBC", true},
	}
	for _, tt := range tests {
		got, err := mustParse(t, tt.pattern).IgnoringCase().Match(tt.s, &Budget{Steps: 1000})
		if got != tt.want || err != nil {
			t.Errorf("/%s/i on %q: %v, %v", tt.pattern, tt.s, got, err)
		}
	}
}

// TestMatch holds what a shortcut of the search for a beginning could break.
func TestMatch(t *testing.T) {
	tests := []struct {
		pattern, s string
		want       bool
	}{
		{`^a`, "ba", false},
		{`^a|b`, "ab", true},
		{`^b|a^`, "ab", false},
		{`(^a|b)c`, "abc", true},
		{`a*^`, "b", true},
		{`a+b`, "aac aab", true},
		{`a*b`, "aaacb", true},
		{`a{2,}b`, "ab aab", true},
		{`a{1,2}b`, "aaab", true},
		{`a*?b`, "aab", true},
		{`a|b`, "xb", true},
		{`ab|c`, "aac", true},
		{`a`, "xxa", true},
		{`a?b`, "xb", true},
		{`(a)b`, "xab", true},
		{`[^a]$`, "ab", true},
		{`.*b`, "a\nab", true},
		{`x*`, "", true},
		{`x+$`, "xxy", false},
	}
	for _, tt := range tests {
		got, err := mustParse(t, tt.pattern).Match(tt.s, &Budget{Steps: 1000})
		if got != tt.want || err != nil {
			t.Errorf("/%s/ on %q: %v, %v, want %v", tt.pattern, tt.s, got, err, tt.want)
		}
	}
}

// TestBudget: patterns that explode end when the budget does, leave nothing for
// the next one, and end at the same step every time.
func TestBudget(t *testing.T) {
	long := strings.Repeat("a", 100_000)
	tests := []struct{ pattern, s string }{
		{"((a)+)+$", strings.Repeat("a", 40) + "b"},
		{"(a|aa)+$", strings.Repeat("a", 60) + "b"},
		{"(?:a{0,999}){0,999}b", long},
		{"(.*)(.*)(.*)(.*)x", strings.Repeat("a", 2000)},
		{"(?=(a+))(?:\\1)*b", long},
		{"(?<=c(a|aa)+)b", strings.Repeat("a", 60) + "b"},
		{"a*a*a*b", long},
		{"(?!(a|aa)+$)", strings.Repeat("a", 60) + "b"},
		{"(?:(?:a{2147483647}){2147483647}|a)*b", long},
		{"(?:a|){2147483647}", "b"},
	}
	for _, tt := range tests {
		t.Run(tt.pattern, func(t *testing.T) {
			re, b := mustParse(t, tt.pattern), &Budget{Steps: 1_000_000}
			if ok, err := re.Match(tt.s, b); ok || !errors.Is(err, ErrBudget) {
				t.Errorf("%v, %v with %d steps left, want ErrBudget", ok, err, b.Steps)
			}
			if _, err := mustParse(t, "x").Match("x", b); !errors.Is(err, ErrBudget) {
				t.Errorf("a match after the end: %v", err)
			}
		})
	}
}

// TestEnough: what people write takes few steps.
func TestEnough(t *testing.T) {
	tests := []struct {
		pattern, s string
		steps      int
	}{
		{`^https?://shop\.example/(?:cart|basket)\?id=\d+$`, "https://shop.example/cart?id=42", 60},
		{`^(?!.*(?:login|signin)).*$`, "https://shop.example/cart?id=42", 200},
		{`.*timeout`, strings.Repeat("t", 20_000), 100_000},
		{`\s+$`, strings.Repeat(" ", 20_000) + "x", 50_000},
		{`error \d+`, strings.Repeat("nothing here ", 5_000), 150_000},
		{`^plain`, strings.Repeat("x", 100_000), 250_000},
		{`(?:^|\.)example\.com(?::\d+)?(?:/|$)`, strings.Repeat("a.b.", 100), 3000},
	}
	for _, tt := range tests {
		b := &Budget{Steps: tt.steps}
		if _, err := mustParse(t, tt.pattern).Match(tt.s, b); err != nil {
			t.Errorf("/%s/ on %d bytes takes more than %d steps", tt.pattern, len(tt.s), tt.steps)
		}
	}
}

// TestDepth: a long string does not use up the Go stack, which would end the
// process.
func TestDepth(t *testing.T) {
	for _, pattern := range []string{"(?:a|b|(c))*d", "(?:" + strings.Repeat("()", 200) + "a)*d", "(?=(?:a|b)*c)"} {
		b := &Budget{Steps: 1 << 40}
		if _, err := mustParse(t, pattern).Match(strings.Repeat("a", 5_000_000), b); !errors.Is(err, ErrBudget) {
			t.Errorf("/%.20s/: %v, want ErrBudget", pattern, err)
		}
	}
}

func TestConcurrentUse(t *testing.T) {
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for n := range 50 {
				re, err := Parse(fmt.Sprintf("^(a|b)*%d$", n))
				if err != nil {
					t.Error(err)
					return
				}
				ok, err := re.Match(fmt.Sprintf("abba%d", n), &Budget{Steps: 1000 + i})
				if !ok || err != nil {
					t.Errorf("%v, %v", ok, err)
				}
			}
		})
	}
	wg.Wait()
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
