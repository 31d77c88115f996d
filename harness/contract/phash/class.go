package phash

import (
	"fmt"
	"io"
	"math/bits"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
)

// Class is a screenshot class: the hashes of screenshots that show one page.
// The zero Class holds no exemplar; nothing is near it.
type Class struct {
	ID        string
	Exemplars []Exemplar // in the order of their file names
	Threshold int        // the distance recommended for this class, 0 to 64 bits
}

// Exemplar is one hashed screenshot of a class.
type Exemplar struct {
	Name string // of its file, without ".hash"
	Hash uint64
}

// LoadClass reads the class id from the folder of that name below root, as
// OpenChrome lays it out:
//
//	<id>/exemplars/<name>.hash   16 hex digits, any case, white space around them
//	<id>/threshold.json          {"value": 0 to 64}; without the file it is 8
//
// Exemplars come in the order of their file names, compared by UTF-16 units.
// An id with other characters than letters, digits, dot, underscore and hyphen,
// a missing folder, a hash or threshold out of form, and a class without
// exemplars are errors, in OpenChrome's words; files that cannot be read or hold
// more than 4096 bytes, and text that is not JSON, are errors in Go's words.
func LoadClass(root, id string) (Class, error) {
	if !validID.MatchString(id) || id == "." || id == ".." {
		return Class{}, fmt.Errorf("invalid class_id '%s' — must match /^[A-Za-z0-9._-]+$/ and not be '.' or '..'", id)
	}
	dir := filepath.Join(root, id)
	if !exists(dir) {
		return Class{}, fmt.Errorf("screenshot class '%s' not found at %s", id, dir)
	}
	exemplars, err := loadExemplars(filepath.Join(dir, "exemplars"))
	if err != nil {
		return Class{}, err
	}
	threshold, err := loadThreshold(filepath.Join(dir, "threshold.json"), id)
	if err != nil {
		return Class{}, err
	}
	if len(exemplars) == 0 {
		return Class{}, fmt.Errorf("cannot score against empty class '%s'", id)
	}
	return Class{ID: id, Exemplars: exemplars, Threshold: threshold}, nil
}

var validID = regexp.MustCompile(`^[A-Za-z0-9._-]+$`)

func loadExemplars(dir string) ([]Exemplar, error) {
	if !exists(dir) {
		return nil, nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("exemplars: %w", err)
	}
	slices.SortFunc(entries, func(a, b os.DirEntry) int {
		return slices.Compare(utf16.Encode([]rune(a.Name())), utf16.Encode([]rune(b.Name())))
	})
	var exemplars []Exemplar
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ".hash")
		if !ok {
			continue
		}
		data, err := readSmall(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, fmt.Errorf("exemplar hash '%s': %w", e.Name(), err)
		}
		text := strings.TrimFunc(string(data), isJSSpace)
		h, err := strconv.ParseUint(text, 16, 64)
		if err != nil || len(text) != 16 {
			return nil, fmt.Errorf("corrupt exemplar hash '%s': invalid pHash hex: %s", e.Name(), text)
		}
		exemplars = append(exemplars, Exemplar{Name: name, Hash: h})
	}
	return exemplars, nil
}

// Nearest returns the distance in bits, 0 to 64, to the exemplar that differs
// least from h, and its name; of equally near ones the first. Without exemplars
// it returns 65 and no name.
func (c Class) Nearest(h uint64) (distance int, exemplar string) {
	distance = 65
	for _, e := range c.Exemplars {
		if d := bits.OnesCount64(e.Hash ^ h); d < distance {
			distance, exemplar = d, e.Name
		}
	}
	return distance, exemplar
}

// isJSSpace reports whether JavaScript's trim removes r.
func isJSSpace(r rune) bool {
	switch r {
	case '\t', '\n', '\v', '\f', '\r', '\u2028', '\u2029', '\ufeff':
		return true
	}
	return unicode.Is(unicode.Zs, r)
}

// exists follows links, and takes what it may not look at for missing.
func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// readSmall reads a regular file of at most 4096 bytes. It opens nothing else,
// because a pipe could make it wait for ever.
func readSmall(path string) ([]byte, error) {
	const limit = 4096
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, err
	}
	if len(data) > limit {
		return nil, fmt.Errorf("%s holds more than %d bytes", path, limit)
	}
	return data, nil
}
