package tokens

import (
	"strings"
	"unicode/utf8"
)

// maxWord is how many bytes of a text without white space are counted at once. The time
// grows with the square of the length, and a page can hold a word of any length.
const maxWord = 1000

// maxCountedText is how many bytes of a text are counted.
const maxCountedText = 1 << 20

// Of counts the tokens of a text. A word of over 1,000 bytes is
// counted in pieces, which can give a few tokens too many. The first MiB of a longer text
// is counted, and stands for the rest in proportion.
func (e Encoding) Of(text string) (n int) {
	if len(text) > maxCountedText {
		return int(float64(e.Of(text[:maxCountedText])) * float64(len(text)) / maxCountedText)
	}
	for text != "" {
		end := piece(text)
		n, text = n+e.count(text[:end]), text[end:]
	}
	return n
}

// piece returns the length of the beginning of text that is counted at once: all of it,
// unless it holds a word that is too long.
func piece(text string) int {
	for begin := 0; begin < len(text); {
		end := min(len(text), begin+maxWord+1)
		if i := strings.IndexAny(text[begin:end], " \t\r\n"); i >= 0 {
			end = begin + i
		}
		if end-begin > maxWord {
			end = begin + maxWord
			for end > begin && !utf8.RuneStart(text[end]) {
				end--
			}
			return max(end, 1)
		}
		begin = end + 1
	}
	return len(text)
}

// Size is the length of texts in three measures.
type Size struct {
	Bytes  int `json:"bytes"`
	O200k  int `json:"o200k"`
	Cl100k int `json:"cl100k"`
}

// SizeOf measures a text.
func SizeOf(text string) Size { return Size{len(text), O200k.Of(text), Cl100k.Of(text)} }

// Plus adds two sizes.
func (s Size) Plus(t Size) Size {
	return Size{s.Bytes + t.Bytes, s.O200k + t.O200k, s.Cl100k + t.Cl100k}
}

// Max is the larger one in each measure.
func (s Size) Max(t Size) Size {
	return Size{max(s.Bytes, t.Bytes), max(s.O200k, t.O200k), max(s.Cl100k, t.Cl100k)}
}

// Values are the three measures.
func (s Size) Values() [3]int { return [3]int{s.Bytes, s.O200k, s.Cl100k} }

// Compare is -1 or 1 only if bytes and both encodings agree, else 0, a tie.
func (s Size) Compare(t Size) int {
	less, more := true, true
	for i, v := range s.Values() {
		less, more = less && v < t.Values()[i], more && v > t.Values()[i]
	}
	switch {
	case less:
		return -1
	case more:
		return 1
	}
	return 0
}
