package phash

import (
	"fmt"
	"io/fs"
	"math"
	"math/bits"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/openchrome/bench/harness/internal/judge/jsregexp"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
	"github.com/openchrome/bench/harness/internal/text/regular"
)

// Class is a screenshot class: the hashes of screenshots that show one page.
// The zero Class has no exemplars, so no screenshot is near it.
type Class struct {
	Exemplars []Exemplar `json:"exemplars"` // in the order of their file names
	Threshold int        `json:"threshold"` // the distance recommended for this class, 0 to 64 bits
}

// Exemplar is one hashed screenshot of a class.
type Exemplar struct {
	Name string `json:"name"` // name of its file, without ".hash"
	Hash uint64 `json:"hash"`
}

// LoadClass reads the class id from the folder of that name below root, as
// OpenChrome lays it out:
//
//	<id>/exemplars/<name>.hash   16 hex digits, any case, white space around them
//	<id>/threshold.json          {"value": 0 to 64}; without the file it is 8
//
// Exemplars come in the order of their file names, compared by UTF-16 units. These are
// errors with OpenChrome's messages: an id that is not [ValidID], a missing folder, a
// malformed hash or threshold, and a class without exemplars. These are errors with our
// messages: a file that cannot be read or has more than 4096 bytes, and text that is not
// JSON.
func LoadClass(root, id string) (Class, error) {
	if !ValidID(id) {
		return Class{}, fmt.Errorf("invalid class_id '%s' — must match /^[A-Za-z0-9._-]+$/ and not be '.' or '..'", id)
	}
	dir := filepath.Join(root, id)
	fsys := os.DirFS(dir)
	if _, err := os.Stat(dir); err != nil {
		return Class{}, fmt.Errorf("screenshot class '%s' not found at %s", id, dir)
	}
	return ReadClass(fsys, id)
}

// ReadClass reads the class id from its own folder. Its errors are those of [LoadClass]
// about files.
func ReadClass(fsys fs.FS, id string) (Class, error) {
	exemplars, err := loadExemplars(fsys)
	if err != nil {
		return Class{}, err
	}
	threshold, err := loadThreshold(fsys, id)
	if err != nil {
		return Class{}, err
	}
	if len(exemplars) == 0 {
		return Class{}, fmt.Errorf("cannot score against empty class '%s'", id)
	}
	return Class{exemplars, threshold}, nil
}

var idForm = regexp.MustCompile(`^[A-Za-z0-9._-]+$`)

// ValidID reports whether id can name a class: letters, digits, dot, underscore
// and hyphen, but not . or ..
func ValidID(id string) bool { return idForm.MatchString(id) && id != "." && id != ".." }

// maxFile is the largest allowed size of a file in a class, in bytes.
const maxFile = 4096

func loadExemplars(fsys fs.FS) ([]Exemplar, error) {
	if !exists(fsys, "exemplars") {
		return nil, nil
	}
	entries, err := fs.ReadDir(fsys, "exemplars")
	if err != nil {
		return nil, fmt.Errorf("exemplars: %w", err)
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int {
		return slices.Compare(utf16.Encode([]rune(a.Name())), utf16.Encode([]rune(b.Name())))
	})
	var exemplars []Exemplar
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ".hash")
		if !ok {
			continue
		}
		data, err := regular.ReadFS(fsys, "exemplars/"+e.Name(), maxFile)
		if err != nil {
			return nil, fmt.Errorf("exemplar hash '%s': %w", e.Name(), err)
		}
		text := strings.TrimFunc(string(data), jsregexp.IsSpace)
		h, err := strconv.ParseUint(text, 16, 64)
		if err != nil || len(text) != 16 {
			return nil, fmt.Errorf("corrupt exemplar hash '%s': invalid pHash hex: %s", e.Name(), text)
		}
		exemplars = append(exemplars, Exemplar{Name: name, Hash: h})
	}
	return exemplars, nil
}

// defaultThreshold is the threshold of a class without a threshold.json.
const defaultThreshold = 8

func loadThreshold(fsys fs.FS, id string) (int, error) {
	const name = "threshold.json"
	if !exists(fsys, name) {
		return defaultThreshold, nil
	}
	data, err := regular.ReadFS(fsys, name, maxFile)
	if err != nil {
		return 0, fmt.Errorf("threshold.json for class '%s': %w", id, err)
	}
	f := jsonfile.Loose(name, data)
	doc := f.Value()
	if len(f.Faults) > 0 {
		return 0, fmt.Errorf("threshold.json for class '%s': %w", id, f.Faults[0])
	}
	text := "undefined" // as in JavaScript, JSON that is not an object has no field value
	if v := doc.Get("value"); v != nil {
		if n := v.Float(); v.Kind == jsonfile.Number && n >= 0 && n <= 64 && n == math.Trunc(n) {
			return int(n), nil
		}
		text = v.JS()
	}
	return 0, fmt.Errorf("invalid threshold.json for class '%s': value=%s", id, text)
}

// exists follows links. A file that cannot be examined counts as missing.
func exists(fsys fs.FS, name string) bool {
	_, err := fs.Stat(fsys, name)
	return err == nil
}

// Nearest returns the exemplar that differs least from h: its distance in bits, 0 to 64,
// and its name. If several are equally near, it returns the first. Without exemplars it
// returns 65 and no name.
func (c Class) Nearest(h uint64) (distance int, exemplar string) {
	distance = 65
	for _, e := range c.Exemplars {
		if d := bits.OnesCount64(e.Hash ^ h); d < distance {
			distance, exemplar = d, e.Name
		}
	}
	return distance, exemplar
}
