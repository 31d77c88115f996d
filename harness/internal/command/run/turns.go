package run

import "context"

// Turns lets runs that were started together run their episodes one at a time. With the
// runs A and B the order is A, B, B, A, A, B and so on, so that neither has an advantage if
// the machine gets slower or faster. All runs must have the same number of episodes,
// because a run that ends early leaves the others waiting. A turn lasts from the launch of
// a session to its end.
type Turns struct {
	next  int             // the number of the next turn
	turns []chan struct{} // one channel for each run; holds the turn while it is that run's turn
}

// NewTurns returns the turns of n runs.
func NewTurns(n int) *Turns {
	t := new(Turns)
	for range n {
		t.turns = append(t.turns, make(chan struct{}, 1))
	}
	t.pass()
	return t
}

// pass gives the turn to the next run. Only the run that has the turn may call it.
func (t *Turns) pass() {
	n := len(t.turns)
	i := t.next % (2 * n)
	if i >= n { // every second round runs backwards
		i = 2*n - 1 - i
	}
	t.next++
	t.turns[i] <- struct{}{}
}

// Turn is one run's share of [Turns]. A run with a nil Turn never waits.
type Turn struct {
	mine chan struct{} // holds the turn while it is this run's turn
	pass func()
}

// Of returns the Turn of run i, counted from 0.
func (t *Turns) Of(i int) *Turn { return &Turn{t.turns[i], t.pass} }

// take waits for the turn. It reports false if ctx ended first.
func (t *Turn) take(ctx context.Context) bool {
	if t == nil {
		return true
	}
	select {
	case <-t.mine:
		return true
	case <-ctx.Done():
		return false
	}
}
