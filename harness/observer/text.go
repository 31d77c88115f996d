package observer

import "strings"

const (
	maxURL  = 2 << 10 // bytes of a URL in an explanation
	maxText = 1 << 10 // bytes of a line that a page wrote
)

// cut returns at most max bytes of s, as valid UTF-8.
func cut(s string, max int) string {
	return strings.ToValidUTF8(s[:min(len(s), max)], "")
}
