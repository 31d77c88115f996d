package page

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/openchrome/bench/harness/internal/text/display"
)

// code writes hostile text as a Markdown code span: nothing in it can end the
// span or the line.
func code(s string) string {
	s = display.Visible(s)
	if s == "" {
		return "(empty)"
	}
	longest := 0
	for _, row := range strings.FieldsFunc(s, func(c rune) bool { return c != '`' }) {
		longest = max(longest, len(row))
	}
	fence := strings.Repeat("`", longest+1)
	return fence + " " + s + " " + fence
}

// inCell escapes bars, which end a cell of a table even within a code span.
// Readers of Markdown differ about a bar behind a backslash of the text.
var inCell = strings.NewReplacer(`\|`, `\\u007c`, "|", `\|`)

// Slug makes the name of an anchor, or a part of a file's name, of any text.
func Slug(s string) string {
	return strings.Map(func(c rune) rune {
		if c < utf8.RuneSelf && isWord(c) || c == '.' || c == '_' {
			return c
		}
		return '-'
	}, s)
}

// plain writes hostile text in running Markdown text, outside of tables. It escapes what
// Markdown or HTML would read as markup, and nothing else. GitHub makes a link of each
// mail address, however it is escaped: a text with one becomes code.
func plain(s string) string {
	if strings.Contains(s, "@") {
		return code(s)
	}
	var b strings.Builder
	var before rune
	s = display.Visible(s)
	for i, c := range s {
		after, _ := utf8.DecodeRuneInString(s[i+utf8.RuneLen(c):])
		ends := (c == '.' || c == ')') && (after == ' ' || after == utf8.RuneError)
		if ends && strings.Trim(s[:i], "0123456789") == "" || // an item of a list
			isMarkup(before, c, after) {
			b.WriteString("&#" + strconv.Itoa(int(c)) + ";")
		} else {
			b.WriteRune(c)
		}
		before = c
	}
	return b.String()
}

// isMarkup reports whether Markdown, or a site that shows it, may read c as markup
// between these neighbours. At an end the neighbour is no letter and no digit.
func isMarkup(before, c, after rune) bool {
	switch c {
	case '\\', '`', '*', '<', '>', '[', ']', '|', '&', '~':
		return true
	case '_': // emphasis, unless within a word
		return !isWord(before) || !isWord(after)
	case '#': // a heading or the number of an issue, unless within a word
		return !isWord(before)
	case ':': // text that becomes a link without markup
		return after == '/'
	case '.':
		return before == 'w' && isWord(after)
	case '-', '+', '=', '!':
		return before == 0
	}
	return false
}

func isWord(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) }
