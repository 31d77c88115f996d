package run

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"
	"time"
)

// newRunID returns a new name, such as 20260102T150405Z-1f2e3d. Names sort by time, and
// the names of two runs in the same second differ.
func newRunID(now time.Time) string {
	var b [3]byte
	rand.Read(b[:])
	return now.UTC().Format("20060102T150405Z") + "-" + hex.EncodeToString(b[:])
}

// A run id is used as a file name.
var runID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$`)

// CheckRunID returns an error if id cannot be the name of a run.
func CheckRunID(id string) error {
	if lower := strings.ToLower(id); !runID.MatchString(id) || lower == "latest" || lower == "readme" {
		return fmt.Errorf("run is %q, want up to 100 letters, digits, underscores and hyphens, and not latest or readme", id)
	}
	return nil
}
