package phash

import (
	"bytes"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/openchrome/bench/harness/internal/need"
)

// emptyBlocks returns a zlib stream that is nothing but deflate blocks without
// content, each with Huffman codes of its own: the most work for the fewest
// bytes. The stream has no end.
func emptyBlocks(size int) []byte {
	z := []byte{0x78, 0x9c}
	var acc, have uint
	put := func(v, n uint) {
		for acc, have = acc|v<<have, have+n; have >= 8; have -= 8 {
			z = append(z, byte(acc))
			acc >>= 8
		}
	}
	for len(z) < size-16 {
		put(2<<1, 3)          // not the last block, dynamic codes
		put(0, 5)             // 257 literal codes
		put(0, 5)             // 1 distance code
		put(18-4, 4)          // 18 code length codes, of them
		put(1<<(2*3), 17*3)   // the third, for 18 (a run of zeros), has one bit,
		put(1, 3)             // and so has the last, for a length of 1
		put(1|(138-11)<<1, 8) // 138 zeros
		put(1|(118-11)<<1, 8) // 118 zeros
		put(0, 1)             // literal code 256, end of block, has one bit
		put(0, 1)             // the distance code too
		put(0, 1)             // end of block
	}
	return z
}

// An image may cost no more memory than its compressed data and some rows.
func TestHashMemory(t *testing.T) {
	zeros := deflate(t, make([]byte, (1000*4+1)*1000)) // 4 MB
	const limit = 512 << 10
	tests := []struct {
		name string
		png  []byte
	}{
		{"4 MB of pixels", file(ihdr(1000, 1000, 4), chunk("IDAT", zeros))},
		{"small header, large data", file(ihdr(1, 1, 4), chunk("IDAT", zeros))},
		{"largest header, no data", file(ihdr(15625, 1024, 4), chunk("IDAT", deflate(t, nil)))},
		{"refused header", file(ihdr(16384, 16384, 4), chunk("IDAT", zeros))},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := Hash(tt.png, time.Time{})
			runtime.ReadMemStats(&after)
			if used := after.TotalAlloc - before.TotalAlloc; used > limit {
				t.Errorf("%d bytes allocated, at most %d expected (error %v)", used, limit, err)
			}
		})
	}
}

func FuzzHash(f *testing.F) {
	paths, err := filepath.Glob("testdata/*.png")
	if err != nil || len(paths) == 0 {
		f.Fatalf("no images in testdata: %v", err)
	}
	for _, path := range paths {
		f.Add(readFile(f, filepath.Base(path)), []byte(nil))
	}
	// A second shape reaches the filters without a valid zlib stream by chance.
	f.Add([]byte(nil), noise(5*(5*3+1)))
	f.Fuzz(func(t *testing.T, png, raw []byte) {
		if raw != nil {
			png = file(ihdr(5, max(1, len(raw)/16), 3), chunk("IDAT", deflate(t, raw)))
		}
		h, err := Hash(png, time.Time{})
		if err != nil {
			if h != 0 {
				t.Errorf("hash %x beside error %v", h, err)
			}
			return
		}
		again, err := Hash(append(bytes.Clone(png), 0), time.Time{}) // only after IEND may a byte follow
		if err == nil && again != h {
			t.Errorf("hash %x, then %x", h, again)
		}
	})
}

// Data made to take long is given up at the deadline.
func TestHashDeadline(t *testing.T) {
	png := file(ihdr(8, 8, 3), chunk("IDAT", emptyBlocks(8<<20)))
	const limit = 50 * time.Millisecond
	least := time.Hour // of several readings, because a busy machine can make each one longer
	for range 3 {
		began := time.Now()
		_, err := Hash(png, began.Add(limit))
		need.Is(t, "error", "PNG image data does not inflate: it takes too long", errText(err))
		least = min(least, time.Since(began))
	}
	if least > 100*limit {
		t.Errorf("took %s", least)
	}
}
