package standin

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"github.com/openchrome/bench/harness/openchrome/standin/browser"
)

// match is an element that a query may mean.
type match struct {
	node       *html.Node
	role, name string
	score      int
}

// matches finds the visible elements that query may mean, best first. The
// points are OpenChrome's, without those for an element's size.
func matches(p *browser.Page, query string) []match {
	query = strings.ToLower(query)
	var out []match
	for n := range p.Body().Descendants() {
		if n.Type != html.ElementNode || !p.Visible(n) {
			continue
		}
		m := match{node: n, role: role(n), name: name(n)}
		name := strings.ToLower(m.name)
		all := name + " " + strings.ToLower(attr(n, "placeholder")+" "+oneLine(browser.TextContent(n)))
		if name == query {
			m.score += 100
		}
		if strings.Contains(all, query) {
			m.score += 50
		}
		for _, word := range strings.Fields(query) {
			if len(word) > 1 && !contains(" the an to for of in on at and or ", word) && strings.Contains(all, word) {
				m.score += 15
			}
		}
		if m.score == 0 {
			continue
		}
		if contains(" "+query+" ", m.role) {
			m.score += 30
		}
		if contains(actRoles, m.role) {
			m.score += 20
		}
		out = append(out, m)
	}
	slices.SortStableFunc(out, func(a, b match) int { return cmp.Compare(b.score, a.score) })
	return out
}

const actRoles = " button link checkbox radio menuitem tab option switch combobox listbox slider treeitem "

func attr(n *html.Node, key string) string {
	v, _ := browser.Attr(n, key)
	return v
}

// tag is the name of an element, and empty for other nodes.
func tag(n *html.Node) string {
	if n.Type != html.ElementNode {
		return ""
	}
	return n.Data
}

func name(n *html.Node) string {
	return cmp.Or(attr(n, "aria-label"), attr(n, "title"), cut(strings.TrimSpace(browser.TextContent(n)), 100))
}

func role(n *html.Node) string {
	switch {
	case attr(n, "role") != "":
		return attr(n, "role")
	case n.Data == "a":
		return "link"
	case n.Data == "input":
		return browser.Type(n)
	}
	return n.Data
}

// find answers at once: a page without scripts never grows what is not there.
func (s *Server) find(_ context.Context, args arguments) (string, error) {
	query := args.str("query")
	p, err := s.page(args, "Find error", "query")
	if err != nil {
		return "", err
	}
	var lines []string
	for _, m := range matches(p, query) {
		stars := ""
		for _, least := range []int{20, 50, 100} {
			if m.score >= least {
				stars += "★"
			}
		}
		lines = append(lines, strings.TrimSpace("["+s.newRef(m.node)+"] "+m.role+`: "`+m.name+`" at (0, 0) `+stars))
	}
	lines = lines[:min(len(lines), 20)]
	if len(lines) == 0 {
		return "", fmt.Errorf("No elements found matching \"%s\". Page: %s (complete), %d elements.", query, p.URL, p.Elements())
	}
	return fmt.Sprintf("Found %d elements matching \"%s\":\n\n%s", len(lines), query, strings.Join(lines, "\n")), nil
}
