package observer

import "strings"

const (
	maxURL  = 2 << 10 // bytes of a URL in an explanation
	maxText = 1 << 10 // bytes of a line that a page wrote
)

// cut returns at most max bytes of s, as valid UTF-8. A shorter result is a copy, because a
// part of a message would keep the whole message, up to 64 MiB, in memory.
func cut(s string, max int) string {
	if len(s) > max {
		s = strings.Clone(s[:max])
	}
	return strings.ToValidUTF8(s, "")
}
