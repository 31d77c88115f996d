package ways

import "testing"

// A forgery counts only if the script says that it placed everything.
func TestUnforged(t *testing.T) {
	for _, test := range []struct{ answer, want string }{
		{"forged: 2 of 2 ", ""},
		{"forged: 1 of 2 #total", "the script placed only 1 of 2 texts, counts and URLs, and not #total"},
		{"JavaScript error: Error: boom", "the script failed: JavaScript error: Error: boom"},
		{"", "the script failed: "},
		{"{}", "the script failed: {}"},
	} {
		if got := Unforged(test.answer); got != test.want {
			t.Errorf("%q: got %q, want %q", test.answer, got, test.want)
		}
	}
}
