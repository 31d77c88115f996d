package report

import (
	"encoding/json"
	"testing"
)

// Node ids depend on what Chromium did before, so they are left out wherever they stand.
func TestNodeIDs(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"[4]<h1/>Orders", "[node]<h1/>Orders"},
		{"  [47]<p/>Order [12]", "  [node]<p/>Order [12]"},
		{"    [90]footer>[91]div> [92]<p/>Behind the station", "    [node]footer>[node]div> [node]<p/>Behind the station"},
		{"[9]my-card> [10]<a/>Open\n[11]<b/>", "[node]my-card> [node]<a/>Open\n[node]<b/>"},
		{"    [74-5] th ×4 (showing 3 of 4)", "    [nodes] th ×4 (showing 3 of 4)"},
		{"Clicked element 39 at (747, 303)", "Clicked element [node] at (747, 303)"},
		{"Clicked element ref_3 at (747, 303)", "Clicked element ref_3 at (747, 303)"},
		{"Item [3] of 4 > 2", "Item [3] of 4 > 2"},
	} {
		if got := new(normaliser).text(test.text); got != test.want {
			t.Errorf("%q: got %q, want %q", test.text, got, test.want)
		}
	}
	for _, test := range []struct{ args, want string }{
		{`{"ref":"39","value":"39"}`, `{"ref":"[node]","value":"39"}`},
		{`{"ref": "ref_3"}`, `{"ref": "ref_3"}`},
	} {
		if got := new(normaliser).args(json.RawMessage(test.args)); got != test.want {
			t.Errorf("%s: got %s, want %s", test.args, got, test.want)
		}
	}
}

// After an action OpenChrome describes the page as it is after a fixed wait, so that part is
// left out. What the action hit stays.
func TestSettled(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"✓ Clicked Send\n[Page navigated: https://a.test/sent]", "✓ Clicked Send"},
		{"Clicked at (62, 400)\n[Page navigated: https://a.test/b]\n[Title: \"B\"]\nHit: <i class=\"s\"> [not interactive]\n[Page State] url: https://a.test/b", "Clicked at (62, 400)\nHit: <i class=\"s\"> [not interactive]"},
		{"Clicked at (62, 400)\nHit: <i class=\"s\"> [not interactive]\n[Page State] url: https://a.test/b\n[Headings] h1: \"B\"", "Clicked at (62, 400)\nHit: <i class=\"s\"> [not interactive]"},
		{"Triple-clicked element 4 at (592, 314)\n[DOM Delta]\n~ div: hidden", "Triple-clicked element [node] at (592, 314)"},
		{"Pressed: ArrowRight\n[DOM Delta]\n~ input: value 0→10", "Pressed: ArrowRight"},
		{"Typed: 790", "Typed: 790"},
		{"Waited 2 seconds\n[1] item", "Waited 2 seconds\n[1] item"},
		{"Clicked\n[1] item of a page", "Clicked\n[1] item of a page"},
	} {
		if got := new(normaliser).text(test.text); got != test.want {
			t.Errorf("%q: got %q, want %q", test.text, got, test.want)
		}
	}
}
