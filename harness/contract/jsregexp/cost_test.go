package jsregexp

import (
	"math/rand"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestCheap(t *testing.T) {
	tests := []struct {
		pattern string
		n       int
		want    bool
	}{
		{`^https://shop\.example\.com/cart(?:\?.*)?$`, 80, true},
		{`(?:^|\.)example\.com(?::\d+)?(?:\/|$)`, 80, true},
		{`[?&]id=(\d{1,6})(?:&|$)`, 80, true},
		{`^(?!.*(?:login|signin)).*$`, 80, true},
		{`^(?=.*a)(?=.*b).*$`, 80, true},
		{`/(a|b)/(c|d)?`, 1000, true},
		{`^https?:\/\/[^/]+\/cart(?:\?.*)?$`, 120, true},
		{`^a.*b.*$|^c`, 400, true},
		{`^a.*b.*$|c`, 400, false},
		{`plain`, 1 << 20, false},
		{`((a)+)+`, 30, false},
		{`(a|aa)+`, 30, false},
		{`(?:a|ab){40}`, 30, false},
		{`(?:a?){30}a{30}`, 30, false},
		{`.*.*.*.*x`, 80, false},
		{`(?=(a|aa)+$)`, 30, false},
		{`(.+)\1\1`, 2000, false},
		{`(.+)\1`, 30, true},
		{`(?:a{2147483647}){2147483647}`, 10, false},
	}
	for _, tt := range tests {
		if got := mustParse(t, tt.pattern).shape.cheap(tt.n); got != tt.want {
			t.Errorf("/%s/ on %d units: cheap is %v", tt.pattern, tt.n, got)
		}
	}
}

// TestCheapIsCheap runs random patterns that are called cheap without a
// clock.
func TestCheapIsCheap(t *testing.T) {
	parts := []string{"a", "b", "(", "(?:", "(?=", "(?<=", "(?!", ")", ")", ")", "*", "+", "?", "{2}", "{0,9}", "{3,}", "|", ".", "[^b]", `\1`, "*?", "$", "^"}
	subjects := []string{strings.Repeat("a", 30), strings.Repeat("ab", 40), strings.Repeat("a", 300) + "c", strings.Repeat("a", 3000)}
	rnd := rand.New(rand.NewSource(1))
	ran := 0
	for range 30_000 {
		var b strings.Builder
		depth := 0
		for range 1 + rnd.Intn(30) {
			part := parts[rnd.Intn(len(parts))]
			if part == ")" {
				if depth == 0 {
					continue
				}
				depth--
			} else if part[0] == '(' {
				depth++
			}
			b.WriteString(part)
		}
		pattern := b.String() + strings.Repeat(")", depth)
		pieces, shape, err := rewrite(pattern, false)
		if err != nil {
			continue
		}
		re := &Regexp{source: pattern, pieces: pieces, shape: shape}
		for _, s := range subjects {
			if !shape.cheap(len(s)) {
				continue
			}
			ran++
			start := time.Now()
			if _, err := match(re, s, time.Hour); err != nil {
				t.Fatalf("/%s/: %v", pattern, err)
			}
			if took := time.Since(start); took > time.Second { // generous: machines are busy
				t.Errorf("/%s/ on %d units took %v", pattern, len(s), took)
			}
		}
	}
	if ran < 5000 {
		t.Errorf("only %d matches were cheap", ran)
	}
}

// TestNoClock: a cheap match leaves no goroutine behind, which would be fatal
// in the bubble of a test.
func TestNoClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		if ok, err := match(mustParse(t, `^https://[a-z.]+/(?:cart|basket)\?id=\d+$`), "https://shop.example/cart?id=42", time.Second); !ok || err != nil {
			t.Errorf("%v, %v", ok, err)
		}
	})
}
