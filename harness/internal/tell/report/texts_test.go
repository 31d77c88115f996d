package report

import (
	"strings"
	"testing"
)

// A report keeps a bounded amount of texts.
func TestTextsAreBounded(t *testing.T) {
	all := texts{size: maxCallTexts - maxCallText - 100} // as if it had others
	long := strings.Repeat("word ", maxCallText)
	if kept, ok := all.keep("a" + long); !ok || len(kept) > maxCallText+40 {
		t.Errorf("%t, %d bytes", ok, len(kept))
	}
	if kept, ok := all.keep("b" + long); ok {
		t.Errorf("kept %d bytes more", len(kept))
	}
	if _, ok := all.keep("a" + long); !ok {
		t.Error("a text that is kept needs no room")
	}
}
