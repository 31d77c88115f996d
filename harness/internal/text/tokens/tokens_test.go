package tokens

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"flag"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/tiktoken-go/tokenizer/codec"
)

var update = flag.Bool("update", false, "rewrite the vocabulary")

// modules are what this package is compared with. They stay at v0.7.0: from v0.8.0 on, the
// regular expression cuts blank lines wrongly.
var modules = sync.OnceValue(func() map[string]*codec.Codec {
	return map[string]*codec.Codec{"o200k": codec.NewO200kBase(), "cl100k": codec.NewCl100kBase()}
})

func module() *codec.Codec { return modules()["o200k"] }

// compare compares a file with what it is to hold, or writes it.
func compare(t *testing.T, name string, want, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(name, want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if string(want) != string(got) {
		t.Errorf("%s differs from the module's vocabulary: %d bytes and %d", name, len(got), len(want))
	}
}

// The files hold the modules' tokens, and nothing else.
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
	compare(t, "o200k_base.bin", append(head, body...), []byte(vocabulary))

	var list []byte
	for i := uint(0); ; i++ {
		token, err := modules()["cl100k"].Decode([]uint{i})
		if err != nil {
			break
		}
		list = append(append(list, byte(len(token))), token...)
	}
	if *update {
		var b bytes.Buffer
		w, _ := flate.NewWriter(&b, flate.BestCompression)
		w.Write(list)
		w.Close()
		compare(t, "cl100k_base.flate", b.Bytes(), nil)
		return
	}
	got, err := io.ReadAll(flate.NewReader(bytes.NewReader(packed))) // a later Go may deflate in another way
	if err != nil {
		t.Fatal(err)
	}
	compare(t, "cl100k_base.flate", list, got)
}

// check compares a text's counts with the modules'.
func check(t *testing.T, text string) {
	t.Helper()
	for name, e := range map[string]Encoding{"o200k": O200k, "cl100k": Cl100k} {
		want, err := modules()[name].Count(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := e.count(text); got != want {
			t.Errorf("%s: %.200q: %d tokens, want %d", name, text, got, want)
		}
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
