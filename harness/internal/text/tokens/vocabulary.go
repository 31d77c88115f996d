package tokens

import _ "embed"

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
