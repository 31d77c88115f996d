package report

import (
	"strconv"
	"strings"
)

// Visible makes text of a page safe to show on a terminal or in a document of
// one line: control characters, line ends, bidirectional marks and what else
// does not print become Go escapes; a backslash of the text is doubled.
func Visible(s string) string {
	q := strconv.Quote(s)
	return strings.ReplaceAll(q[1:len(q)-1], `\"`, `"`)
}

// code writes hostile text as a Markdown code span: nothing in it can end the
// span, a table cell or the line.
func code(s string) string {
	s = strings.ReplaceAll(Visible(s), "|", `\u007c`)
	if s == "" {
		return "(empty)"
	}
	longest, row := 0, 0
	for _, c := range s {
		if c != '`' {
			row = 0
			continue
		}
		row++
		longest = max(longest, row)
	}
	fence := strings.Repeat("`", longest+1)
	return fence + " " + s + " " + fence
}

// plain writes text of a task file in running Markdown text: what Markdown or
// HTML would read as more than text is escaped.
func plain(s string) string {
	var b strings.Builder
	for _, c := range Visible(s) {
		if strings.ContainsRune("\\`*_{}[]<>()#+!|~&@:", c) {
			b.WriteString("&#" + strconv.Itoa(int(c)) + ";")
			continue
		}
		b.WriteRune(c)
	}
	return b.String()
}
