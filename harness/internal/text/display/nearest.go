package display

import (
	"fmt"
	"slices"
	"strings"
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
	a, b := []rune(strings.ToLower(Cut(word, 100))), []rune(strings.ToLower(candidate))
	var before []int // row i-2
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		next := make([]int, len(b)+1)
		next[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			next[j] = min(row[j]+1, next[j-1]+1, row[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				next[j] = min(next[j], before[j-2]+1)
			}
		}
		before, row = row, next
	}
	return row[len(b)]
}
