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

// node is an element: texts in it are escaped, so nothing that a page or a server said can become markup. As
// JSON it is its name, its attributes and its children; page.js makes the same element of that.
type node struct {
	name       string
	attributes map[string]string
	children   []any // *node or string
}

// el makes an element. Attributes are pairs; those without a value are left out.
func el(name string, pairs ...string) *node {
	n := &node{name: name, attributes: map[string]string{}}
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			n.attributes[pairs[i]] = pairs[i+1]
		}
	}
	return n
}

func (n *node) with(children ...any) *node {
	n.children = append(n.children, children...)
	return n
}

// packed is the node as JSON has it. A MarshalJSON would encode what is in it once more at each level.
func (n *node) packed() []any {
	all := []any{n.name, n.attributes}
	for _, c := range n.children {
		if child, ok := c.(*node); ok {
			c = child.packed()
		}
		all = append(all, c)
	}
	return all
}

func (n *node) write(w *bufio.Writer) {
	fmt.Fprintf(w, "<%s", n.name)
	for _, name := range slices.Sorted(maps.Keys(n.attributes)) {
		fmt.Fprintf(w, ` %s="%s"`, name, html.EscapeString(n.attributes[name]))
	}
	w.WriteString(">")
	for _, c := range n.children {
		switch c := c.(type) {
		case string:
			w.WriteString(html.EscapeString(c))
		case *node:
			c.write(w)
		}
	}
	if n.name != "img" && n.name != "input" {
		fmt.Fprintf(w, "</%s>", n.name)
	}
}

// builder makes elements of blocks. shot gives the attribute of a screenshot and its value.
type builder struct {
	shot func(image string) (attribute, value string)
}

// maxInline is how long a text of a server or a page is that needs no box of its own.
const maxInline = 80

func (b builder) text(t Text) (all []any) {
	marked := func(p Part) bool { return p.Tone == Mark }
	if slices.ContainsFunc(t, marked) { // one text, of which a part is marked
		pre := el("pre", "tabindex", "0")
		for _, p := range t {
			if pre.with(display.Lines(p.Text)); marked(p) {
				pre.children[len(pre.children)-1] = el("mark").with(display.Lines(p.Text))
			}
		}
		return []any{pre}
	}
	for _, p := range t {
		if one := b.part(p); one != nil {
			all = append(all, one)
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
	case p.Tone == Box || p.Tone == Code && (utf8.RuneCountInString(p.Text) > maxInline || strings.Contains(p.Text, "\n")):
		shown = el("pre", "tabindex", "0").with(shown)
	case p.Text == "":
		return nil
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

func (b builder) blocks(all []Block) (nodes []any) {
	for _, block := range all {
		switch x := block.(type) {
		case Text:
			if parts := b.text(x); parts != nil {
				nodes = append(nodes, el("p").with(parts...))
			}
		case Facts:
			nodes = append(nodes, b.facts(x))
		case List:
			nodes = append(nodes, b.list(x))
		case Table:
			if x.Rows != nil {
				nodes = append(nodes, b.table(x))
			}
		case Steps:
			nodes = append(nodes, b.steps(x))
		case Section:
			nodes = append(nodes, b.section(x))
		}
	}
	return nodes
}

func (b builder) section(s Section) *node {
	title := el("h2").with(b.text(s.Title)...)
	if !s.Folded {
		return el("section").with(title).with(b.blocks(s.Blocks)...)
	}
	return el("details", "class", "section").with(el("summary").with(title)).with(b.blocks(s.Blocks)...)
}

func (b builder) facts(all Facts) *node {
	dl := el("dl", "class", "facts")
	for _, f := range all {
		dl.with(el("div").with(el("dt").with(upper(f.Name)), el("dd").with(b.text(f.Text)...)))
	}
	return dl
}

func (b builder) list(l List) *node {
	ul := el("ul")
	for i, item := range l.Items {
		if l.Max > 0 && i == l.Max {
			more := b.list(List{Items: l.Items[i:]})
			summary := el("summary").with(fmt.Sprintf("%d more", len(l.Items)-i))
			return ul.with(el("li").with(el("details").with(summary, more)))
		}
		li := el("li")
		if len(item.Text) == 1 && item.Text[0].Tone == Code { // a line to copy
			item.Text[0].Tone = Box
		}
		li.with(b.text(item.Text)...)
		if item.Items != nil {
			li.with(b.list(item.List))
		}
		ul.with(li)
	}
	return ul
}

func (b builder) table(t Table) *node {
	head, body := el("tr"), el("tbody")
	right := t.numbers()
	class := func(i int) string { return map[bool]string{true: "num"}[right[i]] }
	for i, name := range t.Header {
		if name == "" {
			head.with(el("td"))
		} else {
			head.with(el("th", "scope", "col", "class", class(i)).with(name))
		}
	}
	for _, row := range t.Rows {
		tr := el("tr", "class", string(row.Tone))
		for i, cell := range row.Cells {
			td := el("td", "class", class(i))
			if i == 0 {
				td = el("th", "scope", "row")
			}
			tr.with(td.with(b.text(cell)...))
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
		for _, f := range s.Lines {
			if f.Name == said && answer == "" {
				answer = f.Text.String()
			}
		}
		first, _, _ := strings.Cut(answer, "\n")
		flags := el("span", "class", "flags").with(b.text(s.Flags)...)
		track := bars([]Bar{{before / max(total, 1), (before + s.Took) / max(total, 1), Faint}})
		before += s.Took
		summary := el("summary").with(
			el("span", "class", "number").with(fmt.Sprint(s.Number)), el("b").with(display.Visible(s.Tool)),
			el("code").with(display.VisibleTo(s.Args, maxLine)), flags, track,
			el("span", "class", "num").with(display.Duration(s.Took)),
			el("span", "class", "said").with(el("small").with("said"), " ", display.VisibleTo(first, maxLine)))
		if s.Did.Text != "" {
			did := el("span", "class", "did "+string(s.Did.Tone))
			summary.with(did.with(el("small").with("did"), " ", display.Visible(s.Did.Text)))
		}
		var body Facts
		body.add("look here", s.Wrong)
		body.add("arguments", in(Box, s.Args))
		class, open := map[bool]string{true: "wrong"}[s.Wrong != ""], map[bool]string{true: "open"}[s.Open]
		details := el("details", "id", fmt.Sprintf("step-%d", s.Number), "class", class, "open", open)
		ol.with(el("li").with(details.with(summary, b.facts(append(body, s.Lines...)))))
	}
	return ol
}

// maxLine is how many characters of a text the summary of a step has.
const maxLine = 300
