package standin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"github.com/openchrome/bench/harness/openchrome/standin/browser"
)

// match is an element that a query may mean.
type match struct {
	*html.Node
	role, name string
	score      int
}

// matches finds the visible elements that query may mean, best first. The
// points are OpenChrome's, without those for an element's size.
func matches(p *browser.Page, query string) (out []match) {
	query = strings.ToLower(query)
	for _, n := range browser.All(p.Doc, func(n *html.Node) bool {
		return browser.Tag(n) != "" && !browser.Listed(" html body ", n.Data) && p.Visible(n)
	}) {
		m := match{n, role(n), cmp.Or(browser.Attr(n, "aria-label"), browser.Attr(n, "title"), cut(strings.TrimSpace(browser.TextContent(n)), 100)), 0}
		name := strings.ToLower(m.name)
		text := name + " " + strings.ToLower(browser.Attr(n, "placeholder")+" "+browser.OneLine(browser.TextContent(n)))
		if name == query {
			m.score += 100
		}
		if strings.Contains(text, query) {
			m.score += 50
		}
		for _, word := range strings.Fields(query) {
			if len(word) > 1 && !browser.Listed(" the an to for of in on at and or ", word) && strings.Contains(text, word) {
				m.score += 15
			}
		}
		if m.score == 0 {
			continue
		}
		if browser.Listed(" "+query+" ", m.role) {
			m.score += 30
		}
		if browser.Listed(actRoles, m.role) {
			m.score += 20
		}
		out = append(out, m)
	}
	slices.SortStableFunc(out, func(a, b match) int { return cmp.Compare(b.score, a.score) })
	return out
}

const actRoles = " button link checkbox radio menuitem tab option switch combobox listbox slider treeitem "

func role(n *html.Node) string {
	switch {
	case browser.Attr(n, "role") != "":
		return browser.Attr(n, "role")
	case n.Data == "a":
		return "link"
	case n.Data == "input":
		return browser.Kind(n)
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
	found := matches(p, query)
	if len(found) == 0 {
		return "", fmt.Errorf("No elements found matching \"%s\". Page: %s (complete), %d elements.", query, p.URL, p.Size())
	}
	var lines []string
	for _, m := range found[:min(len(found), 20)] {
		stars := ""
		for _, least := range []int{20, 50, 100} {
			if m.score >= least {
				stars += "★"
			}
		}
		lines = append(lines, strings.TrimSpace("["+s.newRef(m.Node)+"] "+m.role+`: "`+m.name+`" at (0, 0) `+stars))
	}
	return fmt.Sprintf("Found %d elements matching \"%s\":\n\n%s", len(lines), query, strings.Join(lines, "\n")), nil
}

// interact clicks the best match of a query.
func (s *Server) interact(ctx context.Context, args arguments) (string, error) {
	query := args.str("query")
	p, err := s.page(args, "Interact error", "query")
	if err != nil {
		return "", err
	}
	if cmp.Or(args.str("action"), "click") != "click" || arg(args, "verify", false) || cmp.Or(args.str("returnFormat"), "both") != "both" {
		return "", s.browser.Refuse("interact beyond a click")
	}
	found := matches(p, query)
	if len(found) == 0 {
		return "", fmt.Errorf("No elements found matching \"%s\"", query)
	}
	best, ref, active := found[0], s.newRef(found[0].Node), "none"
	delta, err := s.click(ctx, best.Node)
	if err != nil {
		return "", err
	}
	if p = s.browser.Page(); p.Active != nil {
		active = role(p.Active)
	}
	return fmt.Sprintf("✓ Clicked %s \"%s\" [%s]%s\n[State Summary] url: %s | scroll: 0,0 | active: %s%s",
		best.Data, cut(best.name, 50), ref, delta, p.URL, active, headings(p, `"%[2]s"`)), nil
}

// click clicks and tells in OpenChrome's words what changed. A navigation that
// fails at the network is a change: the tab shows the browser's error page.
func (s *Server) click(ctx context.Context, n *html.Node) (delta string, err error) {
	ctx, cancel := context.WithTimeout(ctx, navigationTimeout)
	defer cancel()
	before := s.browser.Page()
	err = s.browser.Click(ctx, n)
	if _, network := errors.AsType[*browser.NetError](err); err != nil && !network && !errors.Is(err, context.DeadlineExceeded) {
		return "", err
	}
	if p := s.browser.Page(); p != before {
		s.forget()
		delta = fmt.Sprintf("\n\n[Page navigated: %s]\n[Title: \"%s\"]", p.URL, p.Title())
	}
	return delta, nil
}

// headings is a line with the first visible headings, or empty. The format
// takes the element's name and its text.
func headings(p *browser.Page, format string) string {
	found := browser.All(p.Doc, func(n *html.Node) bool { return browser.Listed(" h1 h2 h3 ", browser.Tag(n)) && p.Visible(n) })
	var out []string
	for _, n := range found[:min(len(found), 4)] {
		out = append(out, fmt.Sprintf(format, n.Data, cut(browser.OneLine(browser.TextContent(n)), 50)))
	}
	if len(out) == 0 {
		return ""
	}
	return "\n[Headings] " + strings.Join(out, " | ")
}
