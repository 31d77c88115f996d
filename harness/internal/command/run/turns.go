package run

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/openchrome/bench/harness/internal/command/program"
)

// Turns lets runs that were started together run their episodes one at a time. With the
// runs A and B the order is A, B, B, A, A, B and so on, so that neither has an advantage if
// the machine gets slower or faster. All runs must have the same plan. The first turn comes when
// all have joined, and runs that are resumed go on in the order that they had. A run that ends
// early leaves the others waiting. A turn lasts from the launch of a session to its end.
type Turns struct {
	Say   func(string)    // gets a line on the progress now and then; nil: nobody
	turns []chan struct{} // one channel for each run; holds the turn while it is that run's turn

	mu       sync.Mutex
	joined   int    // how many runs
	left     []turn // the next first
	pairs    int    // how many there were at first
	progress program.Progress
}

// turn is an episode that waits: its place in the plan, and its run.
type turn struct{ place, run int }

// NewTurns returns the turns of n runs.
func NewTurns(n int) *Turns {
	t := new(Turns)
	for range n {
		t.turns = append(t.turns, make(chan struct{}, 1))
	}
	return t
}

// join adds the jobs of a run. Each run calls it once.
func (t *Turns) join(run int, jobs []job) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, j := range jobs {
		t.left = append(t.left, turn{j.place, run})
	}
	if t.joined++; t.joined < len(t.turns) {
		return
	}
	slices.SortFunc(t.left, func(a, b turn) int {
		forwards := 1 - a.place%2*2 // every second pair runs backwards
		return cmp.Or(a.place-b.place, forwards*(a.run-b.run))
	})
	t.pairs = (len(t.left) + len(t.turns) - 1) / len(t.turns)
	t.progress.Start(time.Now())
	t.next()
}

// pass gives the turn to the next run. Only the run that has the turn may call it.
func (t *Turns) pass() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if now := time.Now(); len(t.left)%len(t.turns) == 0 && t.Say != nil {
		t.progress.EndPair(now)
		if t.progress.Due(t.pairs, now) {
			t.Say(t.progress.Words(t.pairs, now))
		}
	}
	t.next()
}

func (t *Turns) next() {
	if len(t.left) > 0 {
		t.turns[t.left[0].run] <- struct{}{}
		t.left = t.left[1:]
	}
}

// Turn is one run's share of [Turns]. A run with a nil Turn never waits.
type Turn struct {
	*Turns
	run int
}

// Of returns the Turn of run i, counted from 0.
func (t *Turns) Of(i int) *Turn { return &Turn{t, i} }

// take waits for the turn. It reports false if ctx ended first.
func (t *Turn) take(ctx context.Context) bool {
	if t == nil {
		return true
	}
	select {
	case <-t.turns[t.run]:
		return true
	case <-ctx.Done():
		return false
	}
}
