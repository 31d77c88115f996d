package doctor

import (
	"bufio"
	"errors"
	"fmt"
	"os"
)

// freeMemory returns how many bytes a new program can use without swapping: the field
// MemAvailable of proc(5). On other systems than Linux the error is
// [errors.ErrUnsupported].
func freeMemory() (uint64, error) {
	f, err := os.Open("/proc/meminfo")
	if errors.Is(err, os.ErrNotExist) {
		return 0, errors.ErrUnsupported
	}
	if err != nil {
		return 0, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var kib uint64
		if n, _ := fmt.Sscanf(lines.Text(), "MemAvailable: %d kB", &kib); n == 1 {
			return kib * 1024, nil
		}
	}
	return 0, errors.Join(lines.Err(), errors.New("/proc/meminfo has no MemAvailable"))
}
