package containers

import (
	"testing"
	"time"
)

// A ping, which episodes wait for, takes milliseconds: nothing is waited for that
// the engine may still learn.
func TestPingIsQuick(t *testing.T) {
	needEngine(t)
	s := started(t, newLauncher(t, options(t)))
	quickest := time.Hour
	for range 20 {
		began := time.Now()
		if err := s.Ping(t.Context()); err != nil {
			t.Fatal(err)
		}
		quickest = min(quickest, time.Since(began))
	}
	if t.Logf("a ping takes %v", quickest); quickest > 500*time.Millisecond {
		t.Errorf("a ping takes %v", quickest)
	}
}
