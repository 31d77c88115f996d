package watchdog

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const kindDir = "dir"

// prefix begins the name of each folder of ours. Process, start time and
// machine of the owner follow, then a counter.
const prefix = "openchrome-bench-"

// self is the owner's part of a folder's name.
var self = sync.OnceValue(func() string {
	me, _ := FindProcess(os.Getpid())
	return fmt.Sprintf("%d-%d-%s-", os.Getpid(), me.Start, thisMachine())
})

// thisMachine tells apart processes whose numbers say nothing about each
// other: of another machine, boot or container that shares the folder.
var thisMachine = sync.OnceValue(func() string {
	return fmt.Sprintf("%x", sha256.Sum256([]byte(Machine())))[:8]
})

var dirs atomic.Int64

// TempDir makes an empty folder in [os.TempDir] that only this user can read.
// It is guarded: remove removes it, and so does the watchdog.
func TempDir() (dir string, remove func() error, err error) {
	for {
		dir = filepath.Join(os.TempDir(), fmt.Sprint(prefix, self(), dirs.Add(1)))
		release := Guard(kindDir, dir) // before it is there: no moment without a guard
		err = os.Mkdir(dir, 0o700)
		if err == nil {
			return dir, func() error {
				if err := removeDir(dir); err != nil {
					return err // still guarded
				}
				release()
				return nil
			}, nil
		}
		release()
		if !errors.Is(err, fs.ErrExist) {
			return "", nil, fmt.Errorf("temporary folder: %w; name a writable one in TMPDIR", err)
		}
	}
}

// removeTimeout is for processes that were killed and still write.
const removeTimeout = 3 * time.Second

// markEnv names the folder that a process was started for.
const markEnv = "OPENCHROME_BENCH_SESSION"

// Mark returns an environment entry for processes that are started for a
// folder of [TempDir], and are to end with it even if they left their group.
// This works where the system shows environments, which is on Linux.
func Mark(dir string) string { return markEnv + "=" + dir }

// removeDir ends the processes marked with a folder of ours and removes it. It
// touches nothing that is not named as one.
func removeDir(dir string) error {
	if filepath.Dir(dir) != filepath.Clean(os.TempDir()) || !strings.HasPrefix(filepath.Base(dir), prefix) {
		return fmt.Errorf("%s: not a folder of this program", dir)
	}
	killMarked(Mark(dir))
	err := os.RemoveAll(dir)
	if err == nil {
		return nil
	}
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(removeTimeout); err != nil && time.Now().Before(end); <-tick.C {
		err = os.RemoveAll(dir)
	}
	return err
}

// foreignAge is how old a folder of an owner that cannot be looked up must be.
const foreignAge = 24 * time.Hour

// Sweep removes the temporary folders of owners that died together with their
// watchdog, and returns their names. An owner of this machine, since its last
// start, is looked up by process and start time. Any other cannot be: its
// folders go when nothing was put into them for a day. Folders of other users
// stay.
func Sweep() []string {
	var swept []string
	dirs, _ := filepath.Glob(filepath.Join(os.TempDir(), prefix+"*"))
	for _, dir := range dirs {
		info, err := os.Lstat(dir)
		if err != nil || !info.IsDir() || !mine(info) || !dead(filepath.Base(dir), info) {
			continue
		}
		if removeDir(dir) == nil {
			swept = append(swept, dir)
		}
	}
	return swept
}

// dead reports whether the owner in a folder's name has ended.
func dead(name string, info fs.FileInfo) bool {
	part := strings.Split(strings.TrimPrefix(name, prefix), "-")
	if len(part) != 4 {
		return false
	}
	if part[2] != thisMachine() {
		return time.Since(info.ModTime()) > foreignAge
	}
	pid, err1 := strconv.Atoi(part[0])
	start, err2 := strconv.ParseUint(part[1], 10, 64)
	return err1 != nil || err2 != nil || !Process{Pid: pid, Start: start}.Alive()
}
