package observer

import "strings"

const (
	maxURL  = 2 << 10 // bytes of a URL in an explanation
	maxText = 1 << 10 // bytes of a line that a page wrote
)

// cut returns at most max bytes of s, as valid UTF-8. The result is a copy if it is
// shorter than s: a message may be 64 MiB, and would stay in memory with any part of it.
func cut(s string, max int) string {
	if len(s) > max {
		s = strings.Clone(s[:max])
	}
	return strings.ToValidUTF8(s, "")
}
