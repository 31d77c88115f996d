package phash

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
)

const (
	signature    = "\x89PNG\r\n\x1a\n"
	maxDimension = 16384      // OpenChrome's limit, in pixels
	maxPixels    = 16_000_000 // our limit
	maxData      = 16 << 20   // our limit, in bytes of compressed image data
)

// pngImage is a PNG file taken apart, its pixels still compressed.
type pngImage struct {
	width, height int
	channels      int    // 3 for RGB, 4 for RGBA
	data          []byte // all IDAT chunks joined: one zlib stream
}

// parse takes apart a PNG file (https://www.w3.org/TR/png-3/) with OpenChrome's
// leniency: chunks may come in any order, the last IHDR counts, and nothing
// after IEND is read.
func parse(png []byte) (pngImage, error) {
	var img pngImage
	if len(png) < len(signature)+12 {
		return img, errors.New("not a PNG: buffer too short")
	}
	if string(png[:len(signature)]) != signature {
		return img, errors.New("not a PNG: bad magic")
	}
	for rest := png[len(signature):]; len(rest) > 0; {
		if len(rest) < 8 {
			return img, errors.New("PNG truncated at chunk header")
		}
		size, kind := uint64(binary.BigEndian.Uint32(rest)), string(rest[4:8])
		if size+12 > uint64(len(rest)) {
			return img, fmt.Errorf("PNG truncated in chunk '%s'", kind)
		}
		body := rest[8 : 8+size]
		rest = rest[size+12:] // type, length and checksum included
		switch kind {
		case "IHDR":
			if err := img.setHeader(body); err != nil {
				return img, err
			}
		case "IDAT":
			if img.data == nil { // room for all that may follow
				img.data = make([]byte, 0, min(len(body)+len(rest), maxData))
			}
			if len(img.data)+len(body) > maxData {
				return img, fmt.Errorf("PNG holds more than %d bytes of compressed image data; take a smaller screenshot", maxData)
			}
			img.data = append(img.data, body...)
		case "IEND":
			rest = nil
		}
	}
	if img.width == 0 {
		return img, errors.New("PNG missing IHDR")
	}
	if img.data == nil {
		return img, errors.New("PNG missing IDAT")
	}
	if img.width*img.height > maxPixels {
		return img, fmt.Errorf("PNG dimensions %dx%d exceed %d pixels; take a smaller screenshot", img.width, img.height, maxPixels)
	}
	return img, nil
}

// setHeader reads an IHDR chunk. It ignores the compression and filter methods.
func (img *pngImage) setHeader(ihdr []byte) error {
	if len(ihdr) != 13 {
		return fmt.Errorf("malformed IHDR length=%d", len(ihdr))
	}
	width, height := binary.BigEndian.Uint32(ihdr), binary.BigEndian.Uint32(ihdr[4:])
	depth, colour, interlace := ihdr[8], ihdr[9], ihdr[12]
	if depth != 8 {
		return fmt.Errorf("unsupported PNG bitDepth=%d (expected 8)", depth)
	}
	switch colour {
	case 2:
		img.channels = 3
	case 6:
		img.channels = 4
	default:
		return fmt.Errorf("unsupported PNG colorType=%d (expected 2=RGB or 6=RGBA)", colour)
	}
	if interlace != 0 {
		return errors.New("interlaced PNG (Adam7) is not supported")
	}
	if width == 0 || height == 0 || width > maxDimension || height > maxDimension {
		return fmt.Errorf("PNG dimensions %dx%d out of bounds (max %d)", width, height, maxDimension)
	}
	img.width, img.height = int(width), int(height)
	return nil
}

// DecodeBase64 decodes s like Node's Buffer.from(s, "base64"), which accepts any text. Both
// alphabets may be mixed and padding may be missing. The first '=' ends the data. All other
// characters are skipped, and bits that do not fill a byte are dropped.
func DecodeBase64(s string) []byte {
	s, _, _ = strings.Cut(s, "=")
	s = strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z', r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '+', r == '/':
			return r
		case r == '-':
			return '+'
		case r == '_':
			return '/'
		}
		return -1
	}, s)
	if len(s)%4 == 1 {
		s = s[:len(s)-1]
	}
	data, _ := base64.RawStdEncoding.DecodeString(s) // cannot fail after this cleaning
	return data
}
