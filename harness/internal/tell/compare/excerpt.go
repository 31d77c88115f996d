package compare

import "github.com/openchrome/bench/harness/internal/text/display"

// Excerpts returns the texts of two answers, cut to the part around the first difference: at most max
// characters each. Both are empty if neither side has a text. If one side has none, as a
// canonical report does, it says so.
func Excerpts(base, head string, max int) (string, string) {
	if base == "" && head == "" {
		return "", ""
	}
	const none = "(no text)"
	switch "" {
	case base:
		return none, display.Cut(head, max)
	case head:
		return display.Cut(base, max), none
	}
	b, h := []rune(base), []rune(head)
	at := 0
	for at < len(b) && at < len(h) && b[at] == h[at] {
		at++
	}
	begin := at - max/4
	if begin <= 0 || len(b) <= max && len(h) <= max {
		return display.Cut(base, max), display.Cut(head, max)
	}
	return "…" + display.Cut(string(b[begin:]), max-1), "…" + display.Cut(string(h[begin:]), max-1)
}
