package phash

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"time"
)

// scan inflates the image and calls row for each row, from the top; row must not keep it.
// Like OpenChrome, it checks the filters only if the data has the right size, so a wrong
// size is reported before a wrong filter.
func (img pngImage) scan(row func(y int, pixels []byte, channels int), deadline time.Time) error {
	stride := img.width * img.channels
	expected := (stride + 1) * img.height
	zr, err := zlib.NewReader(&timedReader{bytes.NewReader(img.data), deadline})
	if err != nil {
		return inflateError(err)
	}
	line := make([]byte, stride+1) // filter type, then the filtered row
	above := make([]byte, stride)  // zero above the first row
	var badFilter error
	for y := range img.height {
		n, err := fill(zr, line)
		if n < len(line) {
			if err != io.EOF {
				return inflateError(err)
			}
			return fmt.Errorf("PNG inflated size %d != expected %d (W=%d H=%d c=%d)",
				y*len(line)+n, expected, img.width, img.height, img.channels)
		}
		if badFilter != nil {
			continue
		}
		if line[0] > 4 {
			badFilter = fmt.Errorf("unknown PNG filter type %d", line[0])
			continue
		}
		unfilter(line[0], line[1:], above, img.channels)
		row(y, line[1:], img.channels)
		copy(above, line[1:])
	}
	// The stream must end here; reading on also verifies its checksum.
	if n, err := fill(zr, make([]byte, 1)); n > 0 {
		return inflateError(fmt.Errorf("more than the expected %d bytes", expected))
	} else if err != io.EOF {
		return inflateError(err)
	}
	return badFilter
}

// timedReader returns at most 4 KiB at a time, and an error after the deadline. So neither
// pixels nor empty blocks can delay a hash for long.
type timedReader struct {
	r        io.Reader
	deadline time.Time
}

func (t *timedReader) Read(p []byte) (int, error) {
	if !t.deadline.IsZero() && time.Now().After(t.deadline) {
		return 0, errLate
	}
	return t.r.Read(p[:min(len(p), 4<<10)])
}

var errLate = errors.New("it takes too long")

func inflateError(err error) error {
	if err == io.EOF { // no data at all
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("PNG image data does not inflate: %w", err)
}

// fill reads until buf is full or r returns an error. Unlike io.ReadFull it returns the
// error unchanged, so that callers can tell the end of a stream (io.EOF) from a truncated
// stream (io.ErrUnexpectedEOF).
func fill(r io.Reader, buf []byte) (n int, err error) {
	for n < len(buf) && err == nil {
		var m int
		m, err = r.Read(buf[n:])
		n += m
	}
	return n, err
}

// unfilter undoes a filter of type 0 to 4 in place. above is the unfiltered row
// above, of the same length; pixels are bpp bytes long.
func unfilter(filter byte, row, above []byte, bpp int) {
	above = above[:len(row)]
	switch filter {
	case 1: // Sub
		for i := bpp; i < len(row); i++ {
			row[i] += row[i-bpp]
		}
	case 2: // Up
		for i, up := range above {
			row[i] += up
		}
	case 3: // Average
		for i := range bpp {
			row[i] += above[i] / 2
		}
		for i := bpp; i < len(row); i++ {
			row[i] += byte((int(row[i-bpp]) + int(above[i])) / 2)
		}
	case 4: // Paeth, one channel at a time: this keeps the neighbours in registers
		for c := range bpp {
			var left, upLeft int
			for i := c; i < len(row); i += bpp {
				up := int(above[i])
				left = int(row[i]+paeth(left, up, upLeft)) & 0xff
				row[i] = byte(left)
				upLeft = up
			}
		}
	}
}

// paeth returns left, up or upLeft, whichever is nearest to left + up - upLeft. On a tie,
// it returns the first in this order.
func paeth(left, up, upLeft int) byte {
	dl, du := up-upLeft, left-upLeft // p-left and p-up
	dul := max(dl+du, -dl-du)
	dl, du = max(dl, -dl), max(du, -du)
	switch {
	case dl <= du && dl <= dul:
		return byte(left)
	case du <= dul:
		return byte(up)
	}
	return byte(upLeft)
}
