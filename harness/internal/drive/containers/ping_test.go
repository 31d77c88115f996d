package containers

import (
	"testing"
	"time"

	"github.com/openchrome/bench/harness/internal/need"
)

// A ping, which episodes wait for, takes milliseconds: nothing is waited for that
// the engine may still learn.
func TestPingIsQuick(t *testing.T) {
	needEngine(t)
	s := started(t, newLauncher(t, options(t)))
	quickest := time.Hour
	for range 20 {
		began := time.Now()
		need.OK(t, s.Ping(t.Context()))
		quickest = min(quickest, time.Since(began))
	}
	if t.Logf("a ping takes %v", quickest); quickest > 500*time.Millisecond {
		t.Errorf("a ping takes %v", quickest)
	}
}
