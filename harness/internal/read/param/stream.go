package param

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/bits"
)

// version is part of every key. Change it if values are drawn in another way.
const version = "openchrome-bench 1"

// A stream gives the random numbers for one value. Number i of a stream is the big-endian
// uint64 at byte 8*(i%4) of SHA-256(key, i/4 as big-endian uint64), where key is
// HMAC-SHA-256(empty key, version LF task LF revision LF seed LF name of the value).
type stream struct {
	key   [sha256.Size]byte
	block [sha256.Size]byte
	next  uint64
}

func newStream(seed int, task string, revision int, name string) *stream {
	mac := hmac.New(sha256.New, nil)
	fmt.Fprintf(mac, "%s\n%s\n%d\n%d\n%s", version, task, revision, seed, name)
	return &stream{key: [sha256.Size]byte(mac.Sum(nil))}
}

func (s *stream) uint64() uint64 {
	at := s.next % 4
	if at == 0 {
		s.block = sha256.Sum256(binary.BigEndian.AppendUint64(s.key[:len(s.key):len(s.key)], s.next/4))
	}
	s.next++
	return binary.BigEndian.Uint64(s.block[8*at:])
}

// below returns a number from 0 to n-1. It takes the low bits of a random number, as many
// as n-1 has, and takes the next number if the result is n or more.
func (s *stream) below(n int) int {
	mask := uint64(1)<<bits.Len64(uint64(n-1)) - 1
	for {
		if v := s.uint64() & mask; v < uint64(n) {
			return int(v)
		}
	}
}

// pick returns k different numbers from 0 to n-1 in random order: the first k of a
// Fisher-Yates shuffle, which swaps position i with position i + below(n-i).
func (s *stream) pick(k, n int) []int {
	moved := make(map[int]int, 2*k) // positions that do not hold their own number
	at := func(i int) int {
		if v, ok := moved[i]; ok {
			return v
		}
		return i
	}
	out := make([]int, k)
	for i := range k {
		j := i + s.below(n-i)
		out[i] = at(j)
		moved[j] = at(i)
	}
	return out
}
