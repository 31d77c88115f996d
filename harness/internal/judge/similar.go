package judge

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxSimilarRunes = 200  // longer texts are not searched for
	maxSimilarWords = 4000 // only so many words of the text are searched
	minSimilarity   = 0.6
)

// similar finds the words of text that are most like want: the words that share most pairs
// of neighbouring characters with it (Dice's coefficient).
func similar(text, want string) (string, bool) {
	count := len(strings.FieldsFunc(want, unicode.IsSpace))
	if count == 0 || utf8.RuneCountInString(want) > maxSimilarRunes {
		return "", false
	}
	pairs := newPairs(want)
	words := wordSpans(text)
	best, from, to := 0.0, 0, 0
	for i := range words {
		for n := max(1, count-1); n <= count+1 && i+n <= len(words); n++ {
			a, b := words[i].from, words[i+n-1].to
			if b-a > 2*len(want)+8 || 2*(b-a)+8 < len(want) {
				continue
			}
			if score := pairs.score(text[a:b]); score > best {
				best, from, to = score, a, b
			}
		}
	}
	return text[from:to], best >= minSimilarity
}

type span struct{ from, to int }

// wordSpans returns where the words of text are.
func wordSpans(text string) (words []span) {
	end := 0
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return dropSpace(r) < 0 }) {
		from := end + strings.Index(text[end:], word) // only white space comes before it
		end = from + len(word)
		if words = append(words, span{from, end}); len(words) == maxSimilarWords {
			break
		}
	}
	return words
}

// charPairs holds the pairs of neighbouring characters of one text.
type charPairs struct {
	index map[[2]rune]int
	count []int
	left  []int // scratch memory for score
	total int
}

func newPairs(s string) *charPairs {
	p := &charPairs{index: map[[2]rune]int{}}
	eachPair(s, func(pair [2]rune) {
		i, ok := p.index[pair]
		if !ok {
			i = len(p.count)
			p.index[pair] = i
			p.count = append(p.count, 0)
		}
		p.count[i]++
		p.total++
	})
	p.left = make([]int, len(p.count))
	return p
}

// score is 1 for a text with the same pairs, and 0 for a text that shares no pair.
func (p *charPairs) score(s string) float64 {
	copy(p.left, p.count)
	shared, total := 0, 0
	eachPair(s, func(pair [2]rune) {
		total++
		if i, ok := p.index[pair]; ok && p.left[i] > 0 {
			p.left[i]--
			shared++
		}
	})
	if total+p.total == 0 {
		return 0
	}
	return 2 * float64(shared) / float64(total+p.total)
}

func eachPair(s string, f func([2]rune)) {
	last := rune(-1)
	for _, r := range s {
		if r = dropSpace(unicode.ToLower(r)); r < 0 {
			continue
		}
		if last >= 0 {
			f([2]rune{last, r})
		}
		last = r
	}
}
