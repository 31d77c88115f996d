package session

import (
	"fmt"

	"github.com/shirou/gopsutil/v4/disk"
)

// The free space that a disk must have. At its start Chromium writes a profile of a few MiB
// in about a hundred files.
const (
	minFree  = 4 << 20 // bytes
	minFiles = 16
)

// fullDisk returns an [*Outage] if programs can hardly write below dir any more.
func fullDisk(dir string) error {
	d, err := disk.Usage(dir)
	switch {
	case err != nil || d.Total == 0: // some file systems report no numbers
		return nil
	case d.Free < minFree:
		return &Outage{fmt.Errorf("the disk of %s is full: %d KiB free; free some, or name another folder in TMPDIR (Windows: TEMP)", dir, d.Free>>10)}
	case d.InodesTotal > 0 && d.InodesFree < minFiles: // InodesTotal is 0 if the file system has no such limit
		return &Outage{fmt.Errorf("the disk of %s can hold no more files; delete some, or name another folder in TMPDIR (Windows: TEMP)", dir)}
	}
	return nil
}

// FreeOn returns the bytes that are free on the disk of dir; 0 if that is unknown.
func FreeOn(dir string) uint64 {
	d, err := disk.Usage(dir)
	if err != nil {
		return 0
	}
	return d.Free
}
