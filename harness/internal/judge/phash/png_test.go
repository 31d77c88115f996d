package phash

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/openchrome/bench/harness/internal/need"
)

// noise returns the bytes of a small image, always the same.
func noise(n int) []byte {
	rnd := rand.New(rand.NewPCG(1, 2))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rnd.Uint32() >> rnd.IntN(8)) // small values too, so that filters meet ties
	}
	return b
}

func TestUnfilter(t *testing.T) {
	const width, height = 23, 9
	for _, channels := range []int{3, 4} {
		want := noise(width * height * channels)
		for filter := range byte(5) {
			raw := filterRows(want, width*channels, channels, filter)
			img, err := parse(file(ihdr(width, height, channels), chunk("IDAT", deflate(t, raw))))
			need.OK(t, err)
			var got []byte
			need.OK(t, img.scan(func(y int, row []byte, c int) { got = append(got, row...) }, time.Time{}))
			need.Equal(t, fmt.Sprintf("filter %d, %d channels", filter, channels), want, got)
		}
	}
}

func TestPNGRules(t *testing.T) {
	const width, height = 8, 8
	pixels := noise(width * height * 3)
	raw := filterRows(pixels, width*3, 3, 0)
	z := deflate(t, raw)
	head, data, end := ihdr(width, height, 3), chunk("IDAT", z), chunk("IEND", nil)
	plain := file(head, data, end)
	want, err := Hash(plain, time.Time{})
	need.OK(t, err)
	header := func(at int, b byte) []byte { // plain with one byte of IHDR's body changed
		p := bytes.Clone(plain)
		p[len(signature)+8+at] = b
		return p
	}
	changed := func(b []byte, at int, v byte) []byte {
		b = bytes.Clone(b)
		b[at] = v
		return b
	}
	sized := func(w, h int) []byte { return file(ihdr(w, h, 3), data, end) }
	tests := []struct {
		name string
		png  []byte
		err  string // "" for the hash of plain; a text ending in … is a prefix
	}{
		{"no IEND", file(head, data), ""},
		{"text after IEND", append(bytes.Clone(plain), "junk"...), ""},
		{"data in pieces", file(head, chunk("IDAT", z[:5]), chunk("tEXt", nil), chunk("IDAT", z[5:]), end), ""},
		{"data before header", file(data, head, end), ""},
		{"last header counts", file(ihdr(3, 3, 4), data, head), ""},
		{"unknown chunk", file(chunk("abcd", pixels), head, data, end), ""},
		{"compression method", header(10, 9), ""},
		{"filter method", header(11, 9), ""},
		{"bytes after the zlib stream", file(head, chunk("IDAT", append(bytes.Clone(z), "junk"...))), ""},

		{"nothing", nil, "not a PNG: buffer too short"},
		{"19 bytes", plain[:19], "not a PNG: buffer too short"},
		{"signature only", append([]byte(signature), "123456789012"...), "PNG truncated in chunk '5678'"},
		{"other signature", append([]byte("x"), plain[1:]...), "not a PNG: bad magic"},
		{"cut in a chunk header", file(head, data, end[:7]), "PNG truncated at chunk header"},
		{"cut in a checksum", file(head, data[:len(data)-1]), "PNG truncated in chunk 'IDAT'"},
		{"huge chunk", file(head, []byte("\xff\xff\xff\xffIDAT1234")), "PNG truncated in chunk 'IDAT'"},
		{"no header", file(data, end), "PNG missing IHDR"},
		{"no data", file(head, end), "PNG missing IDAT"},
		{"short header", file(chunk("IHDR", make([]byte, 12)), data), "malformed IHDR length=12"},
		{"long header", file(chunk("IHDR", make([]byte, 14)), data), "malformed IHDR length=14"},
		{"16 bits", header(8, 16), "unsupported PNG bitDepth=16 (expected 8)"},
		{"4 bits", header(8, 4), "unsupported PNG bitDepth=4 (expected 8)"},
		{"grey", header(9, 0), "unsupported PNG colorType=0 (expected 2=RGB or 6=RGBA)"},
		{"palette", header(9, 3), "unsupported PNG colorType=3 (expected 2=RGB or 6=RGBA)"},
		{"grey and alpha", header(9, 4), "unsupported PNG colorType=4 (expected 2=RGB or 6=RGBA)"},
		{"interlaced", header(12, 1), "interlaced PNG (Adam7) is not supported"},
		{"no height", sized(8, 0), "PNG dimensions 8x0 out of bounds (max 16384)"},
		{"too wide", sized(16385, 1), "PNG dimensions 16385x1 out of bounds (max 16384)"},
		{"too high", sized(1, 1<<31), "PNG dimensions 1x2147483648 out of bounds (max 16384)"},
		{"one pixel above 16 million", sized(15625, 1025), "PNG dimensions 15625x1025 exceed 16000000 pixels; take a smaller screenshot"},
		{"16 million pixels", sized(15625, 1024), "PNG inflated size 200 != expected 48001024 (W=15625 H=1024 c=3)"},

		{"one row missing", sized(8, 9), "PNG inflated size 200 != expected 225 (W=8 H=9 c=3)"},
		{"one row too many", sized(8, 7), "PNG image data does not inflate: more than the expected 175 bytes"},
		{"empty data", file(head, chunk("IDAT", nil)), "PNG image data does not inflate: unexpected EOF"},
		{"data cut off", file(head, chunk("IDAT", z[:len(z)/2])), "PNG image data does not inflate: unexpected EOF"},
		{"zlib checksum missing", file(head, chunk("IDAT", z[:len(z)-4])), "PNG image data does not inflate: unexpected EOF"},
		{"zlib checksum wrong", file(head, chunk("IDAT", changed(z, len(z)-1, z[len(z)-1]^1))), "PNG image data does not inflate: zlib: invalid checksum"},
		{"no zlib header", file(head, chunk("IDAT", raw)), "PNG image data does not inflate: zlib: invalid header"},
		{"preset dictionary", file(head, chunk("IDAT", []byte("\x78\xbb0000"))), "PNG image data does not inflate: zlib: invalid dictionary"},
		{"broken deflate", file(head, chunk("IDAT", []byte("\x78\x9c\x07000"))), "PNG image data does not inflate: flate: corrupt input…"},
		{"unknown filter", file(head, chunk("IDAT", deflate(t, changed(raw, 50, 5)))), "unknown PNG filter type 5"},
		{"first unknown filter", file(head, chunk("IDAT", deflate(t, changed(changed(raw, 50, 9), 100, 7)))), "unknown PNG filter type 9"},
		{"unknown filter, wrong size", file(ihdr(8, 9, 3), chunk("IDAT", deflate(t, changed(raw, 0, 5)))), "PNG inflated size 200 != expected 225 (W=8 H=9 c=3)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Hash(tt.png, time.Time{})
			prefix, cut := strings.CutSuffix(tt.err, "…")
			if text := errText(err); text != tt.err && !(cut && strings.HasPrefix(text, prefix)) {
				t.Fatalf("error %q, want %q", text, tt.err)
			}
			if err == nil && got != want {
				t.Errorf("hash %x, want that of the plain image, %x", got, want)
			}
		})
	}
}

func TestAlphaIsIgnored(t *testing.T) {
	rgba := noise(8 * 8 * 4)
	var rgb []byte
	for i := 0; i < len(rgba); i += 4 {
		rgb = append(rgb, rgba[i:i+3]...)
	}
	with, err := Hash(file(ihdr(8, 8, 4), chunk("IDAT", deflate(t, filterRows(rgba, 32, 4, 0)))), time.Time{})
	need.OK(t, err)
	without, err := Hash(file(ihdr(8, 8, 3), chunk("IDAT", deflate(t, filterRows(rgb, 24, 3, 0)))), time.Time{})
	need.OK(t, err)
	need.Is(t, "hash", without, with)
}

func TestTooMuchData(t *testing.T) {
	png := file(ihdr(8, 8, 3), chunk("IDAT", nil), chunk("IDAT", make([]byte, maxData+1)))
	const want = "PNG holds more than 16777216 bytes of compressed image data; take a smaller screenshot"
	if _, err := Hash(png, time.Time{}); errText(err) != want {
		t.Errorf("error %q, want %q", errText(err), want)
	}
	// Exactly the limit is read, and found to be no zlib stream.
	png = file(ihdr(8, 8, 3), chunk("IDAT", make([]byte, maxData)))
	if binary.BigEndian.Uint32(png[33:]) != maxData {
		t.Fatal("the test built another chunk than it meant to")
	}
	need.Fails(t, need.Err(Hash(png, time.Time{})), "zlib: invalid header")
}
