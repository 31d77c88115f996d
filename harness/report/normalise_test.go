package report

import "testing"

// Node ids depend on what Chromium did before, so they are left out wherever they stand.
func TestNodeIDs(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"[4]<h1/>Orders", "[node]<h1/>Orders"},
		{"  [47]<p/>Order [12]", "  [node]<p/>Order [12]"},
		{"    [90]footer>[91]div> [92]<p/>Behind the station", "    [node]footer>[node]div> [node]<p/>Behind the station"},
		{"[9]my-card> [10]<a/>Open\n[11]<b/>", "[node]my-card> [node]<a/>Open\n[node]<b/>"},
		{"Item [3] of 4 > 2", "Item [3] of 4 > 2"},
	} {
		if got := new(normaliser).text(test.text); got != test.want {
			t.Errorf("%q: got %q, want %q", test.text, got, test.want)
		}
	}
}
