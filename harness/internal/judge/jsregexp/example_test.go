package jsregexp

import "testing"

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
		if got := Example(pattern); got != want {
			t.Errorf("Example(%q) = %q, want %q", pattern, got, want)
		}
	}
}
