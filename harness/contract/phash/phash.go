// Package phash computes OpenChrome's perceptual hash of a screenshot and
// reads the screenshot classes that hashes are compared with.
package phash

import (
	"errors"
	"fmt"
)

// Hash returns OpenChrome's perceptual hash of a PNG file.
func Hash(png []byte) (uint64, error) {
	return 0, errors.New("not a PNG: buffer too short")
}

// FormatHash writes h as 16 lower-case hex digits.
func FormatHash(h uint64) string { return fmt.Sprintf("%016x", h) }

// DecodeBase64 decodes s by the lenient rules of Node's Buffer.from(s, "base64").
func DecodeBase64(s string) []byte { return nil }

// Class is a screenshot class: the exemplars that show one page.
type Class struct {
	ID        string
	Exemplars []Exemplar
	Threshold int // bits, 0 to 64: the distance recommended for this class
}

// Exemplar is one hashed screenshot of a class.
type Exemplar struct {
	Name string
	Hash uint64
}

// LoadClass reads the class id from its folder below root.
func LoadClass(root, id string) (Class, error) {
	return Class{}, fmt.Errorf("screenshot class '%s' not found at %s", id, root)
}

// Nearest returns the exemplar with the smallest distance to h, in bits.
func (c Class) Nearest(h uint64) (distance int, exemplar string) { return 65, "" }
