package o200k

import (
	"encoding/binary"
	"flag"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/tiktoken-go/tokenizer/codec"
)

var update = flag.Bool("update", false, "rewrite the vocabulary")

// module is what this package is compared with. It stays at v0.7.0: from v0.8.0 on, its
// regular expression cuts blank lines wrongly.
var module = sync.OnceValue(codec.NewO200kBase)

// The file holds the module's tokens, and nothing else.
func TestVocabulary(t *testing.T) {
	const tokens = 199_998
	lists := make([][]byte, groups)
	for i := range uint(tokens) {
		token, err := module().Decode([]uint{i})
		if err != nil {
			t.Fatal(err)
		}
		g := group(token)
		lists[g] = append(append(lists[g], byte(len(token)), byte(i), byte(i>>8), byte(i>>16)), token...)
	}
	if extra, err := module().Decode([]uint{tokens}); err == nil {
		t.Errorf("the module has another token: %q", extra)
	}
	var head, body []byte
	for _, list := range lists {
		body = append(body, list...)
		head = binary.LittleEndian.AppendUint32(head, uint32(4*groups+len(body)))
	}
	file := append(head, body...)
	if *update {
		if err := os.WriteFile("o200k_base.bin", file, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if string(file) != vocabulary {
		t.Errorf("the file differs from the module's vocabulary: %d bytes and %d", len(vocabulary), len(file))
	}
}

// check compares a text's count with the module's.
func check(t *testing.T, text string) {
	t.Helper()
	want, err := module().Count(text)
	if err != nil {
		t.Fatal(err)
	}
	if got := Count(text); got != want {
		t.Errorf("%.200q: %d tokens, want %d", text, got, want)
	}
}

var seeds = []string{
	"", " ", "a", "hello world", "Hello, World! It's 12345 o'clock; they'RE I'll don't x'S 'd '\u017f'",
	"\n  \n", "  \r\n\t x  ", "a\u00a0\u0085\u2003 b", "/path/to//\n\n/x", "!!!\r\n/\n/", "  {\n    \"a\": [1, 22, 4444]\n  }\n",
	"ABCdefGHI ÀÉîö ǅ ʰA ʰa 中文字 한국어 हिन्दी e\u0301\u0301 \u0301 !\u0301A \u0301\u0301B", "٣٤٥٦½²Ⅷ", "👩‍👩‍👧 🎉",
	"\xff\xfe abc\xc3", "\ufffd\xff", strings.Repeat(" ", 300) + "x", strings.Repeat("ab", 700), strings.Repeat("=", 257),
	"[page_stats] url: https://shop.test/cart?id=7 | title: Cart\n  [12]<button class=\"btn\"/>Buy", "55D204C83A89332D6F1694E6F5844B05",
}

// All texts of up to so many of these characters, one of each class, are cut like the
// module's regular expression cuts them.
func TestWords(t *testing.T) {
	const most = 4
	classes := []string{"A", "a", "ǅ", "ʰ", "中", "\u0301", "7", " ", "\n", "\u00a0", "'", "s", "/", "\xff"}
	var try func(text string, left int)
	try = func(text string, left int) {
		check(t, text)
		if left == 0 || t.Failed() {
			return
		}
		for _, c := range classes {
			try(text+c, left-1)
		}
	}
	try("", most)
}

func TestCount(t *testing.T) {
	for _, text := range seeds {
		check(t, text)
	}
	// Words of drawn tokens have many ways to be merged.
	random := rand.New(rand.NewPCG(1, 2))
	for range 3_000 {
		var b strings.Builder
		for range 1 + random.IntN(12) {
			token, err := module().Decode([]uint{uint(random.IntN(199_998))})
			if err != nil {
				t.Fatal(err)
			}
			if random.IntN(2) == 0 {
				token = strings.TrimSpace(token)
			}
			b.WriteString(token)
		}
		check(t, b.String())
	}
}

// A longer token with a lower rank comes before the other neighbours of the same rank. No
// known text needs that in this vocabulary, so the test has its own.
func TestLowerRank(t *testing.T) {
	ranks := map[string]uint32{"abc": 1, "abca": 2, "ab": 5, "bd": 9}
	m := merger{rank: func(token string) uint32 {
		if rank, ok := ranks[token]; ok {
			return rank
		}
		return none
	}}
	if n := m.count("abcabd"); n != 2 { // abca bd
		t.Errorf("%d tokens, want 2", n)
	}
}

func FuzzCount(f *testing.F) {
	for _, text := range seeds {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) <= 10_000 {
			check(t, text)
		}
	})
}
