package listen

import (
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
)

// Of a tab that is closed, no control is known.
func TestClosedTab(t *testing.T) {
	e := New()
	e.Opened("T", blank)
	e.Closed("T")
	need.Is(t, "whole before", false, e.Take(t.Context(), "T").Before.Whole)
}
