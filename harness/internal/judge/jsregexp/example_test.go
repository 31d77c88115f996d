package jsregexp

import (
	"fmt"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
)

func TestExample(t *testing.T) {
	for pattern, want := range map[string]string{
		`^https://a\.test/receipts/x7$`:    "https://a.test/receipts/x7",
		`/orders/(?:12|13)(?:\?page=\d+)?`: "/orders/12",
		`^https://a\.test/[a-z]+/\d$`:      "https://a.test/a/0",
		`^https://a\.test/[^/]+/\S$`:       "https://a.test/0/0",
		`^https://a\.test/[-.]$`:           "https://a.test/-",
		`https://a.test/done`:              "https://axtest/done", // a dot matches anything
		`(`:                                "(",
	} {
		need.Is(t, fmt.Sprintf("Example(%q)", pattern), want, Example(pattern))
	}
}
