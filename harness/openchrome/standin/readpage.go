package standin

import (
	"context"
	"fmt"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"golang.org/x/net/html"

	"github.com/openchrome/bench/harness/openchrome/standin/browser"
)

// maxOutput caps what read_page answers, in characters.
const maxOutput = 50000

func (s *Server) readPage(_ context.Context, args arguments) (*mcp.CallToolResult, error) {
	p, err := s.page(args, "Read page error")
	if err != nil {
		return nil, err
	}
	mode, interactive := args.str("mode"), args.str("filter") == "interactive"
	depth := int(args.num("depth", -1))
	switch {
	case mode != "" && mode != "ax" && mode != "dom" && mode != "css":
		return fail("Error: Invalid mode \"%s\". Must be \"ax\", \"dom\", or \"css\".", mode), nil
	case mode == "css":
		return nil, s.refuse(`read_page with mode "css"`)
	case args.str("selector") != "":
		return fail("Error: \"selector\" parameter is only supported in mode=\"css\". Use ref_id for subtree scoping in \"ax\" mode."), nil
	case args.str("compression") == "delta":
		return nil, s.refuse(`read_page with compression "delta"`)
	case mode == "ax" && args.str("ref_id") != "":
		return nil, s.refuse("read_page with ref_id")
	}
	head := fmt.Sprintf("[page_stats] url: %s | title: %s | scroll: 0,0 | viewport: 1920x1080 | docSize: 1920x1080\n\n", p.URL, p.Title())
	if mode == "ax" {
		clear(s.refs)
		return text("%s", head+s.axTree(p, depth, interactive)), nil
	}
	o := outline{s: s, depth: depth, interactive: interactive}
	o.out.WriteString(head)
	if root := p.Root(); root != nil {
		o.element(root, 0)
	}
	content := o.out.String()
	if args.str("ref_id") != "" {
		content = "[Note: ref_id is ignored in DOM mode. Use mode \"ax\" for subtree scoping.]\n\n" + content
	}
	return text("%s", content), nil
}

// outline writes the DOM as OpenChrome's read_page does: one line an element,
// long rows of like siblings and chains of lone containers shortened.
type outline struct {
	s           *Server
	out         strings.Builder
	depth       int // -1: no limit
	interactive bool
	full        bool
}

const (
	skipped    = " script style svg noscript meta link head "
	containers = " div section article main aside header footer nav span "
	controls   = " input button select textarea a "
	actRoles   = " button link textbox checkbox radio combobox listbox menu menuitem tab switch slider "
	shownAttrs = " id name type value placeholder aria-label role href src alt title data-testid disabled checked selected required class" +
		" data-cy data-qa data-id data-value data-state tabindex "
)

func isInteractive(n *html.Node) bool {
	return contains(controls, n.Data) || contains(actRoles, attr(n, "role"))
}

// elements lists the child elements that an outline shows.
func elements(n *html.Node) []*html.Node {
	var out []*html.Node
	for c := range n.ChildNodes() {
		if c.Type == html.ElementNode && !contains(skipped, c.Data) {
			out = append(out, c)
		}
	}
	return out
}

func directText(n *html.Node) string {
	var parts []string
	for c := range n.ChildNodes() {
		if t := trim(c.Data); c.Type == html.TextNode && t != "" {
			parts = append(parts, t)
		}
	}
	return cut(strings.Join(parts, " "), 200)
}

func (o *outline) line(s string) {
	if o.full {
		return
	}
	if o.out.Len()+len(s) > maxOutput {
		fmt.Fprintf(&o.out, "\n\n[Output truncated at %d chars. Use depth parameter to limit scope.]", maxOutput)
		o.full = true
		return
	}
	o.out.WriteString(s + "\n")
}

func (o *outline) format(n *html.Node) string {
	var b strings.Builder
	fmt.Fprintf(&b, "[%d]<%s", o.s.browser.ID(n), n.Data)
	for _, a := range n.Attr {
		if contains(shownAttrs, a.Key) {
			b.WriteString(" " + a.Key + `="` + a.Val + `"`)
		}
	}
	b.WriteString("/>" + directText(n))
	if isInteractive(n) {
		b.WriteString(" ★")
	}
	return b.String()
}

func (o *outline) element(n *html.Node, depth int) {
	if o.full || contains(skipped, n.Data) || o.depth >= 0 && depth > o.depth {
		return
	}
	indent := strings.Repeat("  ", depth)
	if chain, leaf := lonely(n); len(chain) >= 2 {
		prefix := make([]string, len(chain))
		for i, c := range chain {
			prefix[i] = fmt.Sprintf("[%d]%s", o.s.browser.ID(c), c.Data)
		}
		o.line(indent + strings.Join(prefix, ">") + "> " + o.format(leaf))
		for _, c := range elements(leaf) {
			o.element(c, depth+1)
		}
		return
	}
	if !o.interactive || isInteractive(n) {
		o.line(indent + o.format(n))
	}
	kids := elements(n)
	for i := 0; i < len(kids); {
		j := i
		for j < len(kids) && kids[j].Data == kids[i].Data {
			j++
		}
		o.group(kids[i:j], depth+1)
		i = j
	}
}

// group writes siblings of one kind. Of four and more without anything to act
// on it shows the first three and the last.
func (o *outline) group(nodes []*html.Node, depth int) {
	const shown = 3
	short := len(nodes) > shown
	for _, n := range nodes {
		short = short && !holdsInteractive(n)
	}
	if !short {
		for _, n := range nodes {
			o.element(n, depth)
		}
		return
	}
	for _, n := range nodes[:shown] {
		o.element(n, depth)
	}
	last := nodes[len(nodes)-1]
	o.line(fmt.Sprintf("%s[%d-%d] %s ×%d (showing %d of %d)", strings.Repeat("  ", depth), o.s.browser.ID(nodes[0]), o.s.browser.ID(last),
		last.Data, len(nodes), shown, len(nodes)))
	o.element(last, depth)
}

func holdsInteractive(n *html.Node) bool {
	if isInteractive(n) {
		return true
	}
	for c := range n.Descendants() {
		if c.Type == html.ElementNode && isInteractive(c) {
			return true
		}
	}
	return false
}

// lonely follows containers that hold nothing but one element, down to the
// element that is no such container. Without one there is no chain.
func lonely(n *html.Node) (chain []*html.Node, leaf *html.Node) {
	const longest = 8
	for contains(containers, n.Data) && !isInteractive(n) && directText(n) == "" && len(chain) < longest {
		kids := elements(n)
		if len(kids) != 1 {
			return nil, n
		}
		chain, n = append(chain, n), kids[0]
	}
	return chain, n
}

// axTree writes the accessibility tree: roles and names of what is rendered,
// without the nodes that Chromium keeps for itself. A ref is given to each
// line.
func (s *Server) axTree(p *browser.Page, depth int, interactive bool) string {
	if depth < 0 {
		depth = map[bool]int{true: 5, false: 8}[interactive]
	}
	var b strings.Builder
	var walk func(n *html.Node, level int)
	write := func(n *html.Node, level int, role, rest string) {
		if b.Len() < maxOutput {
			fmt.Fprintf(&b, "%s[%s] %s%s\n", strings.Repeat("  ", level), s.newRef(n), role, rest)
		}
	}
	walk = func(n *html.Node, level int) {
		if level > depth {
			return
		}
		for c := range n.ChildNodes() {
			if c.Type == html.TextNode {
				if t := p.TextOf(c); trim(t) != "" && !interactive {
					write(c, level, "StaticText", `: "`+t+`"`)
				}
				continue
			}
			if c.Type != html.ElementNode || !p.Rendered(c) && c.Data != "option" {
				continue
			}
			role, rest := axLine(p, c)
			if role == "" || interactive && !contains(axInteractive, role) {
				walk(c, level)
				continue
			}
			write(c, level, role, rest)
			walk(c, level+1)
		}
	}
	write(p.Doc, 0, "RootWebArea", `: "`+p.Title()+`" (focused)`)
	walk(p.Doc, 1)
	return strings.TrimSuffix(b.String(), "\n")
}

const axInteractive = " button link textbox checkbox radio combobox listbox menu menuitem menuitemcheckbox menuitemradio option searchbox slider spinbutton switch tab treeitem "

var axRoles = map[string]string{
	"h1": "heading", "h2": "heading", "h3": "heading", "h4": "heading", "h5": "heading", "h6": "heading", "p": "paragraph", "ul": "list",
	"ol": "list", "li": "listitem", "nav": "navigation", "main": "main", "header": "banner", "footer": "contentinfo", "aside": "complementary",
	"article": "article", "form": "form", "table": "table", "tr": "row", "td": "cell", "th": "columnheader", "img": "image", "button": "button",
	"select": "combobox", "option": "option", "textarea": "textbox", "label": "LabelText", "details": "group", "fieldset": "group",
	"summary": "DisclosureTriangle", "dialog": "dialog", "hr": "separator", "blockquote": "blockquote", "figure": "figure", "pre": "generic",
	"code": "code", "strong": "strong", "em": "emphasis", "caption": "caption", "output": "status", "progress": "progressbar", "meter": "meter",
}

// axLine is the role of n, empty when it has none worth a line, and its name,
// value and states.
func axLine(p *browser.Page, n *html.Node) (role, rest string) {
	role = axRoles[n.Data]
	kind := browser.Type(n)
	if n.Data == "input" {
		role = map[string]string{"checkbox": "checkbox", "radio": "radio", "submit": "button", "button": "button", "reset": "button", "image": "button",
			"number": "spinbutton", "search": "searchbox", "range": "slider"}[kind]
		if role == "" {
			role = "textbox"
		}
	}
	if _, href := browser.Attr(n, "href"); n.Data == "a" && href {
		role = "link"
	}
	if r := attr(n, "role"); r != "" {
		role = r
	}
	name, value := attr(n, "aria-label"), ""
	switch n.Data {
	case "input", "textarea", "select":
		if name == "" {
			name = label(p, n)
		}
		switch {
		case role == "button":
			name = p.Value(n)
		case n.Data == "select":
			value = strings.TrimSuffix(strings.TrimPrefix(formState(p, n), attr(n, "name")+`="`), `"`)
		case kind != "checkbox" && kind != "radio" && kind != "password":
			value = p.Value(n)
		}
	case "img":
		name = attr(n, "alt")
	case "button", "a", "h1", "h2", "h3", "h4", "h5", "h6", "summary", "option":
		if name == "" {
			name = strings.Join(strings.Fields(browser.TextContent(n)), " ")
		}
	}
	if name != "" {
		rest = `: "` + name + `"`
	}
	if value != "" {
		rest += ` = "` + value + `"`
	}
	var states []string
	for state, holds := range map[string]bool{"disabled": p.Disabled(n), "focused": p.Active == n, "selected": n.Data == "option" && p.Selected(n)} {
		if holds {
			states = append(states, state)
		}
	}
	if len(states) > 0 {
		rest += " (" + strings.Join(states, ", ") + ")"
	}
	return role, rest
}
