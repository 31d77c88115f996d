package openchrome

import (
	"fmt"

	"golang.org/x/sys/windows"
)

const minFree = 4 << 20 // bytes; Chromium writes a few MiB of profile at its start

// fullDisk returns an [*Outage] if programs can hardly write below dir any more.
func fullDisk(dir string) error {
	path, err := windows.UTF16PtrFromString(dir)
	var free uint64
	if err != nil || windows.GetDiskFreeSpaceEx(path, &free, nil, nil) != nil || free >= minFree {
		return nil
	}
	return &Outage{fmt.Errorf("the disk of %s is full: %d KiB free; free some, or name another folder in TEMP", dir, free>>10)}
}
