package jsregexp

import "testing"

// BenchmarkCompile parses a typical pattern that is not cached.
func BenchmarkCompile(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		clear(cache.patterns)
		if _, err := Parse(`^https://shop\.example\.com/cart(?:\?.*)?$`); err != nil {
			b.Fatal(err)
		}
	}
}
