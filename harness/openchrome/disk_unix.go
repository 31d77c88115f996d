//go:build unix

package openchrome

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// What a disk must have left. Chromium writes a few MiB of profile at its start,
// in some hundred files.
const (
	minFree  = 4 << 20 // bytes
	minFiles = 16
)

// fullDisk returns an [*Outage] if programs can hardly write below dir any more.
func fullDisk(dir string) error {
	var fs unix.Statfs_t
	if unix.Statfs(dir, &fs) != nil || fs.Blocks == 0 { // some file systems count nothing
		return nil
	}
	free := uint64(fs.Bavail) * uint64(fs.Bsize)
	switch {
	case free < minFree:
		return &Outage{fmt.Errorf("the disk of %s is full: %d KiB free; free some, or name another folder in TMPDIR", dir, free>>10)}
	case fs.Files > 0 && uint64(fs.Ffree) < minFiles: // 0: it has no such limit
		return &Outage{fmt.Errorf("the disk of %s can hold no more files; delete some, or name another folder in TMPDIR", dir)}
	}
	return nil
}
