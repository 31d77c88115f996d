package page

import (
	"bufio"
	"fmt"
	"html"
	"io"
	"net/url"
	"path"
	"regexp"
	"strings"

	"github.com/openchrome/bench/harness/internal/text/display"
)

// Markdown writes a document as GitHub's Markdown, whose <details> keep a report of hundreds of episodes
// short. Texts of pages, answers, logs and task files are escaped, so they cannot become markup.
func Markdown(w io.Writer, d Document) error {
	m := markdown{bufio.NewWriter(w), map[string]bool{}, false}
	m.anchors(d.Blocks)
	m.printf("# %s\n\n**%s.**\n", plain(d.Name), m.text(d.Verdict, maxWhole))
	m.blocks(d.Blocks)
	return m.Flush()
}

type markdown struct {
	*bufio.Writer
	linked map[string]bool // addresses of sections
	inside bool            // within a folded part
}

// How many characters of a text a Markdown document shows without a click, and with one.
const (
	maxBrief = 500
	maxWhole = 20_000
)

func (m markdown) printf(format string, args ...any) { fmt.Fprintf(m, format, args...) }

func (m markdown) anchors(all []Block) {
	for _, block := range all {
		if s, ok := block.(Section); ok {
			m.linked[s.Link] = s.Link != ""
			m.anchors(s.Blocks)
		}
	}
}

// anchor makes the name of a section of its address.
func anchor(link string) string {
	q, _ := url.ParseQuery(strings.TrimPrefix(link, "#"))
	return Slug(q.Get("episode"))
}

// text writes a line, with at most limit characters of each part.
func (m markdown) text(t Text, limit int) string {
	var b strings.Builder
	for _, p := range t {
		text := display.Cut(p.Text, limit)
		shown := plain(text)
		switch p.Tone {
		case Code, Box:
			shown = code(text)
		case Strong, Fail, Void, Mark:
			if shown != "" {
				shown = "**" + shown + "**"
			}
		}
		b.WriteString(m.link(shown, p))
	}
	return b.String()
}

// safeFolder matches a folder beside the reports that a link can name.
var safeFolder = regexp.MustCompile(`^\.\./[A-Za-z0-9][\w.-]*(/[A-Za-z0-9][\w.-]*)*/$`)

func (m markdown) link(shown string, p Part) string {
	episode, _, _ := strings.Cut(p.Link, "&step=")
	switch {
	case m.linked[episode] && episode != "":
		return "[" + shown + "](#" + anchor(episode) + ")"
	case safeFolder.MatchString(p.Link):
		return "[" + shown + "](" + path.Clean(p.Link) + "/)"
	}
	return shown
}

// fold begins a collapsed part; unfold ends it. The summary is HTML.
func (m markdown) fold(summary string) { m.printf("\n<details><summary>%s</summary>\n", summary) }

func (m markdown) unfold() { m.printf("\n</details>\n") }

func (m markdown) section(s Section) {
	if !s.Folded {
		m.printf(map[bool]string{true: "\n**%s**\n", false: "\n## %s\n"}[m.inside], m.text(s.Title, maxWhole))
		m.blocks(s.Blocks)
		return
	}
	m.inside = true // headings are only for the parts of a document
	var b strings.Builder
	if s.Link != "" {
		fmt.Fprintf(&b, `<a name="%s"></a>`, anchor(s.Link))
	}
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
				m.printf("\n%s\n", m.text(b, maxWhole))
			}
		case Facts:
			m.printf("\n")
			m.facts(b)
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

func (m markdown) facts(all Facts) {
	for _, f := range all {
		if !f.Whole {
			m.printf("- **%s:** %s\n", upper(f.Name), m.text(f.Text, maxWhole))
		}
	}
}

func (m markdown) list(items []Item, indent string, limit int) {
	for i, item := range items {
		if limit > 0 && i == limit {
			m.fold(fmt.Sprintf("%d more", len(items)-i))
			m.printf("\n")
		}
		m.printf("%s- %s\n", indent, m.text(item.Text, maxWhole))
		m.list(item.Items, indent+"  ", 0)
	}
	if limit > 0 && len(items) > limit {
		m.unfold()
	}
}

// number matches a cell that stands on the right.
var number = regexp.MustCompile(`^(–|\d+ of \d+|[-+]?\d[\d.]*( ?(%|MB|ms|s))?|([\d.]+(h|m|s|ms|µs))+)$`)

// numbers reports for each column whether it has numbers only.
func (t Table) numbers() []bool {
	are := make([]bool, len(t.Header))
	for i := range are {
		are[i] = i > 0 && len(t.Rows) > 0
		for _, row := range t.Rows {
			are[i] = are[i] && number.MatchString(row.Cells[i].String())
		}
	}
	return are
}

func (m markdown) table(t Table) {
	if len(t.Rows) == 0 {
		return
	}
	m.printf("\n|")
	for _, name := range t.Header {
		m.printf(" %s |", plain(name))
	}
	m.printf("\n|")
	for _, right := range t.numbers() {
		m.printf("%s", map[bool]string{true: " ---: |", false: " --- |"}[right])
	}
	m.printf("\n")
	for _, row := range t.Rows {
		m.printf("|")
		for _, cell := range row.Cells {
			m.printf(" %s |", inCell.Replace(m.text(cell, maxWhole)))
		}
		m.printf("\n")
	}
}

// steps writes the step to look at, and behind a click all of them.
func (m markdown) steps(all Steps) {
	if len(all) == 0 {
		return
	}
	for _, s := range all {
		if s.Wrong != "" {
			last := all[len(all)-1].Number
			m.printf("\n- Step %d of %d, %s: %s, %s\n", s.Number, last, plain(s.Wrong), code(s.Tool), display.Duration(s.Took))
			m.printf("  - arguments: %s\n", code(display.Cut(s.Args, maxBrief)))
			m.lines(s.Lines, maxBrief)
		}
	}
	m.fold("All steps: what was asked, said, done and sent")
	m.printf("\n")
	for _, s := range all {
		m.printf("- %d %s %s\n", s.Number, code(s.Tool), code(display.Cut(s.Args, maxWhole)))
		m.lines(s.Lines, maxWhole)
	}
	m.unfold()
}

func (m markdown) lines(all Facts, limit int) {
	for _, f := range all {
		if !f.Whole {
			m.printf("  - %s: %s\n", f.Name, m.text(f.Text, limit))
		}
	}
}
