package run

import (
	"context"
	"os"

	"github.com/openchrome/bench/harness/internal/record/eventlog"
	"github.com/openchrome/bench/harness/internal/tell/report"
)

// follower makes the report while the run goes on, so that a person who stops a long run
// need not wait for it.
type follower struct {
	log    *eventlog.Log
	sizes  chan int64 // the newest size of the log that it may read
	known  int64
	done   chan struct{}
	report *report.Report
	err    error
}

// followStep is how much a log grows until the follower reads on, in bytes.
const followStep = 256 << 10

func follow(log *eventlog.Log) *follower {
	f := &follower{log: log, sizes: make(chan int64, 1), done: make(chan struct{})}
	go func() {
		defer close(f.done)
		f.report, f.err = report.Follow(log.Name(), f.sizes)
	}()
	return f
}

// grow says that the log may have grown. One goroutine at a time may call it.
func (f *follower) grow() {
	if size := f.log.Size(); size-f.known >= followStep {
		f.send(size)
	}
}

func (f *follower) send(size int64) {
	select {
	case <-f.sizes:
	default:
	}
	f.known = size
	f.sizes <- size
}

// end returns the report of the whole log. It reads the log again if the file is not as the
// run wrote it, the follower failed, or whole is false: then the log may end in the middle of
// a line.
func (f *follower) end(whole bool) (*report.Report, error) {
	if whole {
		f.send(f.log.Size())
	}
	close(f.sizes)
	<-f.done
	info, err := os.Stat(f.log.Name())
	if !whole || err != nil || info.Size() != f.log.Size() || f.err != nil {
		return report.FromFile(context.Background(), f.log.Name()) // also if the run was stopped
	}
	return f.report, nil
}
