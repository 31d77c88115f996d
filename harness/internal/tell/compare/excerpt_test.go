package compare_test

import (
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/internal/tell/compare"
)

// An excerpt shows where two answers differ.
func TestExcerpts(t *testing.T) {
	long := strings.Repeat("x", 500)
	for _, test := range []struct{ name, base, head, wantBase, wantHead string }{
		{"short", "Filled", "Completed", "Filled", "Completed"},
		{"far behind", long + "one" + long, long + "two", "…xxxxxone" + strings.Repeat("x", 11) + "…", "…xxxxxtwo"},
		{"longer", long, long + "more", "…xxxxx", "…xxxxxmore"},
		{"none", "", "", "", ""},
		{"none in the base", "", "Filled", "(no text)", "Filled"},
		{"none in the head", "Filled", "", "Filled", "(no text)"},
	} {
		base, head := compare.Excerpts(test.base, test.head, 20)
		if base != test.wantBase || head != test.wantHead {
			t.Errorf("%s: %q and %q", test.name, base, head)
		}
	}
}
