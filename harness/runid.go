package harness

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"regexp"
	"time"
)

// newRunID names a run so that names sort by time and two runs of the same
// second differ: 20260102T150405Z-1f2e3d.
func newRunID(now time.Time) string {
	var b [3]byte
	rand.Read(b[:])
	return now.UTC().Format("20060102T150405Z") + "-" + hex.EncodeToString(b[:])
}

// A run id is the name of files.
var runID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)

func checkRunID(id string) error {
	if !runID.MatchString(id) || id == "latest" {
		return fmt.Errorf("run is %q, want letters, digits, dot, underscore and hyphen, and not latest", id)
	}
	return nil
}
