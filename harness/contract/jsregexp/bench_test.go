package jsregexp

import (
	"testing"
	"time"
)

// BenchmarkCompile checks and compiles a typical pattern that is not cached.
func BenchmarkCompile(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		pieces, shape, err := rewrite(`^https://shop\.example\.com/cart(?:\?.*)?$`, false)
		if err != nil {
			b.Fatal(err)
		}
		re := &Regexp{pieces: pieces, shape: shape}
		if _, err := re.Matcher(&Budget{Left: time.Second}); err != nil {
			b.Fatal(err)
		}
	}
}
