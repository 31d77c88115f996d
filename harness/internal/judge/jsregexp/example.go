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

// Plain returns the text that a pattern stands for, and whether it has an anchor at
// its begin and its end. ok is false if the pattern stands for more than one text.
func Plain(source string) (text string, begins, ends, ok bool) {
	text, begins = strings.CutPrefix(source, "^")
	text, ends = strings.CutSuffix(text, "$")
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\\' && i+1 < len(text) && strings.IndexByte(`\.?/+*()[]{}^$|-`, text[i+1]) >= 0:
			i++
			c = text[i]
		case strings.IndexByte(`\.?+*()[]{}^$|`, c) >= 0:
			return "", false, false, false
		}
		b.WriteByte(c)
	}
	return b.String(), begins, ends, b.Len() > 0
}
