package report

import (
	"strings"
	"testing"
)

// A report keeps a bounded amount of texts.
func TestTextsAreBounded(t *testing.T) {
	var all texts
	long := strings.Repeat("word ", maxCallText)
	for i := range maxCallTexts / maxCallText {
		if kept, ok := all.keep(string(rune('a'+i%20)) + string(rune('a'+i/20%20)) + string(rune('a'+i/400)) + long); !ok || len(kept) > maxCallText+40 {
			t.Fatalf("text %d: %v, %d bytes", i, ok, len(kept))
		}
		if all.size > maxCallTexts-2*maxCallText {
			break
		}
	}
	all.keep("more" + long)
	all.keep("more yet" + long)
	if kept, ok := all.keep("too much" + long); ok {
		t.Errorf("kept %d bytes more", len(kept))
	}
	if _, ok := all.keep("aaa" + long); !ok {
		t.Error("a text that is kept needs no room")
	}
}
