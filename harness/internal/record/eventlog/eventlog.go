// Package eventlog is the file of a run's events: it appends an event with one write, reads
// events back in order, and copes with a last line that a killed writer left incomplete. It
// knows no event but by its lines.
package eventlog

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/text/regular"
)

// Log is an event log being written. Append writes each event with one unbuffered write(2),
// so that the log survives a kill -9 of the harness. Several goroutines may call its
// methods.
//
// A process that writes a log holds a lock on it, which ends with the process. On Windows,
// and on file systems without locks, there is none.
type Log struct {
	mu   sync.Mutex
	file *os.File
	err  error

	size int64 // of the complete lines that Open found
	torn int   // bytes after them; the next Append removes them
}

// Create makes a new log and the folders above it. An existing file is an error, because it
// belongs to another run.
func Create(path string) (*Log, error) {
	base, name := split(path)
	f, err := regular.Create(base, name)
	if err != nil {
		return nil, fmt.Errorf("create event log: %w; name a folder that you can write to: -out=<folder>", err)
	}
	if err := lock(f); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), f.Close())
	}
	return &Log{file: f}, nil
}

// split returns the folder of the results, and the log below it with the folder of logs.
func split(path string) (base, name string) {
	logs := filepath.Dir(path)
	return filepath.Dir(logs), filepath.Join(filepath.Base(logs), filepath.Base(path))
}

// ErrBusy is the error of [Open] if another process is writing the log.
var ErrBusy = errors.New("another process is writing the event log")

// Open opens an existing log for more events, and calls yield for each event that it holds,
// as [ReadFile] does. It changes nothing: the first Append removes an incomplete last line. A
// file without events is an error if an incomplete line in it does not begin like a log.
func Open(ctx context.Context, path string, yield func(record.Event) error) (*Log, error) {
	base, name := split(path)
	f, err := regular.OpenBelow(base, name, os.O_RDWR|os.O_APPEND)
	if err != nil {
		return nil, fmt.Errorf("open event log: %w", err)
	}
	l := &Log{file: f}
	if err = lock(f); err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	if err == nil {
		empty := true
		l.torn, err = Read(ctx, f, path, func(e record.Event) error {
			empty = false
			return yield(e)
		})
		if err == nil {
			l.size, err = f.Seek(0, io.SeekCurrent)
			l.size -= int64(l.torn)
		}
		if err == nil && empty {
			err = l.checkFirst()
		}
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return l, nil
}

// first begins the first line of every log.
const first = `{"seq":0,"ts":"`

// checkFirst returns an error if the file's only line is incomplete and does not begin like a
// log. Then the file is not ours, and its text must not be removed.
func (l *Log) checkFirst() error {
	begin := make([]byte, min(l.torn, len(first)))
	if _, err := l.file.ReadAt(begin, l.size); err != nil {
		return fmt.Errorf("%s: %w", l.Name(), err)
	}
	if string(begin) != first[:len(begin)] {
		return fmt.Errorf("%s: it is not an event log", l.Name())
	}
	return nil
}

// Torn returns the size of an incomplete last line, in bytes, that the first Append after
// [Open] removes.
func (l *Log) Torn() int { return l.torn }

// Append writes one event. After a failed write every Append returns that
// first error: a log with a hole in it must not look whole.
func (l *Log) Append(e record.Event) error {
	line, err := e.MarshalJSON()
	if err != nil {
		return fmt.Errorf("%s: write event: %w", l.file.Name(), err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == nil && len(line) >= MaxLine {
		l.err = fmt.Errorf("%s: write event: %w", l.file.Name(), errLong)
	}
	if l.err == nil && l.torn > 0 {
		l.torn, l.err = 0, l.file.Truncate(l.size)
	}
	if l.err == nil {
		_, l.err = l.file.Write(append(line, '\n'))
	}
	return l.err
}

// Name returns the path of the log's file.
func (l *Log) Name() string { return l.file.Name() }

// Close syncs the log to the disk and closes it.
func (l *Log) Close() error {
	return errors.Join(l.file.Sync(), l.file.Close())
}

// ReadFile calls yield for each event of a log, in order. It stops when ctx ends, and at the
// first error, its own or yield's. If the last line has no newline, because its writer was
// killed, ReadFile skips it and torn is its size in bytes. A line has at most [MaxLine]
// bytes. Errors begin with the path and, if they concern a line, its number.
func ReadFile(ctx context.Context, path string, yield func(record.Event) error) (torn int, err error) {
	f, err := regular.Open(path)
	if err != nil {
		return 0, fmt.Errorf("open event log: %w", err)
	}
	defer f.Close()
	return Read(ctx, f, path, yield)
}

// Read is [ReadFile] for an open log with that path.
func Read(ctx context.Context, r io.Reader, path string, yield func(record.Event) error) (torn int, err error) {
	in := bufio.NewScanner(r)
	in.Buffer(make([]byte, 64<<10), MaxLine)
	in.Split(wholeLines)
	n := 1
	for ; ctx.Err() == nil && in.Scan(); n++ {
		line := in.Bytes()
		if !bytes.HasSuffix(line, []byte("\n")) {
			torn = len(line)
			break
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var e record.Event
		err := e.UnmarshalJSON(line) // json.Unmarshal would scan the line a second time
		if err == nil {
			err = yield(e)
		}
		if err != nil {
			return 0, fmt.Errorf("%s:%d: %w", path, n, err)
		}
	}
	switch err := in.Err(); {
	case ctx.Err() != nil:
		return 0, fmt.Errorf("%s:%d: reading was stopped: %w", path, n, ctx.Err())
	case err == bufio.ErrTooLong:
		return 0, fmt.Errorf("%s:%d: %w", path, n, errLong)
	case err != nil:
		return 0, fmt.Errorf("%s: %w", path, err)
	}
	return torn, nil
}

// MaxLine is the largest size of a line of a log, in bytes, with its newline. The largest
// answer of a server takes half of it.
const MaxLine = 64 << 20

var errLong = fmt.Errorf("the line has more than %d MiB", MaxLine>>20)

// wholeLines is a [bufio.SplitFunc]: a line has its newline, and only the rest after the last
// one has none.
func wholeLines(data []byte, atEOF bool) (advance int, line []byte, err error) {
	if n := bytes.IndexByte(data, '\n') + 1; n > 0 {
		return n, data[:n], nil
	}
	if atEOF && len(data) > 0 {
		return len(data), data, nil
	}
	return 0, nil, nil
}
