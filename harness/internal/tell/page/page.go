// Package page puts what a report says into words once: builders make a document of blocks of a run, an
// episode and a comparison, and writers write it for a terminal, as Markdown and as HTML.
//
// Texts of pages, servers, logs and task files stand in documents as they are. Each writer makes them safe.
package page

import (
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// Document is what a file or a screen shows.
type Document struct {
	Name    string // such as "Run nightly"
	Verdict Text   // the line that matters most
	Tone    Tone   // of the verdict
	Blocks  []Block
}

// Block is a [Text], which is a paragraph, or a [Facts], [List], [Table], [Steps] or [Section].
type Block interface{}

// Text is one line of parts.
type Text []Part

// Part is a piece of a text.
type Part struct {
	Text  string
	Tone  Tone
	Link  string // an address relative to the page of the run
	Image string // a screenshot, relative to the folder of the run; only HTML shows it
	Bars  []Bar  // a small drawing before the text
	Trend []Dot  // another: a line
}

// Dot is a value of a line, from 0 to 1. At a break no line leads to it.
type Dot struct {
	Y     float64
	Break bool
}

// Bar is a part of a drawing that is 1 wide; one without a width is a point.
type Bar struct {
	From, To float64
	Tone     Tone
}

// Tone is how a part looks.
type Tone string

// The tones. Code is text as a server or a page wrote it, and Box is Code with lines of its own.
const (
	Plain  Tone = ""
	Code   Tone = "code"
	Box    Tone = "box"
	Strong Tone = "strong"
	Faint  Tone = "faint"
	Pass   Tone = "pass"
	Fail   Tone = "fail"
	Void   Tone = "void"
)

// Facts are names with values. HTML alone shows the ones that are Whole.
type Facts []Fact

// Fact is a name with a value.
type Fact struct {
	Name  string
	Text  Text
	Whole bool
}

// List has an item on each line. A writer may fold the ones after Max, if that is not 0, and put short ones into
// columns.
type List struct {
	Items   []Item
	Max     int
	Columns bool
}

// Item is a line of a list, with lines below it.
type Item struct {
	Text Text
	List
}

// Add adds a line, and returns the list below it, which is valid until the next call.
func (l *List) Add(parts ...any) *List {
	l.Items = append(l.Items, Item{Text: Say(parts...)})
	return &l.Items[len(l.Items)-1].List
}

// Table has a header and rows of equally many cells.
type Table struct {
	Header []string
	Rows   []Row
}

// Row is a row of a table.
type Row struct{ Cells []Text }

// Section is a part of a document with a title. A folded one shows its blocks at a click.
type Section struct {
	Title  Text
	Folded bool
	Blocks []Block
}

// Steps are the calls of an episode.
type Steps []Step

// Step is a call. Lines begin with what the server said.
type Step struct {
	Number     int
	Tool, Args string
	Took       float64 // ms
	Wrong      string  // why it is the one to look at
	Did        Part    // what the page got, in one line
	Open       bool
	Flags      []Part
	Shot       Part // a screenshot of the page after it; only HTML shows it
	Lines      Facts
}

// Say makes a text of parts, texts, strings and numbers.
func Say(parts ...any) (t Text) {
	for _, p := range parts {
		switch p := p.(type) {
		case Part:
			t = append(t, p)
		case Text:
			t = append(t, p...)
		default:
			t = append(t, Part{Text: fmt.Sprint(p)})
		}
	}
	return t
}

// drawn draws bars with ten characters.
func drawn(all []Bar) string {
	line := []rune("··········")
	for i := range line {
		for _, b := range all {
			if at := (float64(i) + 0.5) / float64(len(line)); b.From <= at && at < b.To {
				line[i] = map[bool]rune{true: '░', false: '█'}[b.Tone == Fail]
			}
		}
	}
	return string(line)
}

// trend draws a line with a character for each value.
func trend(all []Dot) string {
	var b strings.Builder
	for i, d := range all {
		if d.Break && i > 0 {
			b.WriteString("┊")
		}
		b.WriteRune([]rune("▁▂▃▄▅▆▇█")[int(math.Round(7*d.Y))])
	}
	return b.String()
}

// In is a part with a tone.
func In(tone Tone, text string) Part { return Part{Text: text, Tone: tone} }

func linked(tone Tone, text, link string) Part { return Part{Text: text, Tone: tone, Link: link} }

// section is a part of a document; nothing if its lists and tables are empty.
func section(title string, blocks ...Block) []Block {
	full := func(b Block) bool {
		switch b := b.(type) {
		case Text:
			return false
		case Facts:
			return b != nil
		case List:
			return b.Items != nil
		case Table:
			return b.Rows != nil
		}
		return true
	}
	if !slices.ContainsFunc(blocks, full) {
		return nil
	}
	return []Block{Section{Title: Say(title), Blocks: blocks}}
}

// String is the text without its looks.
func (t Text) String() string {
	var b strings.Builder
	for _, p := range t {
		b.WriteString(p.Text)
	}
	return b.String()
}

// Add adds a fact that has a value.
func (f *Facts) Add(name string, value ...any) {
	if text := Say(value...); text.String() != "" {
		*f = append(*f, Fact{Name: name, Text: text})
	}
}

// whole adds a fact that only HTML shows.
func (f *Facts) whole(name string, value ...any) {
	if text := Say(value...); text.String() != "" {
		*f = append(*f, Fact{Name: name, Text: text, Whole: true})
	}
}

// Add adds a row of texts, parts, strings and numbers.
func (t *Table) Add(cells ...any) { t.Rows = append(t.Rows, rowOf(cells)) }

func plainTable(header []string, rows [][]string) Table {
	t := Table{Header: header}
	for _, r := range rows {
		t.Rows = append(t.Rows, rowOf(r))
	}
	return t
}

func rowOf[T any](cells []T) (r Row) {
	for _, c := range cells {
		r.Cells = append(r.Cells, Say(c))
	}
	return r
}

// address is the fragment that page.js understands, such as #episode=a%231.
func address(name, value string) string {
	return "#" + name + "=" + url.QueryEscape(display.Visible(value))
}

func toStep(episode string, step int) string {
	return fmt.Sprintf("%s&step=%d", toEpisode(episode), step)
}

func toEpisode(name string) string { return address("episode", name) }

var words = map[record.Class]string{record.Pass: "passed", record.Fail: "failed", record.Void: "void"}

// Status says what a status counts as, the status if that is more, and the outcome of a policy.
func Status(status record.Status, outcome string) string {
	class := status.Class()
	word := words[class]
	more := string(status)
	if class == record.Fail && outcome != "" {
		more = outcome
	}
	if more == word {
		return word
	}
	return word + " (" + strings.ReplaceAll(more, "_", " ") + ")"
}

// mean writes a mean with one digit, if it has one.
func mean(v float64) string {
	if v >= 100 {
		return fmt.Sprintf("%.0f", v)
	}
	return strconv.FormatFloat(math.Round(10*v)/10, 'f', -1, 64)
}

// upper makes the first letter a capital.
func upper(s string) string { return initial(s, strings.ToUpper) }

// lower makes the first letter small, but not in a title with a name such as OpenChrome.
func lower(s string) string {
	if small := initial(s, strings.ToLower); small == strings.ToLower(s) {
		return small
	}
	return s
}

func initial(s string, change func(string) string) string {
	_, size := utf8.DecodeRuneInString(s)
	return change(s[:size]) + s[size:]
}

// Counts counts what was done. Most runs have no changed answers, so it says nothing of them then.
func Counts(steps, calls, failed, changed int) string {
	words := []string{display.Count(steps, "step"), display.Count(calls, "tool call"), display.Count(failed, "error")}
	if changed > 0 {
		words = append(words, display.Count(changed, "changed answer"))
	}
	return strings.Join(words, ", ")
}
