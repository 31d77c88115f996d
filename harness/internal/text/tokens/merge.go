// Package tokens counts the tokens of a text in two encodings. It does not encode.
//
// The module github.com/tiktoken-go/tokenizer does the same. It compiles the vocabularies of
// four encodings, which is a tenth of the time of a first build, and fills a map of 200,000
// words before it counts the first text, which costs a short run most of its time. This
// package searches a file that is part of the program. The tests hold digests of its counts.
package tokens

import (
	"math"
	"unicode/utf8"
)

// Encoding is a way to split a text into tokens.
type Encoding struct {
	word func(text string) int     // the length of the first word
	rank func(token string) uint32 // of a token, or none
}

// The encodings.
var (
	O200k  = Encoding{word, rank}         // o200k_base
	Cl100k = Encoding{word100k, rank100k} // cl100k_base
)

// count returns the number of tokens of text. A byte that is not UTF-8 counts as U+FFFD.
// The time grows with the square of the length of the longest word.
func (e Encoding) count(text string) (n int) {
	if !utf8.ValidString(text) {
		text = string([]rune(text))
	}
	m := merger{rank: e.rank}
	for text != "" {
		end := e.word(text)
		n += m.count(text[:end])
		text = text[end:]
	}
	return n
}

// none is the rank of a text that is no token.
const none = math.MaxUint32

// merger splits words into tokens. It keeps its memory from one word to the next.
type merger struct {
	rank  func(token string) uint32
	parts []part
}

// part is a part of a word, from begin to the next part. The last one is empty.
type part struct {
	begin int
	rank  uint32 // of this part and the next one together
}

// count returns the number of tokens of a word. Its parts are single bytes at first. As
// long as two neighbours together are a token, those with the lowest rank become one part.
// Where several are equal, that is the first.
func (m *merger) count(word string) int {
	if m.rank(word) != none {
		return 1
	}
	parts := m.parts[:0]
	for i := range len(word) + 1 {
		parts = append(parts, part{i, none})
	}
	for i := range len(word) - 1 {
		parts[i].rank = m.rank(word[i : i+2])
	}
	m.parts = parts
	for {
		lowest := uint32(none)
		for _, p := range parts {
			lowest = min(lowest, p.rank)
		}
		if lowest == none {
			return len(parts) - 1
		}
		parts = m.merge(word, parts, lowest)
	}
}

// merge joins all neighbours that have the lowest rank, from left to right. A longer token
// can have a lower rank than its parts. So merge stops as soon as there is a lower rank.
func (m *merger) merge(word string, parts []part, lowest uint32) []part {
	kept := 0 // parts[:kept] are done
	for i := 0; i < len(parts); i++ {
		p := parts[i]
		if p.rank == lowest {
			i++ // parts[i] is now a part of p
			p.rank = none
			if i+2 < len(parts) {
				p.rank = m.rank(word[p.begin:parts[i+2].begin])
			}
			if kept > 0 {
				parts[kept-1].rank = m.rank(word[parts[kept-1].begin:parts[i+1].begin])
			}
		}
		parts[kept] = p
		kept++
		if p.rank < lowest || kept > 1 && parts[kept-2].rank < lowest {
			return append(parts[:kept], parts[i+1:]...)
		}
	}
	return parts[:kept]
}
