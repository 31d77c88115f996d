package run

import (
	"crypto/rand"
	"encoding/hex"
	"time"
)

// newRunID returns a new name, such as 20260102T150405Z-1f2e3d. Names sort by time, and
// the names of two runs in the same second differ.
func newRunID(now time.Time) string {
	var b [3]byte
	rand.Read(b[:])
	return now.UTC().Format("20060102T150405Z") + "-" + hex.EncodeToString(b[:])
}
