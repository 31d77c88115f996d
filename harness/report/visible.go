package report

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/openchrome/bench/harness/display"
)

// code writes hostile text as a Markdown code span: nothing in it can end the
// span or the line. In a table it would need [cell].
func code(s string) string {
	s = display.Visible(s)
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

// inCell escapes what would end a cell of a table. A table is cut into cells
// before code spans are found, so that \| is a bar there too; but readers differ
// about one behind a backslash of the text.
var inCell = strings.NewReplacer(`\|`, `\\u007c`, "|", `\|`)

// cell is code within a table.
func cell(s string) string { return inCell.Replace(code(s)) }

// plain writes text of a task file in running Markdown text: what Markdown or
// HTML would read as more than text is escaped, and nothing else.
func plain(s string) string {
	var b strings.Builder
	runes := []rune(display.Visible(s))
	for i, c := range runes {
		var before, after rune
		if i > 0 {
			before = runes[i-1]
		}
		if i+1 < len(runes) {
			after = runes[i+1]
		}
		if isMarkup(before, c, after) {
			b.WriteString("&#" + strconv.Itoa(int(c)) + ";")
			continue
		}
		b.WriteRune(c)
	}
	return b.String()
}

// isMarkup reports whether c may mean something to Markdown or to a site that
// shows it, between its neighbours (0 at an end).
func isMarkup(before, c, after rune) bool {
	switch c {
	case '\\', '`', '*', '<', '>', '[', ']', '|', '&', '~':
		return true
	case '_': // emphasis, unless within a word
		return !isWord(before) || !isWord(after)
	case '#': // a heading or a number of an issue, unless it ends a word
		return !isWord(before)
	case '@': // a person
		return !isWord(before)
	case ':': // a link that makes itself
		return after == '/'
	case '.':
		return before == 'w' && isWord(after)
	case '-', '+', '=', '!':
		return before == 0
	}
	return false
}

func isWord(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) }
