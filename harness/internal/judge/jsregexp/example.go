package jsregexp

import (
	"regexp/syntax"
	"slices"
	"strings"
)

// Example returns a short text that a pattern matches, for example https://a.test/done for
// ^https://a\.test/done$. A text that is not a pattern stands for itself.
func Example(pattern string) string {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return pattern
	}
	return shortest(re.Simplify())
}

func shortest(re *syntax.Regexp) string {
	switch re.Op {
	case syntax.OpLiteral:
		return string(re.Rune)
	case syntax.OpCharClass:
		// The class is a list of ranges. A negated one begins with control characters.
		for r := range slices.Chunk(re.Rune, 2) {
			if c := max(r[0], '0'); c <= r[1] {
				return string(c)
			}
		}
		return string(re.Rune[0])
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return "x"
	case syntax.OpCapture, syntax.OpPlus, syntax.OpAlternate:
		return shortest(re.Sub[0])
	case syntax.OpConcat:
		var b strings.Builder
		for _, sub := range re.Sub {
			b.WriteString(shortest(sub))
		}
		return b.String()
	}
	return "" // an anchor, or a part that may be empty
}
