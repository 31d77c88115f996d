package tokens

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// word returns the length of the first word of text, which is valid and not empty. It does
// what this regular expression of o200k_base does:
//
//	[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//	|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//	|\p{N}{1,3}
//	| ?[^\s\p{L}\p{N}]+[\r\n/]*
//	|\s*[\r\n]+
//	|\s+(?!\S)
//	|\s+
func word(text string) int {
	if end := letters(text); end > 0 {
		return end + contraction(text[end:])
	}
	if end := while(text, 0, 3, unicode.IsNumber); end > 0 {
		return end
	}
	return signs(text, "\r\n/")
}

// signs returns the length of the first word of a text that begins with no letter or number: signs
// with what ends them, or white space.
func signs(text, ends string) int {
	space := 0
	if text[0] == ' ' {
		space = 1
	}
	if end := while(text, space, len(text), isSign); end > space {
		return while(text, end, len(text), func(r rune) bool { return strings.ContainsRune(ends, r) })
	}
	return white(text)
}

// letters returns the end of the first two alternatives, without the contraction; 0 if
// neither matches.
func letters(text string) int {
	begin := 0
	first, size := utf8.DecodeRuneInString(text)
	if first != '\r' && first != '\n' && !unicode.IsLetter(first) && !unicode.IsNumber(first) {
		begin = size
	}
	upper := while(text, begin, len(text), isUpper)
	if end := while(text, upper, len(text), isLower); end > upper {
		return end
	}
	// The first alternative needs a lower one: the last of the upper ones that is both.
	for end := upper; end > begin; {
		r, size := utf8.DecodeLastRuneInString(text[:end])
		if isLower(r) {
			return end
		}
		end -= size
	}
	if begin > 0 && isLower(first) { // a mark
		return begin
	}
	if upper > begin {
		return upper
	}
	return 0
}

// white returns the length of the first word of a text that begins with white space: up to
// the last end of a line, else all but the last, which belongs to the next word.
func white(text string) int {
	end := while(text, 0, len(text), unicode.IsSpace)
	if line := strings.LastIndexAny(text[:end], "\r\n"); line >= 0 {
		return line + 1
	}
	_, last := utf8.DecodeLastRuneInString(text[:end])
	if end == len(text) || end == last {
		return end
	}
	return end - last
}

// contraction returns the length of the end of an English word that text begins with.
func contraction(text string) int {
	if text == "" || text[0] != '\'' {
		return 0
	}
	for _, c := range [...]string{"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"} {
		if len(text) >= len(c) && strings.ToLower(text[:len(c)]) == c {
			return len(c)
		}
	}
	return 0
}

// while returns where the characters from begin on end that belong to class. There are at
// most so many.
func while(text string, begin, most int, class func(rune) bool) int {
	for _, r := range text[begin:] {
		if most == 0 || !class(r) {
			break
		}
		begin, most = begin+utf8.RuneLen(r), most-1
	}
	return begin
}

func isUpper(r rune) bool {
	if r < utf8.RuneSelf {
		return 'A' <= r && r <= 'Z'
	}
	return unicode.In(r, unicode.Lu, unicode.Lt, unicode.Lm, unicode.Lo, unicode.M)
}

func isLower(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z'
	}
	return unicode.In(r, unicode.Ll, unicode.Lm, unicode.Lo, unicode.M)
}

func isSign(r rune) bool {
	return !unicode.IsSpace(r) && !unicode.IsLetter(r) && !unicode.IsNumber(r)
}
