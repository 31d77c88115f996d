package browser

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
)

// Chromium 156 counted the matches of each selector in testdata/selectors.html;
// -1 is a selector that it refuses. What this browser does not support it must
// say; it must never count differently.
func TestSelectorsAreChromiums(t *testing.T) {
	page := need.Read(t, "testdata/selectors.html")
	golden := need.Read(t, "testdata/selectors.json")
	var want map[string]int
	need.OK(t, json.Unmarshal(golden, &want))
	p := parsePage(t, string(page))
	unsupported := 0
	for selector, count := range want {
		got := -1
		nodes, err := Query(p.Doc, selector)
		if _, ok := errors.AsType[Unsupported](err); ok {
			unsupported++
			continue
		}
		if err == nil {
			got = len(nodes)
		}
		if got != count {
			t.Errorf("All(%q) = %d, %v; Chromium says %d", selector, got, err, count)
		}
	}
	if unsupported > len(want)/6 {
		t.Errorf("%d of %d selectors are unsupported", unsupported, len(want))
	}
}
