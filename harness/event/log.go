package event

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
)

// Log is an event log being written. Each event is one write(2), unbuffered,
// before Append returns: what happened survives a kill -9 of the harness. Its
// methods may be called by several goroutines.
type Log struct {
	mu   sync.Mutex
	file *os.File
	err  error
}

// Create makes a new log and the folders above it. An existing file is an
// error, since it is another run's.
func Create(path string) (*Log, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, fmt.Errorf("create event log: %w", err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return nil, fmt.Errorf("create event log: %w", err)
	}
	return &Log{file: f}, nil
}

// Append writes one event. After a failed write every Append returns that
// first error: a log with a hole in it must not look whole.
func (l *Log) Append(e Event) error {
	line, err := e.MarshalJSON()
	if err != nil {
		return fmt.Errorf("%s: write event: %w", l.file.Name(), err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
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

// A LineError is a line of a log that is no event.
type LineError struct {
	Line int // from 1
	Err  error
}

func (e *LineError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

// Unwrap returns the cause.
func (e *LineError) Unwrap() error { return e.Err }

// Read calls yield for each event of a log, in order, and stops at the first
// error, its own or yield's. A last line without a newline is what a killed
// writer leaves: it is dropped, and torn says so. Lines may be of any length.
// A line that is no event is a [*LineError].
//
// The next lines are decoded meanwhile: a report must not keep the person
// waiting who stopped a long run.
func Read(r io.Reader, yield func(Event) error) (torn bool, err error) {
	var (
		ahead     = make(chan Event, 64)
		stop      = make(chan struct{})
		whole     bool
		decodeErr error
	)
	go func() {
		defer close(ahead)
		whole, decodeErr = decode(r, ahead, stop)
	}()
	defer func() {
		close(stop)
		for range ahead { // until nobody reads r any more
		}
	}()
	for e := range ahead {
		if err := yield(e); err != nil {
			return false, err
		}
	}
	return !whole, decodeErr
}

// decode sends the events of r until its end or stop, and reports whether the
// last line is whole.
func decode(r io.Reader, to chan<- Event, stop <-chan struct{}) (whole bool, err error) {
	br := bufio.NewReaderSize(r, 64<<10)
	for n := 1; ; n++ {
		line, err := br.ReadBytes('\n')
		if err == io.EOF {
			return len(line) == 0, nil
		}
		if err != nil {
			return true, err
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var e Event
		if err := e.UnmarshalJSON(line); err != nil { // json.Unmarshal would read the line once more
			return true, &LineError{n, err}
		}
		select {
		case to <- e:
		case <-stop:
			return true, nil
		}
	}
}

// ReadFile reads a log file as [Read] does; errors begin with the path.
func ReadFile(path string, yield func(Event) error) (torn bool, err error) {
	f, err := os.Open(path)
	if err != nil {
		return false, fmt.Errorf("open event log: %w", err)
	}
	defer f.Close()
	torn, err = Read(f, yield)
	if e, ok := errors.AsType[*LineError](err); ok {
		return torn, fmt.Errorf("%s:%d: %w", path, e.Line, e.Err)
	}
	if err != nil {
		return torn, fmt.Errorf("%s: %w", path, err)
	}
	return torn, nil
}
