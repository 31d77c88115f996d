package jsregexp

import (
	"regexp"
	"strings"
)

// Plain returns the text that a pattern stands for, and whether it has an anchor at
// its begin and its end. ok is false if the pattern stands for more than one text.
func Plain(source string) (text string, begins, ends, ok bool) {
	text, begins = strings.CutPrefix(source, "^")
	text, ends = strings.CutSuffix(text, "$")
	re, err := regexp.Compile(text) // a text with escapes means the same there
	if err != nil {
		return "", false, false, false
	}
	text, ok = re.LiteralPrefix()
	return text, begins, ends, ok && text != ""
}
