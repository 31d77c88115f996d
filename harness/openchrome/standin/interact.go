package standin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/net/html"

	"github.com/openchrome/bench/harness/openchrome/standin/browser"
)

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
	best := found[0]
	ref := s.newRef(best.node)
	delta, err := s.click(ctx, best.node)
	if err != nil {
		return "", err
	}
	page, active := s.browser.Page(), "none"
	if page.Active != nil {
		active = role(page.Active)
	}
	return fmt.Sprintf("✓ Clicked %s \"%s\" [%s]%s\n[State Summary] url: %s | scroll: 0,0 | active: %s%s",
		best.node.Data, cut(best.name, 50), ref, delta, page.URL, active, headings(page, `"%[2]s"`)), nil
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
	var out []string
	for n := range p.Doc.Descendants() {
		if len(out) < 4 && contains(" h1 h2 h3 ", tag(n)) && p.Visible(n) {
			out = append(out, fmt.Sprintf(format, n.Data, cut(oneLine(browser.TextContent(n)), 50)))
		}
	}
	if len(out) == 0 {
		return ""
	}
	return "\n[Headings] " + strings.Join(out, " | ")
}
