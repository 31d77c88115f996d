// Package tokens counts the tokens of a text in the encoding o200k_base.
package tokens

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer/codec"
)

// encoding is made for the first text. From v0.8.0 on, its module cuts blank lines wrongly.
var encoding = sync.OnceValue(codec.NewO200kBase)

// maxRun is how many bytes of white space, or of anything else, are counted at once. The time
// grows with the square of the length, and a page can hold a word of any length.
const maxRun = 1000

// maxCountedText is how many bytes of a text are counted.
const maxCountedText = 1 << 20

// Of counts the tokens of a text. A run of over 1,000 bytes of white space, or of anything else, is
// counted in pieces, which can give a few tokens too many. The first MiB of a longer text
// is counted, and stands for the rest in proportion.
func Of(text string) (n int) {
	if len(text) > maxCountedText {
		return int(float64(Of(text[:maxCountedText])) * float64(len(text)) / maxCountedText)
	}
	for text != "" {
		end := piece(text)
		n, text = n+count(text[:end]), text[end:]
	}
	return n
}

// count returns the number of tokens of text. A byte that is not UTF-8 counts as U+FFFD.
func count(text string) int {
	if !utf8.ValidString(text) {
		text = string([]rune(text))
	}
	n, err := encoding().Count(text)
	if err != nil {
		panic(err) // the expression that splits words has no time limit, which is its only error
	}
	return n
}

// piece returns the length of the beginning of text that is counted at once: all of it,
// unless it holds a run of white space, or of anything else, that is too long. A slash or the end of a line goes on
// with any run, as signs, slashes and ends of lines can be one word.
func piece(text string) int {
	begin, space := 0, false
	for i, r := range text {
		is := unicode.IsSpace(r)
		if strings.ContainsRune("\r\n/", r) {
			is = space
		}
		switch {
		case is != space:
			begin, space = i, is
		case i-begin >= maxRun:
			return i
		}
	}
	return len(text)
}

// Size is the length of texts in two measures.
type Size struct {
	Bytes int `json:"bytes"`
	O200k int `json:"o200k"` // tokens of o200k_base
}

// SizeOf measures a text.
func SizeOf(text string) Size { return Size{len(text), Of(text)} }

// Plus adds two sizes.
func (s Size) Plus(t Size) Size { return Size{s.Bytes + t.Bytes, s.O200k + t.O200k} }

// Max is the larger one in each measure.
func (s Size) Max(t Size) Size { return Size{max(s.Bytes, t.Bytes), max(s.O200k, t.O200k)} }

// Compare is -1 or 1 only if bytes and tokens agree, else 0, a tie.
func (s Size) Compare(t Size) int {
	switch {
	case s.Bytes < t.Bytes && s.O200k < t.O200k:
		return -1
	case s.Bytes > t.Bytes && s.O200k > t.O200k:
		return 1
	}
	return 0
}
