package phash

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"github.com/openchrome/bench/harness/internal/need"
)

// The images and what OpenChrome answered to them come from running its code.
func TestHashLikeOpenChrome(t *testing.T) {
	tests := []struct{ image, hash, err string }{
		{"login-a", "b864b4b4e4b434ed", ""},
		{"login-b", "9864bcb464bcb4e5", ""},
		{"login-d", "fc64bcb424bcb425", ""},
		{"login-rgba", "b864b4b4e4b434ed", ""},
		{"login-split", "b864b4b4e4b434ed", ""},
		{"login-noiend", "b864b4b4e4b434ed", ""},
		{"login-f4", "b864b4b4e4b434ed", ""},
		{"grad", "96b5ce5ad27ce801", ""},
		{"grad-small", "c0359c7b5ebd1055", ""}, // decided by last bits
		{"noise-2", "79413b10532b5be7", ""},
		{"noise-3", "a9856b233bca19d3", ""},
		{"checker-8", "bb01bb2abb20aa6b", ""}, // decided by last bits
		{"checker-5", "5555555555555555", ""},
		{"two", "8989893889369c89", ""}, // decided by last bits
		{"dash", "da161e5eda1e24a9", ""},
		{"noise-1", "75a33f35a9809b13", ""},
		{"bad-short", "", "not a PNG: buffer too short"},
		{"bad-jpeg", "", "not a PNG: bad magic"},
		{"bad-16bit", "", "unsupported PNG bitDepth=16 (expected 8)"},
		{"bad-gray", "", "unsupported PNG colorType=0 (expected 2=RGB or 6=RGBA)"},
		{"bad-adam7", "", "interlaced PNG (Adam7) is not supported"},
		{"bad-zero-w", "", "PNG dimensions 0x8 out of bounds (max 16384)"},
		{"bad-noihdr", "", "PNG missing IHDR"},
		{"bad-ihdrlen", "", "malformed IHDR length=12"},
		{"bad-size-short", "", "PNG inflated size 200 != expected 225 (W=8 H=9 c=3)"},
	}
	files, err := filepath.Glob("testdata/*.png")
	need.OK(t, err)
	need.Is(t, "testdata holds", len(tests), len(files))
	for _, tt := range tests {
		t.Run(tt.image, func(t *testing.T) {
			h, err := Hash(readFile(t, tt.image+".png"), time.Time{})
			if got := errText(err); got != tt.err {
				t.Fatalf("error %q, want %q", got, tt.err)
			}
			if got := fmt.Sprintf("%016x", h); err == nil && got != tt.hash {
				t.Errorf("hash %s, want %s", got, tt.hash)
			}
		})
	}
}

// The table must be V8's, yet a slip in it shows against any good cosine.
func TestCosines(t *testing.T) {
	for k := range cosines {
		for n, got := range cosines[k] {
			want := math.Cos(float64((2*n+1)*k) * math.Pi / (2 * gridSize))
			if math.Abs(got-want) > 4e-16 {
				t.Errorf("cosine %d of row %d is %v, want about %v", n, k, got, want)
			}
		}
	}
}

// Rows arrive one by one, but each cell must end as the plain mean of its area.
func TestGridMeans(t *testing.T) {
	for _, size := range [][2]int{{1, 1}, {2, 1}, {31, 33}, {32, 32}, {33, 31}, {64, 96}, {100, 7}, {5, 250}} {
		width, height := size[0], size[1]
		rnd := rand.New(rand.NewPCG(uint64(width), uint64(height)))
		g := newGrid(width, height)
		var want [gridSize][gridSize]float64
		for y := range height {
			row := make([]byte, 3*width)
			for x := range width {
				v := byte(rnd.IntN(256))
				row[3*x], row[3*x+1], row[3*x+2] = v, v, v
				for cy := range gridSize {
					for cx := range gridSize {
						area := max(0, overlap(x, cx, width)) * max(0, overlap(y, cy, height))
						want[cy][cx] += float64(v) * area
					}
				}
			}
			g.addRow(y, row, 3)
		}
		for y := range want {
			for x, w := range want[y] {
				if math.Abs(g.sum[y][x]-w) > 1e-6 {
					t.Fatalf("%dx%d: cell %d,%d sums to %v, want %v", width, height, x, y, g.sum[y][x], w)
				}
			}
		}
	}
}

func readFile(tb testing.TB, name string) []byte {
	tb.Helper()
	return need.Read(tb, filepath.Join("testdata", name))
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
