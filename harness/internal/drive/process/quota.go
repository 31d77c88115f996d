package process

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/openchrome/bench/harness/internal/drive/session"
)

// The quota of a session's folder. A session needs some tens of MiB and some hundred files.
const (
	maxFolder = 1 << 30 // bytes on the disk
	maxFiles  = 50_000  // files and folders
	// measureEvery is how often the folder is measured, which takes about a millisecond.
	measureEvery = 250 * time.Millisecond
)

// Quota watches the folder of a session's programs. When the folder exceeds its quota, it
// kills them, so that they cannot fill the disk of the other sessions.
type Quota struct {
	dir      string
	bytes    int64
	programs string // their names, for the error
	free     uint64 // bytes that were free on the disk at the beginning

	mu    sync.Mutex
	kills []*Process
	over  error // why the programs were killed; stays set
	end   chan struct{}
	done  chan struct{}
}

// WatchQuota watches a folder until stop. bytes is its quota; 0 means [maxFolder].
func WatchQuota(dir string, bytes int64, programs string) *Quota {
	if bytes == 0 {
		bytes = maxFolder
	}
	q := &Quota{dir: dir, bytes: bytes, programs: programs, free: session.FreeOn(dir), end: make(chan struct{}), done: make(chan struct{})}
	go func() {
		defer close(q.done)
		tick := time.NewTicker(measureEvery)
		defer tick.Stop()
		for q.Exceeded() == nil {
			select {
			case <-tick.C:
			case <-q.end:
				return
			}
		}
	}()
	return q
}

// Stop ends the watch.
func (q *Quota) Stop() error {
	close(q.end)
	<-q.done
	return nil
}

// Watch adds a program that writes into the folder.
func (q *Quota) Watch(p *Process) {
	q.mu.Lock()
	q.kills = append(q.kills, p)
	over := q.over
	q.mu.Unlock()
	if over != nil {
		p.killFor(over)
	}
}

// Exceeded measures the folder. If it ever exceeded its quota, the programs are killed, and
// the error says why.
func (q *Quota) Exceeded() error {
	q.mu.Lock()
	over, kills := q.over, q.kills
	q.mu.Unlock()
	if over != nil {
		return over
	}
	bytes, files, err := Measure(q.dir, q.bytes, maxFiles)
	if bytes <= q.bytes && session.FreeOn(q.dir)+uint64(q.bytes) < q.free { // somebody wrote that much; looking at open files takes longer
		bytes += deletedFiles(q.dir, kills)
	}
	switch {
	case err != nil:
		over = fmt.Errorf("%s were stopped: their folder cannot be measured: %w", q.programs, err)
	case bytes > q.bytes:
		over = fmt.Errorf("%s were stopped: they wrote more than our limit of %d MiB into their folder", q.programs, q.bytes>>20)
	case files > maxFiles:
		over = fmt.Errorf("%s were stopped: they made more than our limit of %d files in their folder", q.programs, maxFiles)
	default:
		return nil
	}
	q.mu.Lock()
	if q.over == nil {
		q.over = over
	}
	over, kills = q.over, q.kills
	q.mu.Unlock()
	for _, p := range kills {
		p.killFor(over)
	}
	return over
}

var errEnough = errors.New("over the quota")

// Measure returns the bytes that the files below dir take on the disk, and how many files and
// folders there are. It stops when one of the two is over its limit. The error is set if a
// program made a folder unreadable or its path too long, because nobody knows then what is
// in it.
func Measure(dir string, maxBytes int64, maxFiles int) (bytes int64, files int, err error) {
	err = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.ENAMETOOLONG) {
			return err
		}
		if err != nil { // it is gone
			return nil
		}
		if info, err := d.Info(); err == nil {
			bytes += onDisk(info)
		}
		if files++; bytes > maxBytes || files > maxFiles {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return bytes, files, err
}
