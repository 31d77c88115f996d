package page

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/openchrome/bench/harness/internal/text/display"
)

var (
	notTicks = regexp.MustCompile("[^`]+")
	// markup is what Markdown, or a site that shows it, may read as markup: at the beginning a list, a line or
	// a heading; emphasis and the number of an issue, unless within a word; text that becomes a link.
	markup  = regexp.MustCompile("^[-+=!]|^\\d+[.)](?: |$)|[\\\\`*<>\\[\\]|&~]|\\b_+|_+\\b|\\B#|:/|w\\.")
	special = regexp.MustCompile(`[^\pL\d /]`)
)

// code writes hostile text as a Markdown code span: nothing in it can end the
// span or the line.
func code(s string) string {
	s = display.Visible(s)
	if s == "" {
		return "(empty)"
	}
	longest := 0
	for _, row := range notTicks.Split(s, -1) {
		longest = max(longest, len(row))
	}
	fence := strings.Repeat("`", longest+1)
	return fence + " " + s + " " + fence
}

// inCell escapes bars, which end a cell of a table even within a code span.
// Readers of Markdown differ about a bar behind a backslash of the text.
var inCell = strings.NewReplacer(`\|`, `\\u007c`, "|", `\|`)

// plain writes hostile text in running Markdown text, outside of tables. It escapes what
// Markdown or HTML would read as markup, and nothing else. GitHub makes a link of each
// mail address, however it is escaped: a text with one becomes code.
func plain(s string) string {
	if strings.Contains(s, "@") {
		return code(s)
	}
	return markup.ReplaceAllStringFunc(display.Visible(s), func(found string) string {
		return special.ReplaceAllStringFunc(found, func(c string) string { return fmt.Sprintf("&#%d;", []rune(c)[0]) })
	})
}
