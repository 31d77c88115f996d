package run

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTurns(t *testing.T) {
	turns := NewTurns(3)
	order := make(chan int)
	for i := range 3 {
		turn := turns.Of(i)
		go func() {
			for range 4 {
				if !turn.take(t.Context()) {
					return
				}
				order <- i
				turn.pass()
			}
		}()
	}
	var got []int
	for range 12 {
		got = append(got, <-order)
	}
	if diff := cmp.Diff([]int{0, 1, 2, 2, 1, 0, 0, 1, 2, 2, 1, 0}, got); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
}
