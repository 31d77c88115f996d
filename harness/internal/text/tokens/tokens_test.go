package tokens

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
)

var seeds = []string{
	"", " ", "a", "hello world", "Hello, World! It's 12345 o'clock; they'RE I'll don't x'S 'd '\u017f'",
	"\n  \n", "  \r\n\t x  ", "a\u00a0\u0085\u2003 b", "/path/to//\n\n/x", "!!!\r\n/\n/", "  {\n    \"a\": [1, 22, 4444]\n  }\n",
	"ABCdefGHI ÀÉîö ǅ ʰA ʰa 中文字 한국어 हिन्दी e\u0301\u0301 \u0301 !\u0301A \u0301\u0301B", "٣٤٥٦½²Ⅷ", "👩‍👩‍👧 🎉",
	"\xff\xfe abc\xc3", "\ufffd\xff", strings.Repeat(" ", 300) + "x", strings.Repeat("ab", 700), strings.Repeat("=", 257),
	"[page_stats] url: https://shop.test/cart?id=7 | title: Cart\n  [12]<button class=\"btn\"/>Buy", "55D204C83A89332D6F1694E6F5844B05",
}

// short are all texts of up to four of these characters, one of each class.
func short(yield func(string) bool) {
	classes := []string{"A", "a", "ǅ", "ʰ", "中", "\u0301", "7", " ", "\n", "\u00a0", "'", "s", "/", "\xff"}
	var all func(text string, left int) bool
	all = func(text string, left int) bool {
		if !yield(text) {
			return false
		}
		return left == 0 || !slices.ContainsFunc(classes, func(c string) bool { return !all(text+c, left-1) })
	}
	all("", 4)
}

// A newer module that counts otherwise makes the tokens of old runs incomparable.
func TestCount(t *testing.T) {
	for _, row := range []struct {
		name   string
		texts  iter.Seq[string]
		digest string
	}{
		{"seeds", slices.Values(seeds), "a79c2a85bd7325e8"},
		{"short", short, "8a40814d151f2241"},
	} {
		t.Run(row.name, func(t *testing.T) {
			hash := sha256.New()
			for text := range row.texts {
				hash.Write(binary.AppendUvarint(nil, uint64(count(text))))
			}
			need.Is(t, "the counts have the digest", row.digest, fmt.Sprintf("%x", hash.Sum(nil)[:8]))
		})
	}
	if n := count("hello world"); n != 2 {
		t.Errorf("hello world has %d tokens, want 2", n)
	}
}

// A run without end is cut, whatever it is of: the time grows with the square of its length.
func TestPiece(t *testing.T) {
	for text, want := range map[string]int{
		"a b": 3, strings.Repeat("a ", 2000): 4000, strings.Repeat("a", 2000): 1000, strings.Repeat("中", 2000): 1002,
		strings.Repeat(" ", 2000): 1000, "a" + strings.Repeat("\n\u00a0", 2000): 1003, "\xff" + strings.Repeat(" \v", 2000): 1001,
		strings.Repeat("/\n", 2000): 1000, strings.Repeat(" \n/", 2000): 1000, strings.Repeat("a b/\n", 2000): 10_000,
	} {
		need.Is(t, fmt.Sprintf("%.9q", text), want, piece(text))
	}
}

// Whatever the text, its count is at most its bytes.
func FuzzCount(f *testing.F) {
	for _, text := range seeds {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ToValidUTF8(text, "?")
		if n := Of(text); n > len(text) || (n == 0) != (text == "") {
			t.Errorf("%d tokens", n)
		}
	})
}

func TestCompare(t *testing.T) {
	for _, tt := range []struct {
		name string
		a, b Size
		want int
	}{
		{"both less", Size{Bytes: 1, O200k: 1}, Size{Bytes: 2, O200k: 2}, -1},
		{"both more", Size{Bytes: 3, O200k: 3}, Size{Bytes: 2, O200k: 2}, 1},
		{"one disagrees", Size{Bytes: 1, O200k: 3}, Size{Bytes: 2, O200k: 2}, 0},
		{"one is equal", Size{Bytes: 1, O200k: 2}, Size{Bytes: 2, O200k: 2}, 0},
	} {
		need.Is(t, tt.name, tt.want, tt.a.Compare(tt.b))
	}
}
