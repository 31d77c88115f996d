package record

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Ledger knows from a log which episodes of the run are done. The zero value is ready; Add
// takes the events in the order of the log.
//
// An episode can have several attempts, one after the other. It is done when its last attempt
// has a stop, unless the run was stopped in the middle of it, or it is void and -retries
// allows another attempt.
type Ledger struct {
	Start   *RunStart // nil: there is no plan
	Resumes []*RunResume
	End     *RunEnd  // nil: the run was killed, or is still running
	Servers []Server // each once

	tasks    map[string]int // places in the plan
	shard    Shard
	episodes map[string]tries // by name
}

// tries are the attempts at an episode. It is small, because a run can have 100,000 of them.
type tries struct {
	repetition int32
	n          int32
	voids      int32 // attempts that ended void and were not interrupted
	ended      end   // how the last attempt ended
}

// end is how an attempt ended, as far as it decides what comes next.
type end uint8

const (
	open        end = iota // it has no stop
	counted                // it passed or failed, or no other attempt can follow
	void                   // another attempt can follow
	interrupted            // it does not count
)

func endOf(s Status) end {
	switch {
	case s == Interrupted:
		return interrupted
	case s.Class() == Void:
		return void
	}
	return counted
}

// Add takes the next event. It fails on a log that no harness writes, such as one with an
// event of an episode that has not begun.
func (l *Ledger) Add(e Event) error {
	if l.Start == nil && e.Body.Type() != TypeRunStart {
		return fmt.Errorf("%s of %q before run_start", e.Body.Type(), e.Episode)
	}
	switch body := e.Body.(type) {
	case *RunStart:
		if l.Start != nil {
			return errors.New("second run_start in one log")
		}
		if body.SchemaVersion != SchemaVersion {
			return fmt.Errorf("the log has format %d, and this program reads format %d: use the program that wrote it", body.SchemaVersion, SchemaVersion)
		}
		l.Start = body
		return l.plan()
	case *RunResume:
		l.Resumes, l.End = append(l.Resumes, body), nil
		return nil
	case *RunEnd:
		l.End = body
		return nil
	}
	if l.End != nil {
		return fmt.Errorf("%s of %q after run_end", e.Body.Type(), e.Episode)
	}
	if reset, ok := e.Body.(*Reset); ok {
		return l.reset(e.Episode, reset)
	}
	t := l.episodes[e.Episode]
	if t.n == 0 || t.ended != open {
		return fmt.Errorf("%s of %q before its reset", e.Body.Type(), e.Episode)
	}
	if stop, ok := e.Body.(*Stop); ok {
		task, _, _ := strings.Cut(e.Episode, "#")
		if want := Page(l.Start.RunID, task, int(t.repetition), int(t.n)); stop.Page != "" && stop.Page != want {
			return fmt.Errorf("stop of %q has its page in %q, want %q", e.Episode, stop.Page, want)
		}
		t.ended = endOf(stop.Status)
		if l.Start.Agent != nil && stop.Status == AdapterError { // an agent that fails does not run again
			t.ended = counted
		}
		if t.ended == void {
			t.voids++
		}
		l.episodes[e.Episode] = t
	}
	return nil
}

// plan checks the plan. Missing looks at each of its episodes, so there must not be too many.
func (l *Ledger) plan() (err error) {
	if l.shard, err = ParseShard(l.Start.Shard); err != nil {
		return fmt.Errorf("run_start: shard %w", err)
	}
	if err := cmp.Or(CheckRunID(l.Start.RunID), CheckRunID(cmp.Or(l.Start.Parity.Run, l.Start.RunID))); err != nil {
		return fmt.Errorf("run_start: run %w", err)
	}
	if n := l.Start.Options.Repetitions; n < 0 || n > MaxRepetitions {
		return fmt.Errorf("run_start: repetitions is %d, want 0 to %d", n, MaxRepetitions)
	}
	if _, err := l.Start.Planned(); err != nil {
		return fmt.Errorf("run_start: %w", err)
	}
	l.tasks, l.episodes = map[string]int{}, map[string]tries{}
	for i, t := range l.Start.Plan {
		if _, twice := l.tasks[t.ID]; twice {
			return fmt.Errorf("run_start: task %q is twice in the plan", t.ID)
		}
		if err := t.Check(t.ID); err != nil {
			return fmt.Errorf("run_start: %w", err)
		}
		l.tasks[t.ID] = i
	}
	return nil
}

func (l *Ledger) planned(task string, repetition int) bool {
	if l.Start.Plan == nil {
		return true
	}
	i, ok := l.tasks[task]
	n := l.Start.Options.Repetitions
	return ok && repetition >= 1 && repetition <= n && l.shard.Has(i*n+repetition-1)
}

func (l *Ledger) reset(name string, body *Reset) error {
	if want := EpisodeName(body.Task.ID, body.Repetition); name != want {
		return fmt.Errorf("reset of %q belongs to %q", name, want)
	}
	if err := body.Task.Check(body.Task.ID); err != nil {
		return fmt.Errorf("reset: %w", err)
	}
	if !l.planned(body.Task.ID, body.Repetition) {
		return fmt.Errorf("reset of %q, which is not planned", name)
	}
	if body.Repetition < 1 || body.Repetition > MaxRepetitions {
		return fmt.Errorf("reset of %q: there is no repetition %d", name, body.Repetition)
	}
	t := l.episodes[name]
	if l.Done(name) {
		return fmt.Errorf("reset of %q, which is done", name)
	}
	if attempt := max(body.Attempt, 1); attempt != int(t.n)+1 {
		return fmt.Errorf("reset of %q is attempt %d, want %d", name, attempt, t.n+1)
	}
	if s := body.Server; s != nil && !slices.Contains(l.Servers, *s) {
		l.Servers = append(l.Servers, *s)
	}
	t.repetition, t.n, t.ended = int32(body.Repetition), t.n+1, open
	l.episodes[name] = t
	return nil
}

// Ending says how the log ends.
func (l *Ledger) Ending() Ending {
	switch {
	case l.End == nil:
		return EndingNone
	case l.End.Interrupted:
		return EndingInterrupted
	}
	return EndingWhole
}

// Done reports whether an episode is done.
func (l *Ledger) Done(name string) bool { return l.done(l.episodes[name]) }

func (l *Ledger) done(t tries) bool {
	switch t.ended {
	case counted:
		return true
	case void, interrupted:
		return int(t.voids) > l.Start.Options.Retries
	}
	return false
}

// EachDone calls yield with the name of each episode that is done, in no order.
func (l *Ledger) EachDone(yield func(name string)) {
	for name, t := range l.episodes {
		if l.done(t) {
			yield(name)
		}
	}
}

// Whole reports whether every planned episode is done. It is true if the log has no plan.
func (l *Ledger) Whole() bool { return l.Missing() == nil }

// Attempts is how many attempts at an episode began.
func (l *Ledger) Attempts(name string) int { return int(l.episodes[name].n) }

// Begun is how many episodes began.
func (l *Ledger) Begun() int { return len(l.episodes) }

// Missing names the planned episodes that are not done. It is nil if there is none, or if
// the log has no plan.
func (l *Ledger) Missing() []string {
	var names Names
	l.Start.Each(func(t Planned, repetition int) bool {
		if !l.Done(EpisodeName(t.ID, repetition)) {
			names.Add(t.ID, repetition)
		}
		return true
	})
	return names.List()
}
