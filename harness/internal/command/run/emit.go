package run

import (
	"slices"
	"time"

	"github.com/openchrome/bench/harness/internal/command/build"
	"github.com/openchrome/bench/harness/internal/record"
)

// emit logs an event. If the log had events before this run, a run_resume comes first, and
// the server must be one that the log has.
func (r *runner) emit(e record.Event) error {
	if err := r.write(e); err != nil {
		return err
	}
	r.out.event(e)
	return nil
}

func (r *runner) write(e record.Event) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if reset, ok := e.Body.(*record.Reset); ok && len(r.had) > 0 && reset.Server != nil && !slices.Contains(r.had, *reset.Server) {
		return r.notResumed("the server differs: %s and %s", describe(&r.had[0]), describe(reset.Server))
	}
	if r.goesOn {
		r.goesOn = false
		if err := r.append(record.Event{TS: e.TS, Body: &record.RunResume{Dropped: r.log.Torn(), Host: host(), Harness: build.This()}}); err != nil {
			return err
		}
	}
	return r.append(e)
}

func (r *runner) append(e record.Event) error {
	if err := r.log.Append(e); err != nil {
		return err
	}
	return r.ledger.Add(e)
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
