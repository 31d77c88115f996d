package browser

import (
	"encoding/json"
	"os"
	"testing"
)

// The expectations are those of the URL standard, as a JavaScript engine
// answered them for each text alone and against a base.
func TestParseURL(t *testing.T) {
	data, err := os.ReadFile("testdata/urls.json")
	if err != nil {
		t.Fatal(err)
	}
	var rows []struct {
		In                 string
		Relative, Absolute *string
	}
	if err := json.Unmarshal(data, &rows); err != nil {
		t.Fatal(err)
	}
	base, err := ParseURL("https://example.com/dir/page?q=1#frag", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		check(t, row.In, "relative", base, row.Relative)
		check(t, row.In, "absolute", nil, row.Absolute)
	}
}

func check(t *testing.T, in, kind string, base *URL, want *string) {
	t.Helper()
	u, err := ParseURL(in, base)
	switch {
	case want == nil && err == nil:
		t.Errorf("ParseURL(%q) %s = %q, want an error", in, kind, u)
	case want != nil && (err != nil || u.String() != *want):
		t.Errorf("ParseURL(%q) %s = %v, %v; want %q", in, kind, u, err, *want)
	}
}
