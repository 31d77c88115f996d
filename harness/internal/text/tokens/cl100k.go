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
