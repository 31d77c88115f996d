package standin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/net/html"

	"github.com/openchrome/bench/harness/internal/drive/standin/browser"
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
	found, err := s.matches(p, query)
	switch {
	case err != nil:
		return "", err
	case len(found) == 0:
		return "", answers("No elements found matching \"%s\"", query)
	}
	best := found[0]
	for _, m := range found {
		alike := m.Data == best.Data && m.name == best.name
		if m.score >= best.score-sizeBonus && !alike && p.Target(m.Node) != p.Target(best.Node) {
			return "", s.browser.Refuse(fmt.Sprintf("interact with a query that matches <%s> and <%s> equally well (%q)", best.Data, m.Data, query))
		}
	}
	if blind(p, best.Node) {
		return "", s.browser.Refuse(fmt.Sprintf("interact on a <%s> that contains clickable elements (%q)", best.Data, query))
	}
	ref, active := s.newRef(best.Node, "ref_"), "none"
	delta, err := s.click(ctx, best.Node)
	if err != nil {
		return "", err
	}
	delta = strings.Replace(delta, "\n", "\n\n", 1)
	if p = s.browser.Page(); p.Active != nil {
		active = role(p.Active)
	}
	return fmt.Sprintf("✓ Clicked %s \"%s\" [%s]%s\n[State Summary] url: %s | scroll: 0,0 | active: %s%s",
		best.Data, cmp.Or(best.text, cut(best.name, 50)), ref, delta, p.URL, active, headings(p, " h1 h2 h3 ", `"%[2]s"`, 3, 60)), nil
}

// computer clicks an element by its ref, types into the field whose text a triple click marked, or
// waits.
func (s *Server) computer(ctx context.Context, args arguments) (string, error) {
	p, err := s.page(args, "Computer action error")
	if err != nil {
		return "", err
	}
	switch args.str("action") {
	case "wait": // nothing on a page changes by itself
		return fmt.Sprintf("Waited for %vs", arg(args, "duration", 1.0)), nil
	case "type":
		return s.typed(p, args.str("text"))
	}
	id := args.str("ref")
	number := strings.TrimPrefix(id, "node_")
	n := s.refs[number]
	switch {
	case !browser.Listed(" left_click triple_click ", args.str("action")) || args["coordinate"] != nil:
		return "", s.browser.Refuse("computer beyond a click on a ref, typing and waiting")
	case id == "":
		return "", answers("Error: coordinate is required for left_click")
	case n == nil && number != "" && strings.Trim(number, "0123456789") == "": // it may be an element that OpenChrome still knows
		return "", s.browser.Refuse("a click on the unknown number " + id)
	case n == nil:
		return "", answers("Error: Element ref or node ID '%s' not found", id)
	case !p.Visible(n):
		return "", s.browser.Refuse("a click on a <" + n.Data + "> that is not visible")
	case blind(p, n):
		return "", s.browser.Refuse("a click on a <" + n.Data + "> that contains clickable elements")
	}
	if args.str("action") == "triple_click" {
		if !browser.Typable(n, "") {
			return "", s.browser.Refuse("a triple click on what is no text field")
		}
		s.marked = n
	}
	delta, err := s.click(ctx, n)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("Clicked element %s at (0, 0)%s\n%s", id, delta, pageState(s.browser.Page())), nil
}

// typed types into the field that has the focus, in place of its text, which must be marked.
func (s *Server) typed(p *browser.Page, text string) (string, error) {
	n := s.marked
	s.marked = nil
	if n == nil || p.Active != n || !browser.Typable(n, text) || browser.Has(n, "disabled") || browser.Has(n, "readonly") {
		return "", s.browser.Refuse("typing into anything but a text field that a triple click marked")
	}
	browser.SetValue(n, text)
	return fmt.Sprintf("Typed: \"%s\"", text), nil
}

// blind reports whether a click on n may hit a link or control inside n. Only a browser with
// a layout knows what lies in the middle of n.
func blind(p *browser.Page, n *html.Node) bool {
	return p.Target(n) == nil && browser.First(n, func(n *html.Node) bool { return p.Target(n) != nil && p.Visible(n) }) != nil
}

// click clicks and reports the changes in OpenChrome's words. A navigation that fails in
// the network is a change too: the tab shows the browser's error page.
func (s *Server) click(ctx context.Context, n *html.Node) (delta string, err error) {
	ctx, cancel := context.WithTimeout(ctx, navigationTimeout)
	defer cancel()
	before := s.browser.Page()
	err = s.browser.Click(ctx, n)
	if _, network := errors.AsType[browser.NetError](err); err != nil && !network {
		if errors.Is(err, context.DeadlineExceeded) {
			err = s.browser.Refuse("a click that loads a page for 30 s")
		}
		return "", err
	}
	if p := s.browser.Page(); p != before {
		s.forget()
		delta = fmt.Sprintf("\n[Page navigated: %s]", p.URL)
		if title := p.Title(); title != "" {
			delta += fmt.Sprintf("\n[Title: \"%s\"]", title)
		}
	}
	return delta, nil
}
