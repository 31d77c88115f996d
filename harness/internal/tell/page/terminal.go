package page

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// Paint colours texts for a terminal.
type Paint interface {
	Class(class record.Class, text string) string
	Faint(text string) string
}

// How many characters of a text a terminal shows: anywhere, in a cell of a table, and of what a server said
// in a step that is not the one to look at.
const (
	maxShown = 600
	maxCell  = 200
	maxSaid  = 110
)

// Terminal writes blocks for a screen, without a line end behind the last line. Every text that is not ours
// goes through package display. A nil paint has no colours.
func Terminal(paint Paint, blocks ...Block) string {
	if paint == nil {
		paint = unpainted{}
	}
	t := terminal{Paint: paint}
	t.blocks("", blocks)
	return strings.TrimSuffix(t.String(), "\n")
}

type unpainted struct{}

var plainText = &terminal{Paint: unpainted{}} // colours would disturb the columns of a table

func (unpainted) Class(_ record.Class, text string) string { return text }
func (unpainted) Faint(text string) string                 { return text }

type terminal struct {
	Paint
	strings.Builder
}

func (t *terminal) line(format string, args ...any) { fmt.Fprintf(t, format+"\n", args...) }

func (t *terminal) text(text Text, limit int) string {
	var b strings.Builder
	for _, p := range text {
		if p.Bars != nil {
			b.WriteString(drawn(p.Bars) + " ")
		}
		if p.Trend != nil {
			b.WriteString(trend(p.Trend) + " ")
		}
		switch shown := display.VisibleTo(p.Text, limit); p.Tone {
		case Pass, Fail, Void:
			b.WriteString(t.Class(record.Class(p.Tone), shown))
		case Faint:
			b.WriteString(t.Faint(shown))
		case Box:
			b.WriteString(display.Line(p.Text, limit))
		default:
			b.WriteString(shown)
		}
	}
	return b.String()
}

func (t *terminal) blocks(indent string, all []Block) {
	for _, block := range all {
		switch b := block.(type) {
		case Text: // an empty one is an empty line, but a text that has nothing to say is none
			if len(b) == 0 || b.String() != "" {
				t.line("%s%s", indent, t.text(b, maxShown))
			}
		case Facts:
			for _, f := range b {
				if !f.Whole {
					t.line("%s%-8s %s", indent, display.Visible(f.Name), t.text(f.Text, maxShown))
				}
			}
		case List:
			t.list(indent, b.Items, b.Max)
		case Table:
			t.table(b)
		case Steps:
			t.steps(b)
		case Section:
			isOpen := func(inner Block) bool { s, ok := inner.(Section); return !ok || !s.Folded }
			if b.Folded || !slices.ContainsFunc(b.Blocks, isOpen) { // nobody can click
				continue
			}
			t.line("")
			if title := b.Title.String(); title != "" {
				t.line("%s", t.Faint(display.VisibleTo(lower(title), maxShown)))
			}
			t.blocks(indent+"  ", b.Blocks)
		}
	}
}

func (t *terminal) list(indent string, items []Item, limit int) {
	for i, item := range items {
		if limit > 0 && i == limit {
			t.line("%sand %d more in the report", indent, len(items)-i)
			return
		}
		t.line("%s%s", indent, t.text(item.Text, maxShown))
		t.list(indent+"  ", item.Items, 0)
	}
}

func (t *terminal) table(table Table) {
	if len(table.Rows) == 0 {
		return
	}
	w := tabwriter.NewWriter(t, 0, 0, 2, ' ', 0)
	defer w.Flush()
	var header []string
	for _, name := range table.Header {
		header = append(header, display.VisibleTo(strings.ToUpper(name), maxCell))
	}
	fmt.Fprintln(w, strings.Join(header, "\t"))
	for _, row := range table.Rows {
		var shown []string
		for _, cell := range row.Cells {
			shown = append(shown, plainText.text(cell, maxCell))
		}
		fmt.Fprintln(w, strings.Join(shown, "\t"))
	}
}

// maxSteps is how many steps a screen shows whole. Of more it shows a line each, beside the one to look at.
const maxSteps = 16

func (t *terminal) steps(all Steps) {
	for _, s := range all {
		limit, mark, took := maxSaid, "  ", t.Faint(display.Duration(s.Took))
		if s.Wrong != "" {
			limit, mark = maxShown, t.Class(record.Fail, "> ")
			took += "  " + t.Class(record.Fail, s.Wrong)
		}
		t.line("%s%3d %s %s  %s", mark, s.Number, display.Visible(s.Tool), display.VisibleTo(s.Args, limit), took)
		if len(all) > maxSteps && s.Wrong == "" {
			continue
		}
		for _, f := range s.Lines {
			name := t.Faint(fmt.Sprintf("%-4s", f.Name)) + " "
			if f.Name == said {
				name = ""
			}
			if !f.Whole {
				t.line("      %s%s", name, t.text(f.Text, limit))
			}
		}
	}
}
