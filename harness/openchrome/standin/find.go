package standin

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"github.com/andybalholm/cascadia"
	"github.com/mark3labs/mcp-go/mcp"
	"golang.org/x/net/html"

	"github.com/openchrome/bench/harness/openchrome/standin/browser"
)

// ref is what a ref_N stands for: an element of a page. Refs die when the tab
// shows another page; their numbers are never used again.
type ref struct{ node *html.Node }

// match is an element that a query may mean.
type match struct {
	node             *html.Node
	role, name, text string
	score            int
}

const maxMatches = 30

// discovery orders the candidates: elements that people act on come first,
// kind by kind.
var discovery = func() []cascadia.Sel {
	var out []cascadia.Sel
	for _, s := range []string{"button", `[role="button"]`, "a", `[role="link"]`, `input[type="submit"]`, `input[type="button"]`,
		`input[type="radio"]`, `input[type="checkbox"]`, `[role="radio"]`, `[role="checkbox"]`, `[role="menuitem"]`, `[role="tab"]`,
		`[role="option"]`, "[onclick]", "[tabindex]", `[contenteditable="true"]`, `[role="combobox"]`, `[role="listbox"]`, `[role="switch"]`,
		`[role="slider"]`, `[role="treeitem"]`, `[role="dialog"] [aria-label]`, `[role="alertdialog"] [aria-label]`, "[data-testid]"} {
		sel, err := cascadia.Parse(s)
		if err != nil {
			panic("standin: " + err.Error())
		}
		out = append(out, sel)
	}
	return out
}()

// matches finds and scores the elements that query may mean, best first.
func matches(p *browser.Page, query string) []match {
	lower := strings.ToLower(query)
	var tokens []string
	for _, t := range strings.Fields(lower) {
		if len(t) > 1 && !contains(" the a an to for of in on at and or ", t) {
			tokens = append(tokens, t)
		}
	}
	seen := map[*html.Node]bool{}
	var out []match
	try := func(n *html.Node) {
		if seen[n] || len(out) >= maxMatches || n.Type != html.ElementNode || !p.Visible(n) {
			return
		}
		m := describe(n)
		all := strings.ToLower(strings.Join([]string{m.name, m.text, attr(n, "aria-label"), attr(n, "placeholder")}, " "))
		if strings.Contains(all, lower) || slices.ContainsFunc(tokens, func(t string) bool { return strings.Contains(all, t) }) {
			seen[n] = true
			m.score = score(p, m, lower, tokens)
			out = append(out, m)
		}
	}
	for _, sel := range discovery {
		for _, n := range cascadia.QueryAll(p.Doc, sel) {
			try(n)
		}
	}
	if body := p.Body(); body != nil {
		for n := range body.Descendants() {
			try(n)
		}
	}
	slices.SortStableFunc(out, func(a, b match) int { return cmp.Compare(b.score, a.score) })
	return out
}

func describe(n *html.Node) match {
	content := trim(browser.TextContent(n))
	return match{node: n, role: role(n), name: cmp.Or(attr(n, "aria-label"), attr(n, "title"), cut(content, 100)), text: cut(content, 50)}
}

func role(n *html.Node) string {
	switch r := attr(n, "role"); {
	case r != "":
		return r
	case n.Data == "a":
		return "link"
	case n.Data == "input":
		return browser.Type(n)
	case n.Data != "button" && attr(n, "contenteditable") == "true":
		return "textbox"
	}
	return n.Data
}

func attr(n *html.Node, key string) string {
	v, _ := browser.Attr(n, key)
	return v
}

// score rates how well m answers the query, in OpenChrome's points.
func score(p *browser.Page, m match, query string, tokens []string) int {
	points := 0
	name, text := strings.ToLower(m.name), strings.ToLower(m.text)
	aria, placeholder := strings.ToLower(attr(m.node, "aria-label")), strings.ToLower(attr(m.node, "placeholder"))
	add := func(yes bool, n int) {
		if yes {
			points += n
		}
	}
	add(name == query || text == query, 100)
	add(aria == query, 90)
	add(strings.Contains(name, query) || strings.Contains(text, query), 50)
	add(strings.Contains(aria, query), 45)
	all := name + " " + text + " " + aria + " " + placeholder
	for _, t := range tokens {
		add(strings.Contains(all, t), 15)
	}
	kind, tag := browser.Type(m.node), m.node.Data
	list := m.role == "combobox" || m.role == "listbox"
	for word, fits := range map[string]bool{
		"button": m.role == "button" || tag == "button", "link": m.role == "link" || tag == "a",
		"radio": m.role == "radio" || kind == "radio", "checkbox": m.role == "checkbox" || kind == "checkbox",
		"input": tag == "input" || tag == "textarea", "switch": m.role == "switch", "toggle": m.role == "switch",
		"dropdown": list, "select": list, "slider": m.role == "slider",
	} {
		add(fits && strings.Contains(query, word), 30)
	}
	add(contains(" button link checkbox radio menuitem tab option switch combobox listbox slider treeitem ", m.role), 20)
	width, height := p.Size(m.node)
	add(width > 50 && height > 20, 10)
	add(width < 10 || height < 10, -20)
	return points
}

func (s *Server) newRef(n *html.Node) string {
	s.lastRef++
	id := "ref_" + jsString(float64(s.lastRef))
	s.refs[id] = ref{n}
	return id
}

// find answers at once: a page without scripts never grows what is not there.
func (s *Server) find(_ context.Context, args arguments) (*mcp.CallToolResult, error) {
	query := args.str("query")
	if args.str("tabId") != "" && query == "" {
		return fail("Error: query is required"), nil
	}
	p, err := s.page(args, "Find error")
	if err != nil {
		return nil, err
	}
	var lines []string
	for _, m := range matches(p, query) {
		if m.score <= 0 || len(lines) == 20 {
			break
		}
		stars := strings.Repeat("★", int(math.Max(0, float64(btoi(m.score >= 20)+btoi(m.score >= 50)+btoi(m.score >= 100)))))
		lines = append(lines, strings.TrimSpace("["+s.newRef(m.node)+"] "+m.role+`: "`+m.name+`" at (0, 0) `+stars))
	}
	if len(lines) == 0 {
		return fail("No elements found matching \"%s\". Page: %s (complete), %d elements.", query, p.URL, p.Elements()), nil
	}
	return text("Found %d elements matching \"%s\":\n\n%s", len(lines), query, strings.Join(lines, "\n")), nil
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
