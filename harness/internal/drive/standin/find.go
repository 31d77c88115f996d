package standin

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"

	"github.com/openchrome/bench/harness/internal/drive/standin/browser"
)

type match struct {
	*html.Node
	role, name, text string
	score            int
}

// actSelectors are the elements that OpenChrome searches first, in this order. Then it
// searches all elements.
var actSelectors = []string{
	"button", "[role=button]", "a", "[role=link]", "input[type=submit]", "input[type=button]", "input[type=radio]", "input[type=checkbox]",
	"[role=radio]", "[role=checkbox]", "[role=menuitem]", "[role=tab]", "[role=option]", "[tabindex]", "[contenteditable=true]",
	"[role=combobox]", "[role=listbox]", "[role=switch]", "[role=slider]", "[role=treeitem]", "[role=dialog] [aria-label]",
	"[role=alertdialog] [aria-label]", "[data-testid]",
}

// maxMatches is how many elements OpenChrome examines.
const maxMatches = 30

// matches finds the visible elements that may match query, best first. It refuses a query
// for the value of a field, because OpenChrome finds an inner part of the field.
func (s *Server) matches(p *browser.Page, query string) (out []match, err error) {
	query = strings.ToLower(query)
	words := slices.DeleteFunc(strings.Fields(query), func(w string) bool {
		return utf8.RuneCountInString(w) < 2 || browser.Listed(" the an to for of in on at and or ", w)
	})
	var nodes []*html.Node
	for _, selector := range actSelectors {
		found, _ := browser.Query(p.Doc, selector)
		nodes = append(nodes, found...)
	}
	seen := map[*html.Node]bool{}
	for _, n := range append(nodes, browser.All(p.Doc, func(n *html.Node) bool { return n.Type == html.ElementNode })...) {
		if len(out) == maxMatches || seen[n] || browser.Listed(" html body ", n.Data) || !p.Visible(n) {
			continue
		}
		seen[n] = true
		if m := newMatch(n, query, words); m.score > 0 {
			out = append(out, m)
		}
		content := strings.ToLower(browser.Value(n))
		within := func(word string) bool { return strings.Contains(content, word) }
		if browser.Typable(n, "") && content != "" && (within(query) || slices.ContainsFunc(words, within)) {
			return nil, s.browser.Refuse("a query for the value of a field")
		}
	}
	slices.SortStableFunc(out, func(a, b match) int { return cmp.Compare(b.score, a.score) })
	return out, nil
}

const sizeBonus = 10 // OpenChrome's points for an element's size, which is unknown here

// newMatch gives an element OpenChrome's points, except for its size. It gives 0 if the
// element's texts contain neither the query nor a word of it.
func newMatch(n *html.Node, query string, words []string) match {
	content := strings.TrimSpace(browser.TextContent(n))
	m := match{Node: n, role: role(n), name: name(n), text: cut(content, 50)}
	named, text := strings.ToLower(m.name), strings.ToLower(m.text)
	aria := strings.ToLower(browser.Attr(n, "aria-label"))
	all := strings.Join([]string{named, text, aria, strings.ToLower(browser.Attr(n, "placeholder"))}, " ")
	for _, w := range words {
		if strings.Contains(all, w) {
			m.score += 15
		}
	}
	if m.score == 0 && !strings.Contains(all, query) {
		return m
	}
	for _, bonus := range []struct {
		points int
		due    bool
	}{
		{100, named == query || text == query},
		{90, aria == query},
		{50, strings.Contains(named, query) || strings.Contains(text, query)},
		{45, aria != "" && strings.Contains(aria, query)},
		{20, browser.Listed(actRoles, m.role)},
	} {
		if bonus.due {
			m.score += bonus.points
		}
	}
	for word, means := range roleWords {
		if strings.Contains(query, word) && (browser.Listed(means, m.role) || browser.Listed(means, n.Data)) {
			m.score += 30
		}
	}
	return m
}

// roleWords are the roles and elements that a word in a query stands for.
var roleWords = map[string]string{
	"button": " button ", "link": " link a ", "radio": " radio ", "checkbox": " checkbox ", "input": " input textarea ", "switch": " switch ",
	"toggle": " switch ", "dropdown": " combobox listbox ", "select": " combobox listbox ", "slider": " slider ",
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

// name returns the name of an element in OpenChrome's lists.
func name(n *html.Node) string {
	return cmp.Or(browser.Attr(n, "aria-label"), browser.Attr(n, "title"), cut(strings.TrimSpace(browser.TextContent(n)), 100))
}

// find answers at once, because a page without scripts never adds elements.
func (s *Server) find(_ context.Context, args arguments) (string, error) {
	query := args.str("query")
	p, err := s.page(args, "Find error", "query")
	if err != nil {
		return "", err
	}
	found, err := s.matches(p, query)
	switch {
	case err != nil:
		return "", err
	case len(found) == 0:
		return "", answers("No elements found matching \"%s\". Page: %s (complete), %d elements.", query, p.URL, p.Size())
	}
	var lines []string
	for _, m := range found[:min(len(found), 20)] {
		stars, _ := slices.BinarySearch([]int{20, 50, 100}, m.score+1) // how many stars the score gives
		lines = append(lines, strings.TrimSpace("["+s.newRef(m.Node, "ref_")+"] "+m.role+`: "`+m.name+`" at (0, 0) `+strings.Repeat("★", stars)))
	}
	return fmt.Sprintf("Found %d elements matching \"%s\":\n\n%s", len(lines), query, strings.Join(lines, "\n")), nil
}

// headings returns a line with the first visible elements of these names that have a text,
// or "". It shows no more elements than most, each cut to width characters. format gets the
// element's name and its text.
func headings(p *browser.Page, names, format string, most, width int) string {
	out, sep := "", "\n[Headings] "
	for _, n := range browser.All(p.Doc, func(n *html.Node) bool { return browser.Listed(names, browser.Tag(n)) && p.Visible(n) }) {
		if text := strings.TrimSpace(browser.TextContent(n)); text != "" && most > 0 {
			out += sep + fmt.Sprintf(format, n.Data, cut(text, width))
			sep, most = " | ", most-1
		}
	}
	return out
}

// pageState describes a page as OpenChrome does after a navigation or a click.
func pageState(p *browser.Page) string {
	return fmt.Sprintf("[Page State] url: %s | title: \"%s\" | scroll: 0/1080 (0%%)", p.URL, cut(p.Title(), 60)) + headings(p, " h1 h2 h3 h4 ", `%s: "%s"`, 4, 50)
}
