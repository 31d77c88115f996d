package jsregexp

import "strings"

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
