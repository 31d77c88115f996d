package process

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// onDisk returns the bytes that a file takes on the disk.
func onDisk(info fs.FileInfo) int64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return s.Blocks * 512
	}
	return info.Size()
}

// deletedFiles returns the bytes of deleted files on the disk of dir that the programs still
// have open. No folder shows them.
func deletedFiles(dir string, programs []*Process) (bytes int64) {
	var at syscall.Stat_t
	if syscall.Stat(dir, &at) != nil {
		return 0
	}
	seen := make(map[uint64]bool)
	for _, program := range programs {
		for _, p := range program.Tree() {
			open, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", p.Pid))
			for _, file := range open {
				info, err := os.Stat(file)
				if err != nil || !info.Mode().IsRegular() {
					continue
				}
				if s, ok := info.Sys().(*syscall.Stat_t); ok && s.Nlink == 0 && s.Dev == at.Dev && !seen[s.Ino] {
					seen[s.Ino] = true
					bytes += onDisk(info)
				}
			}
		}
	}
	return bytes
}
