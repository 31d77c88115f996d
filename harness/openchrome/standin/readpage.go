package standin

import (
	"context"
	"fmt"
	"strings"

	"golang.org/x/net/html"

	"github.com/openchrome/bench/harness/openchrome/standin/browser"
)

// maxOutput caps what read_page answers, in characters.
const maxOutput = 50000

func (s *Server) readPage(_ context.Context, args arguments) (string, error) {
	p, err := s.page(args, "Read page error")
	if err != nil {
		return "", err
	}
	for _, key := range []string{"ref_id", "selector", "compression"} {
		if v := args.str(key); v != "" && v != "none" {
			return "", s.browser.Refuse("read_page with " + key)
		}
	}
	o := outline{s: s, p: p, depth: int(arg(args, "depth", 100.0)), interactive: args.str("filter") == "interactive"}
	switch mode := args.str("mode"); mode {
	case "", "dom":
		o.element(p.Root(), 0)
	case "ax":
		clear(s.refs)
		o.line(0, "[%s] RootWebArea: \"%s\" (focused)", s.newRef(p.Doc), p.Title())
		o.ax(p.Doc, 1)
	case "css":
		return "", s.browser.Refuse("read_page with mode css")
	default:
		return "", fmt.Errorf("Error: Invalid mode \"%s\". Must be \"ax\", \"dom\", or \"css\".", mode)
	}
	out := o.out.String()
	if short := cut(out, maxOutput); short != out {
		out = short + fmt.Sprintf("\n\n[Output truncated at %d chars. Use depth parameter to limit scope.]", maxOutput)
	}
	head := fmt.Sprintf("[page_stats] url: %s | title: %s | scroll: 0,0 | viewport: 1920x1080 | docSize: 1920x1080\n\n", p.URL, p.Title())
	return head + out, nil
}

// outline writes a page, one line a node.
type outline struct {
	s     *Server
	p     *browser.Page
	out   strings.Builder
	depth int // of the deepest line
	// interactive leaves out what is not to be acted on.
	interactive bool
}

func (o *outline) line(depth int, format string, args ...any) {
	if depth <= o.depth {
		fmt.Fprintf(&o.out, strings.Repeat("  ", depth)+format+"\n", args...)
	}
}

const shownAttrs = " id name type value placeholder aria-label role href src alt title data-testid disabled checked selected required class" +
	" data-cy data-qa data-id data-value data-state tabindex "

func interactive(n *html.Node) bool {
	return contains(" input button select textarea a ", tag(n)) || contains(actRoles, attr(n, "role"))
}

// element writes n and what is in it as OpenChrome's mode dom does: of a row of
// like siblings without anything to act on it shows the first three and the
// last. Its chains of lone containers are written one a line.
func (o *outline) element(n *html.Node, depth int) {
	var attrs, text strings.Builder
	for _, a := range n.Attr {
		if contains(shownAttrs, a.Key) {
			attrs.WriteString(" " + a.Key + `="` + a.Val + `"`)
		}
	}
	var kids []*html.Node
	for c := range n.ChildNodes() {
		switch {
		case c.Type == html.TextNode:
			text.WriteString(c.Data + " ")
		case c.Type == html.ElementNode && !contains(" script style svg noscript meta link head ", c.Data):
			kids = append(kids, c)
		}
	}
	star := ""
	if interactive(n) {
		star = " ★"
	}
	if !o.interactive || star != "" {
		o.line(depth, "[%s]<%s%s/>%s%s", o.s.number(n), n.Data, attrs.String(), cut(oneLine(text.String()), 200), star)
	}
	for len(kids) > 0 {
		row := 1
		short := !holdsInteractive(kids[0])
		for row < len(kids) && kids[row].Data == kids[0].Data {
			short = short && !holdsInteractive(kids[row])
			row++
		}
		for i, c := range kids[:row] {
			last := i == row-1
			if short && i >= 3 && !last {
				continue
			}
			if short && i >= 3 {
				o.line(depth+1, "[%s-%s] %s ×%d (showing 3 of %d)", o.s.number(kids[0]), o.s.number(c), c.Data, row, row)
			}
			o.element(c, depth+1)
		}
		kids = kids[row:]
	}
}

func holdsInteractive(n *html.Node) bool {
	for c := range n.Descendants() {
		if interactive(c) {
			return true
		}
	}
	return interactive(n)
}

var axRoles = map[string]string{
	"h1": "heading", "h2": "heading", "h3": "heading", "h4": "heading", "h5": "heading", "h6": "heading", "p": "paragraph", "ul": "list",
	"ol": "list", "li": "listitem", "nav": "navigation", "main": "main", "header": "banner", "footer": "contentinfo", "aside": "complementary",
	"article": "article", "form": "form", "table": "table", "tr": "row", "td": "cell", "th": "columnheader", "img": "image", "a": "link",
	"button": "button", "select": "combobox", "option": "option", "textarea": "textbox", "input": "textbox", "label": "LabelText",
	"fieldset": "group",
}

// ax writes what is in n as the accessibility tree: roles and names of what is
// rendered. A ref is given to each line.
func (o *outline) ax(n *html.Node, depth int) {
	for c := range n.ChildNodes() {
		if !o.p.Rendered(c) && tag(c) != "option" {
			continue
		}
		if c.Type == html.TextNode {
			if t := o.p.InnerText(c); strings.TrimSpace(t) != "" && !o.interactive {
				o.line(depth, "[%s] StaticText: \"%s\"", o.s.newRef(c), t)
			}
			continue
		}
		kind := browser.Type(c)
		role := axRoles[c.Data]
		switch {
		case attr(c, "role") != "":
			role = attr(c, "role")
		case kind == "checkbox" || kind == "radio":
			role = kind
		case contains(" submit button reset ", kind):
			role = "button"
		}
		if role == "" || o.interactive && !interactive(c) {
			o.ax(c, depth)
			continue
		}
		o.line(depth, "[%s] %s%s", o.s.newRef(c), role, o.axName(c, role, kind))
		o.ax(c, depth+1)
	}
}

// axName is the name, the value and the states of n.
func (o *outline) axName(n *html.Node, role, kind string) (out string) {
	name := attr(n, "aria-label")
	switch {
	case name != "":
	case contains(" link heading option button ", role):
		name = oneLine(browser.TextContent(n))
		if n.Data == "input" {
			name = o.p.Value(n)
		}
	case kind != "":
		name = label(o.p, n)
	case n.Data == "img":
		name = attr(n, "alt")
	}
	if name != "" {
		out = `: "` + name + `"`
	}
	if v := o.p.Value(n); contains(" combobox textbox ", role) && v != "" && kind != "password" {
		out += ` = "` + v + `"`
	}
	if n.Data == "option" && o.p.Selected(n) {
		out += " (selected)"
	}
	if o.p.Disabled(n) {
		out += " (disabled)"
	}
	return out
}
