package page

import (
	"bufio"
	"fmt"
	"html"
	"io"
	"regexp"
	"strings"

	"github.com/openchrome/bench/harness/internal/text/display"
)

// Markdown writes a document as GitHub's Markdown, whose <details> keep a report of hundreds of episodes
// short. Texts of pages, answers, logs and task files are escaped, so they cannot become markup.
func Markdown(w io.Writer, d Document) error {
	m := markdown{bufio.NewWriter(w), false}
	m.printf("# %s\n\n**%s.**\n", plain(d.Name), m.text(d.Verdict))
	m.blocks(d.Blocks)
	return m.Flush()
}

type markdown struct {
	*bufio.Writer
	inside bool // within a folded part
}

// maxWhole is how many characters of a text a Markdown document shows.
const maxWhole = 20_000

func (m markdown) printf(format string, args ...any) { fmt.Fprintf(m, format, args...) }

// text writes a line, with at most maxWhole characters of each part.
func (m markdown) text(t Text) string {
	var b strings.Builder
	for _, p := range t {
		text := display.Cut(p.Text, maxWhole)
		shown := plain(text)
		if p.Bars != nil {
			b.WriteString(drawn(p.Bars) + " ")
		}
		if p.Trend != nil {
			b.WriteString(trend(p.Trend) + " ")
		}
		switch p.Tone {
		case Code, Box:
			shown = code(text)
		case Strong, Fail, Void:
			if shown != "" {
				shown = "**" + shown + "**"
			}
		}
		b.WriteString(shown)
	}
	return b.String()
}

// fold begins a collapsed part; unfold ends it. The summary is HTML.
func (m markdown) fold(summary string) { m.printf("\n<details><summary>%s</summary>\n", summary) }

func (m markdown) unfold() { m.printf("\n</details>\n") }

func (m markdown) section(s Section) {
	if !s.Folded {
		m.printf(map[bool]string{true: "\n**%s**\n", false: "\n## %s\n"}[m.inside], m.text(s.Title))
		m.blocks(s.Blocks)
		return
	}
	m.inside = true // headings are only for the parts of a document
	var b strings.Builder
	for _, p := range s.Title {
		shown := html.EscapeString(display.Visible(p.Text))
		if p.Tone == Code {
			shown = "<code>" + shown + "</code>"
		}
		b.WriteString(shown)
	}
	m.fold(b.String())
	m.blocks(s.Blocks)
	m.unfold()
}

func (m markdown) blocks(all []Block) {
	for _, block := range all {
		switch b := block.(type) {
		case Text:
			if b.String() != "" {
				m.printf("\n%s\n", m.text(b))
			}
		case Facts:
			if b != nil {
				m.printf("\n")
			}
			m.facts("", b)
		case List:
			m.printf("\n")
			m.list(b.Items, "", b.Max)
		case Table:
			m.table(b)
		case Steps:
			m.steps(b)
		case Section:
			m.section(b)
		}
	}
}

func (m markdown) facts(indent string, all Facts) {
	for _, f := range all {
		if !f.Whole {
			m.printf("%s- **%s:** %s\n", indent, plain(upper(f.Name)), m.text(f.Text))
		}
	}
}

func (m markdown) list(items []Item, indent string, limit int) {
	for i, item := range items {
		if limit > 0 && i == limit {
			m.fold(fmt.Sprintf("%d more", len(items)-i))
			m.printf("\n")
		}
		m.printf("%s- %s\n", indent, m.text(item.Text))
		m.list(item.Items, indent+"  ", 0)
	}
	if limit > 0 && len(items) > limit {
		m.unfold()
	}
}

func (m markdown) table(t Table) {
	if len(t.Rows) == 0 {
		return
	}
	m.printf("\n|")
	for _, name := range t.Header {
		m.printf(" %s |", inCell.Replace(plain(name)))
	}
	m.printf("\n|%s\n", strings.Repeat(" --- |", len(t.Header)))
	for _, row := range t.Rows {
		m.printf("|")
		for _, cell := range row.Cells {
			m.printf(" %s |", inCell.Replace(m.text(cell)))
		}
		m.printf("\n")
	}
}

// steps marks the step to look at.
func (m markdown) steps(all Steps) {
	m.printf("\n")
	for _, s := range all {
		m.printf("- %d %s %s, %s", s.Number, code(s.Tool), code(display.Cut(s.Args, maxWhole)), display.Duration(s.Took))
		if s.Wrong != "" {
			m.printf(", **%s**", plain(s.Wrong))
		}
		m.printf("\n")
		m.facts("  ", s.Lines)
	}
}

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
