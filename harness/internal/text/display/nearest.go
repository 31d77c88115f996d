package display

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hbollon/go-edlib"
)

// DidYouMean returns `; did you mean "x"?` with the allowed word that is most like the
// given one. It returns "" if none is similar: it allows one edit, or as many as a third of the
// letters, but never all of them.
func DidYouMean(word string, allowed []string) string {
	for _, candidate := range Nearest(word, allowed, len(allowed)) {
		n := len([]rune(candidate))
		if d := edits(word, candidate); d <= max(1, n/3) && d < n {
			return fmt.Sprintf("; did you mean %q?", candidate)
		}
	}
	return ""
}

// Nearest returns at most n allowed words that are most like the given one, the best first. Case does not
// matter.
func Nearest(word string, allowed []string, n int) []string {
	distance := make(map[string]int)
	for _, candidate := range allowed {
		distance[candidate] = edits(word, candidate)
	}
	list := slices.SortedStableFunc(slices.Values(allowed), func(a, b string) int { return distance[a] - distance[b] })
	return list[:min(n, len(list))]
}

// edits is the optimal string alignment distance: the number of letters inserted, deleted
// or replaced, and of neighbours swapped. Case does not matter, and only the first 100 characters of the
// word do, which bounds the time for a hostile one.
func edits(word, candidate string) int {
	return edlib.OSADamerauLevenshteinDistance(strings.ToLower(Cut(word, 100)), strings.ToLower(candidate))
}
