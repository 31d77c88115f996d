package episode

import (
	"testing"
	"time"

	"github.com/openchrome/bench/harness/internal/need"
)

func TestPulse(t *testing.T) {
	const ms = time.Millisecond
	for _, test := range []struct {
		name  string
		beats []time.Duration // after the one before
		slept time.Duration
		want  string
	}{
		{"steady", []time.Duration{200 * ms, 200 * ms, 210 * ms}, 0, ""},
		{"a busy machine", []time.Duration{200 * ms, 2000 * ms, 1900 * ms}, 0, ""},
		{"stopped", []time.Duration{200 * ms, 3040 * ms, 200 * ms}, 0, "the harness did not run for 3s: it was stopped by a signal or got no processor time"},
		{"stopped twice", []time.Duration{3 * time.Second, 200 * ms, 4500 * ms}, 0, "the harness did not run for 7.5s: it was stopped by a signal or got no processor time"},
		{"suspended", []time.Duration{200 * ms}, time.Minute, "the machine was suspended for 1m0s, or its clock was set"},
	} {
		now := time.Now()
		p := &pulse{last: now, slept: func() time.Duration { return test.slept }}
		for _, d := range test.beats {
			now = now.Add(d)
			p.beat(now)
		}
		need.Is(t, test.name, test.want, p.stoodStill())
	}
}
