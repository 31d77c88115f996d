package tokens

import (
	"bytes"
	"compress/flate"
	_ "embed"
	"io"
	"sync"
	"unicode"
	"unicode/utf8"
)

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
