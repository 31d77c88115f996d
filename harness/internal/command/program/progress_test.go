package program

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
)

// A long run prints a line each minute. So it notices in time that nobody reads its output.
func TestProgressEachMinute(t *testing.T) {
	var p Progress
	now := time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)
	p.Start(now)
	var due []int
	for second := range 200 {
		p.End(record.Pass, now.Add(time.Duration(second)*time.Second))
		if p.Due(100_000, now.Add(time.Duration(second)*time.Second)) {
			due = append(due, second)
		}
	}
	need.Equal(t, "seconds", []int{60, 120, 180}, due)
}

// There is no estimate before three episodes have ended and two seconds have passed.
func TestProgressEstimate(t *testing.T) {
	var p Progress
	now := time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)
	p.Start(now)
	for n, want := range []string{
		"1 of 10 done: 1 passed, 0 failed, 0 void", "2 of 10 done: 2 passed, 0 failed, 0 void", // too few
		"3 of 10 done: 3 passed, 0 failed, 0 void", // too early
		"4 of 10 done: 4 passed, 0 failed, 0 void; about 3s left",
	} {
		now = now.Add(500 * time.Millisecond)
		p.End(record.Pass, now)
		need.Is(t, fmt.Sprintf("after %d", n+1), want, p.Words(10, now))
	}
	// It counts down while nothing ends, and never below a second.
	for wait, want := range map[time.Duration]string{time.Second: "about 2s left", time.Minute: "about 1s left"} {
		if got := p.Words(10, now.Add(wait)); !strings.HasSuffix(got, want) {
			t.Errorf("%s later: %s, want %s", wait, got, want)
		}
	}
}
