package record_test

import (
	"bytes"
	"fmt"
	"regexp"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
)

// events/README.md lists every cause.
func TestDocumentedCauses(t *testing.T) {
	page := need.Read(t, "../../../events/README.md")
	code := need.Read(t, "cause.go")
	causes := regexp.MustCompile(`Cause += "(\w+)"`).FindAllSubmatch(code, -1)
	for _, m := range causes {
		if !bytes.Contains(page, fmt.Appendf(nil, "\n| `%s` | ", m[1])) {
			t.Errorf("no row of %s", m[1])
		}
	}
	if len(causes) < 15 {
		t.Errorf("found only %d causes", len(causes))
	}
}
