package tokens

import (
	"bytes"
	"compress/flate"
	_ "embed"
	"io"
	"strings"
	"sync"
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

// vocabulary holds the tokens of the encoding in 65,536 groups by their hash: first the
// ends of all groups as offsets in the file, then the groups. A number has four bytes, the
// lowest first. A token is its length in one byte, its rank in three, and its bytes.
//
// It was made from github.com/tiktoken-go/tokenizer v0.7.0.
//
//go:embed o200k_base.bin
var vocabulary string

const groups = 1 << 16

func rank(token string) uint32 {
	g := group(token)
	begin := uint32(4 * groups)
	if g > 0 {
		begin = number(g - 1)
	}
	for list := vocabulary[begin:number(g)]; list != ""; {
		length := 4 + int(list[0])
		if list[4:length] == token {
			return uint32(list[1]) | uint32(list[2])<<8 | uint32(list[3])<<16
		}
		list = list[length:]
	}
	return none
}

// group returns the group of a token: FNV-1a with 32 bits, both halves joined.
func group(token string) int {
	hash := uint32(2166136261)
	for i := range len(token) {
		hash = (hash ^ uint32(token[i])) * 16777619
	}
	return int(hash>>16 ^ hash&0xffff)
}

// number returns a number of the file's head.
func number(i int) uint32 {
	b := vocabulary[4*i : 4*i+4]
	return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
}

// packed is the vocabulary of cl100k_base, by rank and deflated: of each token its length in one
// byte, and its bytes. Few reports need it, so it is small instead of quick.
//
// It was made from github.com/tiktoken-go/tokenizer v0.7.0.
//
//go:embed cl100k_base.flate
var packed []byte

var ranks100k = sync.OnceValue(func() map[string]uint32 {
	list, err := io.ReadAll(flate.NewReader(bytes.NewReader(packed)))
	if err != nil {
		panic(err) // the file is part of the program
	}
	ranks := make(map[string]uint32, 100_256)
	for text := string(list); text != ""; {
		end := 1 + int(text[0])
		ranks[text[1:end]] = uint32(len(ranks))
		text = text[end:]
	}
	return ranks
})

func rank100k(token string) uint32 {
	if r, ok := ranks100k()[token]; ok {
		return r
	}
	return none
}

// word100k does what this regular expression of cl100k_base does:
//
//	(?i:'s|'t|'re|'ve|'m|'ll|'d)
//	|[^\r\n\p{L}\p{N}]?\p{L}+
//	|\p{N}{1,3}
//	| ?[^\s\p{L}\p{N}]+[\r\n]*
//	|\s*[\r\n]+
//	|\s+(?!\S)
//	|\s+
func word100k(text string) int {
	if end := contraction(text); end > 0 {
		return end
	}
	first, begin := utf8.DecodeRuneInString(text)
	if first == '\r' || first == '\n' || unicode.IsLetter(first) || unicode.IsNumber(first) {
		begin = 0
	}
	if end := while(text, begin, len(text), unicode.IsLetter); end > begin {
		return end
	}
	if end := while(text, 0, 3, unicode.IsNumber); end > 0 {
		return end
	}
	return signs(text, "\r\n")
}
