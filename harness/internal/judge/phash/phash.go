// Package phash computes OpenChrome's perceptual hash of a screenshot and
// reads the screenshot classes that hashes are compared with.
//
// It gives the same results as OpenChrome's own code, bit for bit, and rejects the same
// images with the same messages. It also has limits of its own, which bound the time that a
// hostile image can take: see [Hash].
package phash

import (
	_ "embed"
	"encoding/json"
	"slices"
	"time"
)

//go:embed cosines.json
var table []byte

// cosines holds cos((2n+1)*k*Pi/64) for the 8 rows k that the hash uses, as V8 (Node 20)
// computes Math.cos. math.Cos and correct rounding give different last bits, and a last bit
// can change a bit of the hash.
var cosines = func() (c [hashSize][gridSize]float64) {
	if err := json.Unmarshal(table, &c); err != nil {
		panic(err)
	}
	return c
}()

const (
	hashSize = 8  // the hash holds the lowest 8x8 frequencies
	gridSize = 32 // the image is shrunk to 32x32
)

// Hash returns OpenChrome's perceptual hash of a PNG file. Two screenshots of
// the same page differ in few of its 64 bits.
//
// The image becomes luminance (Rec. 601, alpha ignored), is shrunk to 32x32 by
// the mean of each cell's area, and goes through a two-dimensional DCT-II. Bit
// i is set when coefficient i of the lowest 8x8, counted by rows from the
// constant one, is above the median of the other 63.
//
// Hash reads only PNG files as Chromium writes them: 8 bits per channel, RGB or RGBA, not
// interlaced, at most 16384 pixels per side. It does not check the checksums of chunks, and
// IEND may be missing. Every fault is an error with OpenChrome's message, except for data
// that does not inflate: there OpenChrome returns the message of zlib.
//
// Three limits are our own. An image of more than 16 megapixels (16,000,000), or with more
// than 16 MiB of compressed data, is rejected before it is inflated. Hash also stops at the
// deadline (the zero Time is no deadline). It needs memory for a few rows of pixels and a
// copy of the compressed data. A screenshot of 1920x1080 takes about 20 ms; hostile data
// takes up to 150 ms per MiB.
func Hash(png []byte, deadline time.Time) (uint64, error) {
	img, err := parse(png)
	if err != nil {
		return 0, err
	}
	g := newGrid(img.width, img.height)
	if err := img.scan(g.addRow, deadline); err != nil {
		return 0, err
	}
	return g.hash(), nil
}

// grid shrinks an image to 32x32 cells while its rows arrive from the top.
//
// Floating point addition does not associate, so the order matters: each cell adds its
// pixels by rows from its top left, as OpenChrome does. Products are converted explicitly,
// because Go may otherwise fuse them with the addition on some machines.
type grid struct {
	width, height int
	luma          []float64 // of the current row
	sum           [gridSize][gridSize]float64
}

func newGrid(width, height int) *grid {
	return &grid{width: width, height: height, luma: make([]float64, width)}
}

// addRow adds row y, which holds channels bytes a pixel: R, G, B, maybe alpha.
func (g *grid) addRow(y int, row []byte, channels int) {
	for x := range g.luma {
		p := row[x*channels:][:3]
		g.luma[x] = float64(0.299*float64(p[0])) + float64(0.587*float64(p[1])) + float64(0.114*float64(p[2]))
	}
	for cy := y * gridSize / g.height; cy < gridSize; cy++ {
		weight := overlap(y, cy, g.height)
		if weight <= 0 {
			break
		}
		g.addToCells(&g.sum[cy], weight)
	}
}

// addToCells adds the current row to a row of cells. weight is how much of the cells the
// row covers.
func (g *grid) addToCells(cells *[gridSize]float64, weight float64) {
	for cx := range cells {
		total := cells[cx]
		first := cx * g.width / gridSize
		last := ((cx+1)*g.width - 1) / gridSize
		total += float64(g.luma[first] * (overlap(first, cx, g.width) * weight))
		if last > first {
			for _, l := range g.luma[first+1 : last] {
				total += float64(l * weight)
			}
			total += float64(g.luma[last] * (overlap(last, cx, g.width) * weight))
		}
		cells[cx] = total
	}
}

// overlap returns how much of pixel p lies in cell c, where a row of size pixels is divided
// into 32 cells and a pixel has the length 1. The result is exact, and not positive if they
// do not overlap.
func overlap(p, c, size int) float64 {
	ratio := float64(size) / gridSize
	return min(float64(p+1), float64(c+1)*ratio) - max(float64(p), float64(c)*ratio)
}

// hash returns the hash of the image, once all rows are in.
func (g *grid) hash() uint64 {
	area := float64(g.width) * float64(g.height) / (gridSize * gridSize)
	var rows [gridSize][hashSize]float64
	for y := range rows {
		for x := range g.sum[y] {
			mean := g.sum[y][x] / area
			for u := range rows[y] {
				rows[y][u] += float64(mean * cosines[u][x])
			}
		}
	}
	var low [hashSize * hashSize]float64
	for y := range rows {
		for i := range low {
			low[i] += float64(rows[y][i%hashSize] * cosines[i/hashSize][y])
		}
	}
	others := slices.Sorted(slices.Values(low[1:]))
	median := others[len(others)/2]
	var h uint64
	for i, c := range low {
		if c > median {
			h |= 1 << i
		}
	}
	return h
}
