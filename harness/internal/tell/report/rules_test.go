package report_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/tell/word"
)

// A report whose words are of other rules has none, and says so.
func TestWordsOfOtherRules(t *testing.T) {
	raw := need.Read(t, filepath.Join("..", "..", "..", "..", "reports", "mock-standin.json"))
	raw = bytes.Replace(raw, []byte(`"tool": "fill_form",`), []byte(`"tool": "fill_form", "parts": [{"asked": "Send", "word": "nothing"}],`), 1)
	written := regexp.MustCompile(`"rules": \d+,`)
	for rules, known := range map[string]bool{fmt.Sprintf(`"rules": %d,`, word.Rules): true, `"rules": 99,`: false, "": false} {
		name := filepath.Join(t.TempDir(), "r.json")
		need.Write(t, name, written.ReplaceAllLiteralString(string(raw), rules))
		r, err := report.Read(name)
		need.OK(t, err)
		had := false
		for _, e := range r.Episodes.All() {
			for _, c := range e.Calls {
				had = had || c.Parts != nil
			}
		}
		if said := strings.Contains(strings.Join(r.Notes, "; "), "only statuses are compared"); had != known || said == known {
			t.Errorf("%s: words %v, notes %q", rules, had, r.Notes)
		}
	}
}
