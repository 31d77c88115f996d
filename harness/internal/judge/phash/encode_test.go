package phash

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
)

// ihdr returns an IHDR chunk for 8-bit pixels of 3 or 4 channels.
func ihdr(width, height, channels int) []byte {
	body := binary.BigEndian.AppendUint32(nil, uint32(width))
	body = binary.BigEndian.AppendUint32(body, uint32(height))
	colour := map[int]byte{3: 2, 4: 6}[channels]
	return chunk("IHDR", append(body, 8, colour, 0, 0, 0))
}

// chunk frames body. Its checksum is zero: OpenChrome does not look at it.
func chunk(kind string, body []byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(body)))
	b = append(b, kind...)
	b = append(b, body...)
	return append(b, 0, 0, 0, 0)
}

// file joins chunks behind the signature.
func file(chunks ...[]byte) []byte {
	return append([]byte(signature), bytes.Join(chunks, nil)...)
}

func deflate(tb testing.TB, raw []byte) []byte {
	tb.Helper()
	var b bytes.Buffer
	zw := zlib.NewWriter(&b)
	if _, err := zw.Write(raw); err != nil {
		tb.Fatal(err)
	}
	need.OK(tb, zw.Close())
	return b.Bytes()
}

// filterRows puts the bytes of an image through one filter type, straight from
// the formulas of the PNG specification.
func filterRows(pixels []byte, stride, bpp int, filter byte) []byte {
	at := func(x, y int) int {
		if x < 0 || y < 0 {
			return 0
		}
		return int(pixels[y*stride+x])
	}
	var raw []byte
	for y := range len(pixels) / stride {
		raw = append(raw, filter)
		for x := range stride {
			left, up, upLeft := at(x-bpp, y), at(x, y-1), at(x-bpp, y-1)
			guess := left + up - upLeft
			near := func(v int) int { return max(guess-v, v-guess) }
			paeth := upLeft
			if near(left) <= near(up) && near(left) <= near(upLeft) {
				paeth = left
			} else if near(up) <= near(upLeft) {
				paeth = up
			}
			predicted := [...]int{0, left, up, (left + up) / 2, paeth}[filter]
			raw = append(raw, byte(at(x, y)-predicted))
		}
	}
	return raw
}
