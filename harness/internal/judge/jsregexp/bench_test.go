package jsregexp

import "testing"

// BenchmarkCompile parses a typical pattern.
func BenchmarkCompile(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(`^https://shop\.example\.com/cart(?:\?.*)?$`); err != nil {
			b.Fatal(err)
		}
	}
}
