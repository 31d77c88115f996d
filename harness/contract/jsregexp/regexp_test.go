package jsregexp

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

func mustParse(t *testing.T, source string) *Regexp {
	t.Helper()
	re, err := Parse(source)
	if err != nil {
		t.Fatal(err)
	}
	return re
}

func match(re *Regexp, s string, limit time.Duration) (bool, error) {
	m, err := re.Matcher(&Budget{Left: limit})
	if err != nil {
		return false, err
	}
	return m.Match(s)
}

func TestSyntaxError(t *testing.T) {
	_, err := Parse("a(")
	e, ok := errors.AsType[*SyntaxError](err)
	if !ok || e.Source != "a(" || e.Reason != "Unterminated group" {
		t.Fatalf("Parse = %#v", err)
	}
	if want := "Invalid regular expression: /a(/: Unterminated group"; err.Error() != want {
		t.Errorf("error %q, want %q", err, want)
	}
}

func TestTooManyCaptures(t *testing.T) {
	if _, err := Parse(strings.Repeat("()", maxCaptures)); err != nil {
		t.Errorf("%d groups: %v", maxCaptures, err)
	}
	_, err := Parse(strings.Repeat("()", maxCaptures+1))
	if e, _ := errors.AsType[*SyntaxError](err); e == nil || e.Reason != "Too many captures" {
		t.Errorf("one more: %v", err)
	}
}

func TestLowered(t *testing.T) {
	tests := []struct {
		pattern, s string
		want       bool
	}{
		{"^/Cart$", "/cart", true},
		{`^\S\D\W\B-[A-Z][^A-F]\x41\u00c9$`, "xx/-qgaé", true},
		{`^[^A-F]$`, "b", false},
		{`(?<N>A)\k<N>`, "aa", true},
		{"[À-Þ]", "é", true},
	}
	for _, tt := range tests {
		if got, err := match(mustParse(t, tt.pattern).Lowered(), tt.s, time.Minute); got != tt.want || err != nil {
			t.Errorf("/%s/ lowered on %q: %v, %v", tt.pattern, tt.s, got, err)
		}
	}
}

// TestBudget: patterns that take exponential or cubic time end when the
// budget does, and leave nothing for the next one.
func TestBudget(t *testing.T) {
	long := strings.Repeat("a", 100_000)
	tests := []struct{ pattern, subject string }{
		{"((a)+)+$", strings.Repeat("a", 40) + "b"},
		{"(a|aa)+$", strings.Repeat("a", 60) + "b"},
		{"(?:a{0,999}){0,999}b", long},
		{"(.*)(.*)(.*)(.*)x", strings.Repeat("a", 2000)},
		{"(?=(a+))(?:\\1)*b", long},
		{"(?<=(a|aa)+)b", strings.Repeat("a", 60)},
		{"a*a*a*b", long},
	}
	for _, tt := range tests {
		t.Run(tt.pattern, func(t *testing.T) {
			b := &Budget{Left: 50 * time.Millisecond}
			m, err := mustParse(t, tt.pattern).Matcher(b)
			if err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			_, err = m.Match(tt.subject)
			if took := time.Since(start); took > time.Second {
				t.Errorf("took %v", took)
			}
			if errors.Is(err, ErrBudget) {
				if _, err := m.Match(""); !errors.Is(err, ErrBudget) {
					t.Errorf("a match after the end: %v", err)
				}
				if _, err := mustParse(t, "other").Matcher(b); !errors.Is(err, ErrBudget) {
					t.Errorf("a pattern after the end: %v", err)
				}
			} else if err == nil {
				t.Logf("finished in time, %v left", b.Left)
			}
		})
	}
	if _, err := match(mustParse(t, "((a)+)+$"), tests[0].subject, 20*time.Millisecond); !errors.Is(err, ErrBudget) {
		t.Errorf("exponential pattern: %v, want ErrBudget", err)
	}
}

func TestStackLimit(t *testing.T) {
	// Each round of the loop leaves a few words to come back to.
	_, err := match(mustParse(t, "(?:a|b|(c))*d"), strings.Repeat("a", 5_000_000), time.Minute)
	if err == nil || errors.Is(err, ErrBudget) || !strings.Contains(err.Error(), "memory") {
		t.Errorf("got %v, want the memory error", err)
	}
}

func TestCacheIsBounded(t *testing.T) {
	for i := range 2 * cacheSize {
		mustParse(t, fmt.Sprintf("pattern %d", i))
	}
	if n := len(known.patterns); n > cacheSize {
		t.Errorf("%d patterns are kept, want at most %d", n, cacheSize)
	}
	if a, b := mustParse(t, "again"), mustParse(t, "again"); a != b {
		t.Error("the same source was parsed twice")
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
				ok, err := match(re, fmt.Sprintf("abba%d", n), time.Duration(i+1)*time.Second)
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
