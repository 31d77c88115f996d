package page

import (
	"bufio"
	"fmt"
	"html"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/openchrome/bench/harness/internal/text/display"
)

// node is an element: its name, its attributes, then its children, which are nodes and texts. Texts are escaped,
// so nothing that a page or a server said can become markup. page.js makes the same element of a node's JSON.
type node []any

// el makes an element. Attributes are pairs; those without a value are left out.
func el(name string, pairs ...string) *node {
	attributes := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			attributes[pairs[i]] = pairs[i+1]
		}
	}
	return &node{name, attributes}
}

func (n *node) with(children ...any) *node {
	*n = append(*n, children...)
	return n
}

func (n *node) write(w *bufio.Writer) {
	name, attributes := (*n)[0].(string), (*n)[1].(map[string]string)
	fmt.Fprintf(w, "<%s", name)
	for _, key := range slices.Sorted(maps.Keys(attributes)) {
		fmt.Fprintf(w, ` %s="%s"`, key, html.EscapeString(attributes[key]))
	}
	w.WriteString(">")
	for _, c := range (*n)[2:] {
		if child, ok := c.(*node); ok {
			child.write(w)
		} else {
			w.WriteString(html.EscapeString(c.(string)))
		}
	}
	if name != "img" && name != "input" {
		fmt.Fprintf(w, "</%s>", name)
	}
}

// builder makes elements of blocks. shot gives the attribute of a screenshot and its value.
type builder struct {
	shot func(image string) (attribute, value string)
}

// How long a text of a server or a page is that needs no box of its own, and a text in the summary of a step.
const (
	maxInline = 80
	maxLine   = 300
)

func (b builder) text(t Text) (all []any) {
	for _, p := range t {
		if p.Text != "" {
			all = append(all, b.part(p))
		}
	}
	return all
}

func (b builder) part(p Part) any {
	var shown any = display.Lines(p.Text)
	switch {
	case p.Image != "" && b.shot != nil:
		attribute, value := b.shot(p.Image)
		shown = el("img", "alt", display.Visible(p.Text), "loading", "lazy", attribute, value)
	case p.Bars != nil:
		shown = el("span").with(bars(p.Bars), shown)
	case p.Trend != nil:
		shown = el("span").with(line(p.Trend), " ", shown)
	case p.Tone == Box || p.Tone == Code && (utf8.RuneCountInString(p.Text) > maxInline || strings.Contains(p.Text, "\n")):
		shown = el("pre", "tabindex", "0").with(shown)
	case p.Tone == Code:
		shown = el("code").with(shown)
	case p.Tone != Plain:
		shown = el("span", "class", string(p.Tone)).with(shown)
	}
	if p.Link != "" {
		return el("a", "href", p.Link).with(shown)
	}
	return shown
}

// bars draws on 100 by 6, without a style, which no page may have.
func bars(all []Bar) *node {
	svg := el("svg", "class", "bars", "viewBox", "0 0 100 6", "preserveAspectRatio", "none", "aria-hidden", "true")
	for _, b := range all {
		at, width := fmt.Sprintf("%.1f", min(100*b.From, 99)), fmt.Sprintf("%.1f", max(100*(b.To-b.From), 1))
		svg.with(el("rect", "class", string(b.Tone), "x", at, "width", width, "height", "6"))
	}
	return svg
}

// line draws values on 120 by 24, with a point for each.
func line(all []Dot) *node {
	svg := el("svg", "width", "120", "height", "24", "viewBox", "0 0 120 24", "aria-hidden", "true")
	var points []string
	end := func() {
		svg.with(el("polyline", "points", strings.Join(points, " "), "fill", "none", "stroke", "currentColor"))
		points = nil
	}
	for i, d := range all {
		if d.Break && i > 0 {
			end()
		}
		x := fmt.Sprintf("%.1f", 4+112*float64(i)/float64(max(1, len(all)-1)))
		y := fmt.Sprintf("%.1f", 21-18*d.Y)
		points = append(points, x+","+y)
		svg.with(el("circle", "cx", x, "cy", y, "r", "2", "fill", "currentColor"))
	}
	end()
	return svg
}

func (b builder) blocks(all []Block) (nodes []any) {
	for _, block := range all {
		switch x := block.(type) {
		case Text:
			if parts := b.text(x); parts != nil {
				nodes = append(nodes, el("p").with(parts...))
			}
		case Facts:
			if x != nil {
				nodes = append(nodes, b.facts(x))
			}
		case List:
			nodes = append(nodes, b.list(x))
		case Table:
			if x.Rows != nil {
				nodes = append(nodes, b.table(x))
			}
		case Steps:
			nodes = append(nodes, b.steps(x))
		case Section:
			title, all := el("h2").with(b.text(x.Title)...), el("section")
			if x.Folded {
				title, all = el("summary").with(title), el("details", "class", "section")
			}
			nodes = append(nodes, all.with(title).with(b.blocks(x.Blocks)...))
		}
	}
	return nodes
}

func (b builder) facts(all Facts) *node {
	dl := el("dl", "class", "facts")
	for _, f := range all {
		dl.with(el("div").with(el("dt").with(display.Visible(upper(f.Name))), el("dd").with(b.text(f.Text)...)))
	}
	return dl
}

func (b builder) list(l List) *node {
	ul := el("ul", "class", map[bool]string{true: "columns"}[l.Columns])
	for i, item := range l.Items {
		if l.Max > 0 && i == l.Max {
			more := b.list(List{Items: l.Items[i:]})
			summary := el("summary").with(fmt.Sprintf("%d more", len(l.Items)-i))
			return ul.with(el("li").with(el("details").with(summary, more)))
		}
		li := el("li").with(b.text(item.Text)...)
		if item.Items != nil {
			li.with(b.list(item.List))
		}
		ul.with(li)
	}
	return ul
}

func (b builder) table(t Table) *node {
	head, body := el("tr"), el("tbody")
	for _, name := range t.Header {
		head.with(el("th", "scope", "col").with(display.Visible(name)))
	}
	for _, row := range t.Rows {
		tr := el("tr")
		for i, cell := range row.Cells {
			one := el("td")
			if i == 0 {
				one = el("th", "scope", "row")
			}
			tr.with(one.with(b.text(cell)...))
		}
		body.with(tr)
	}
	table := el("table").with(el("thead").with(head), body)
	return el("div", "class", "wide", "tabindex", "0", "role", "group", "aria-label", "Table by "+t.Header[0]).with(table)
}

// steps shows what was asked, said and done in each step, with the rest behind it.
func (b builder) steps(all Steps) *node {
	total, before := 0.0, 0.0
	for _, s := range all {
		total += s.Took
	}
	ol := el("ol", "class", "steps")
	for _, s := range all {
		answer := ""
		if len(s.Lines) > 0 {
			answer, _, _ = strings.Cut(s.Lines[0].Text.String(), "\n")
		}
		flags := el("span", "class", "flags").with(b.text(s.Flags)...)
		track := bars([]Bar{{before / max(total, 1), (before + s.Took) / max(total, 1), Faint}})
		before += s.Took
		summary := el("summary").with(
			el("span", "class", "number").with(fmt.Sprint(s.Number)), el("b").with(display.Visible(s.Tool)),
			el("code").with(display.VisibleTo(s.Args, maxLine)), flags, track,
			el("span", "class", "num").with(display.Duration(s.Took)),
			el("span", "class", "said").with(el("small").with("said"), " ", display.VisibleTo(answer, maxLine)))
		if s.Did.Text != "" {
			did := el("span", "class", "did "+string(s.Did.Tone))
			summary.with(did.with(el("small").with("did"), " ", display.Visible(s.Did.Text)))
		}
		var body Facts
		body.Add("look here", s.Wrong)
		body.Add("arguments", In(Box, s.Args))
		class, open := map[bool]string{true: "wrong"}[s.Wrong != ""], map[bool]string{true: "open"}[s.Open]
		details := el("details", "id", fmt.Sprintf("step-%d", s.Number), "class", class, "open", open)
		whole := b.facts(append(body, s.Lines...))
		if s.Shot.Image != "" {
			whole = el("div", "class", "shot").with(whole, b.part(s.Shot))
		}
		ol.with(el("li").with(details.with(summary, whole)))
	}
	return ol
}
