package display_test

import (
	"fmt"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/text/display"
)

func TestDuration(t *testing.T) {
	for ms, want := range map[float64]string{0: "0s", 0.4: "0s", 12.5: "13ms", 999: "999ms", 1000: "1s", 1234.5: "1.23s", 61_000: "1m1s"} {
		need.Is(t, fmt.Sprintf("%g ms", ms), want, display.Duration(ms))
	}
}

func TestLines(t *testing.T) {
	if got, want := display.Lines("a\x1b[2J\r\n\u202eb\n"), "a\\x1b[2J\\r\n\\u202eb\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A log or a report may have any number.
func TestOrdinal(t *testing.T) {
	for n, want := range map[int]string{-1: "-1th", 0: "0th", 1: "1st", 2: "2nd", 3: "3rd", 4: "4th", 11: "11th", 13: "13th", 21: "21st", 112: "112th"} {
		need.Is(t, "", want, display.Ordinal(n))
	}
}
