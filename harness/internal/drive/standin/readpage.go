package standin

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/openchrome/bench/harness/internal/drive/standin/browser"
)

func (s *Server) readPage(_ context.Context, args arguments) (string, error) {
	p, err := s.page(args, "Read page error")
	if err != nil {
		return "", err
	}
	for key, plain := range map[string]any{"mode": "dom", "ref_id": nil, "selector": nil, "depth": nil, "compression": "none"} {
		if v := args[key]; v != nil && v != plain && !(args["mode"] == "ax" && (key == "mode" || key == "depth")) {
			return "", s.browser.Refuse("read_page with " + key)
		}
	}
	var page fmt.Stringer
	if args["mode"] == "ax" { // whole, whatever the depth
		t := &tree{server: s, page: p}
		t.node(p.Element(atom.Body), "")
		page = t
	} else {
		o := &outline{server: s, interactive: args.str("filter") == "interactive"}
		o.element(p.Element(atom.Html), "")
		page = o
	}
	out := fmt.Sprintf("[page_stats] url: %s | title: %s | scroll: 0,0 | viewport: 1920x1080 | docSize: 1920x1080\n\n%s", p.URL, p.Title(), page)
	if utf8.RuneCountInString(out) > 50000 {
		return "", s.browser.Refuse("read_page of a page that OpenChrome would truncate")
	}
	return out, nil
}

// outline writes a page as text, one line for each element.
type outline struct {
	strings.Builder
	server      *Server
	interactive bool // leaves out elements that a user cannot act on
}

const shownAttrs = " id name type value placeholder aria-label role href src alt title data-testid disabled checked selected required class" +
	" data-cy data-qa data-id data-value data-state tabindex "

func interactive(n *html.Node) bool {
	return browser.Listed(" input button select textarea a ", browser.Tag(n)) ||
		browser.Listed(" button link textbox checkbox radio combobox listbox menu menuitem tab switch slider ", browser.Attr(n, "role"))
}

// inside returns the displayed elements in n, and the text directly in n.
func inside(n *html.Node) (kids []*html.Node, text string) {
	for c := range n.ChildNodes() {
		switch {
		case c.Type == html.TextNode:
			text = strings.TrimSpace(text + " " + strings.TrimSpace(c.Data))
		case !browser.Listed(" script style svg noscript meta link head ", browser.Tag(c)) && browser.Tag(c) != "":
			kids = append(kids, c)
		}
	}
	return kids, cut(text, 200)
}

// bare reports whether n is a container that holds only elements.
func bare(n *html.Node) bool {
	_, text := inside(n)
	return text == "" && !interactive(n) && browser.Listed(" div section article main aside header footer nav span ", n.Data)
}

// element writes n and its content as OpenChrome's mode dom does. A chain of containers
// with one element each is one line. Of a row of similar siblings without controls or
// links, it shows the first three and the last.
func (o *outline) element(n *html.Node, indent string) {
	chain, long, end := "", 0, n
	for kids, _ := inside(end); long < 8 && len(kids) == 1 && bare(end); kids, _ = inside(end) {
		chain += fmt.Sprintf("[%s]%s>", o.server.number(end), end.Data)
		end = kids[0]
		long++
	}
	if long > 1 && (long == 8 || !bare(end)) {
		chain, n = chain+" ", end
	} else {
		chain = ""
	}
	attrs, star := "", ""
	for _, a := range n.Attr {
		if browser.Listed(shownAttrs, a.Key) {
			attrs += " " + a.Key + `="` + a.Val + `"`
		}
	}
	if interactive(n) {
		star = " ★"
	}
	kids, text := inside(n)
	if !o.interactive || star != "" || chain != "" {
		fmt.Fprintf(o, "%s%s[%s]<%s%s/>%s%s\n", indent, chain, o.server.number(n), n.Data, attrs, text, star)
	}
	indent += "  "
	for len(kids) > 0 {
		row, short := 0, true
		for row < len(kids) && kids[row].Data == kids[0].Data {
			short = short && !interactive(kids[row]) && browser.First(kids[row], interactive) == nil
			row++
		}
		for i, c := range kids[:row] {
			last := i == row-1
			if short && i >= 3 && last {
				fmt.Fprintf(o, "%s[%s-%s] %s ×%d (showing 3 of %d)\n", indent, o.server.number(kids[0]), o.server.number(c), c.Data, row, row)
			}
			if !short || i < 3 || last {
				o.element(c, indent)
			}
		}
		kids = kids[row:]
	}
}
