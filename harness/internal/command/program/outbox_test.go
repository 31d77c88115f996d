package program

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/openchrome/bench/harness/internal/need"
)

// nobody reads what is written to it.
type nobody struct{ gone <-chan struct{} }

func (n nobody) Write(b []byte) (int, error) {
	<-n.gone
	return len(b), nil
}

// What is left to write is waited for until the run is stopped, and then not for
// long.
func TestOutboxWithoutAReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gone := make(chan struct{})
		defer close(gone)
		b := newOutbox()
		b.post(letter{to: nobody{gone}, text: "hello"})
		ctx := need.Within(t, time.Hour)
		began := time.Now()
		if written := b.close(ctx); written || time.Since(began) != time.Hour+patience {
			t.Errorf("written %v after %v, want false after an hour and %v", written, time.Since(began), patience)
		}
	})
}
