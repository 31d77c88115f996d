package standin

import (
	"cmp"
	"fmt"
	"strings"

	"golang.org/x/net/html"

	"github.com/openchrome/bench/harness/openchrome/standin/browser"
)

// visualSummary is the [Page State] text of navigate. The page is shown from
// its top and taken to fit the viewport.
func visualSummary(p *browser.Page) string {
	lines := []string{fmt.Sprintf("[Page State] url: %s | title: \"%s\" | scroll: 0/1080 (0%%)", p.URL, cut(p.Title(), 60))}
	if a := p.Active; a != nil {
		if label := cmp.Or(attr(a, "aria-label"), attr(a, "title"), attr(a, "name"), cut(trim(browser.TextContent(a)), 40)); label != "" {
			lines = append(lines, fmt.Sprintf(`[Active] %s "%s"`, a.Data, label)+qualifier(a, " (%s)"))
		}
	}
	section := func(head string, parts []string) {
		if len(parts) > 0 {
			lines = append(lines, head+" "+strings.Join(parts, " | "))
		}
	}
	section("[Selected]", pick(p, 5, `[aria-selected="true"], [aria-current], .active, [class*="tab--active"], [class*="tab-active"]`, func(n *html.Node) string {
		if t := cut(trim(browser.TextContent(n)), 40); t != "" {
			return fmt.Sprintf(`%s "%s" (%s)`, n.Data, t, cmp.Or(qualifier(n, "%s"), "active"))
		}
		return ""
	}))
	seen := map[*html.Node]bool{}
	var panels []string
	for _, sel := range []string{`[role="tabpanel"]`, "main", "article", `[class*="panel"]`, `[class*="content"]`} {
		panels = append(panels, pick(p, 3-len(panels), sel, func(n *html.Node) string {
			t := cut(strings.Join(strings.Fields(browser.TextContent(n)), " "), 100)
			if seen[n] || t == "" {
				return ""
			}
			seen[n] = true
			return t
		})...)
	}
	section("[Visible]", numbered(panels))
	section("[Headings]", pick(p, 4, "h1, h2, h3, h4", func(n *html.Node) string {
		if t := cut(trim(browser.TextContent(n)), 50); t != "" {
			return fmt.Sprintf(`%s: "%s"`, n.Data, t)
		}
		return ""
	}))
	section("[Form]", pick(p, 5, `input:not([type="hidden"]), select, textarea`, func(n *html.Node) string { return formState(p, n) }))
	return strings.Join(lines, "\n")
}

func qualifier(n *html.Node, format string) string {
	_, current := browser.Attr(n, "aria-current")
	switch {
	case attr(n, "aria-selected") == "true":
		return fmt.Sprintf(format, "aria-selected")
	case current && attr(n, "aria-current") != "":
		return fmt.Sprintf(format, "aria-current")
	case contains(" "+attr(n, "class")+" ", "active"):
		return fmt.Sprintf(format, "active")
	}
	return ""
}

func formState(p *browser.Page, n *html.Node) string {
	kind := cmp.Or(attr(n, "type"), n.Data)
	name := cmp.Or(attr(n, "name"), attr(n, "aria-label"), attr(n, "placeholder"), kind)
	value := cut(p.Value(n), 40)
	switch {
	case kind == "checkbox" || kind == "radio":
		return name + "=" + map[bool]string{true: "checked", false: "unchecked"}[p.Checked(n)]
	case n.Data == "select":
		value = ""
		for _, o := range p.Options(n) {
			if p.Selected(o) {
				value = cut(cmp.Or(strings.Join(strings.Fields(browser.TextContent(o)), " "), p.Value(o)), 30)
				break
			}
		}
	}
	if value == "" {
		return ""
	}
	return fmt.Sprintf(`%s="%s"`, name, value)
}

// pick describes the first limit visible elements for which f has words.
func pick(p *browser.Page, limit int, selector string, f func(*html.Node) string) []string {
	nodes, err := p.All(p.Doc, selector)
	if err != nil {
		panic("standin: " + selector + ": " + err.Error())
	}
	var out []string
	for _, n := range nodes {
		if len(out) >= limit {
			break
		}
		if p.Visible(n) {
			if t := f(n); t != "" {
				out = append(out, t)
			}
		}
	}
	return out
}

func numbered(panels []string) []string {
	out := make([]string, len(panels))
	for i, t := range panels {
		out[i] = fmt.Sprintf(`Panel %d: "%s"`, i+1, t)
	}
	return out
}

// stateSummary is the text with which interact ends.
func stateSummary(p *browser.Page) string {
	active := "none"
	if a := p.Active; a != nil {
		active = a.Data
		if a.Data == "input" {
			active = browser.Type(a)
		}
		active = cmp.Or(attr(a, "role"), active)
		if name := cmp.Or(attr(a, "aria-label"), attr(a, "title"), cut(trim(browser.TextContent(a)), 40)); name != "" {
			active += ` "` + name + `"`
		}
	}
	lines := fmt.Sprintf("[State Summary] url: %s | scroll: 0,0 | active: %s", p.URL, active)
	if h := pick(p, 3, `h1, h2, h3, [role="heading"]`, func(n *html.Node) string {
		if t := cut(trim(browser.TextContent(n)), 60); t != "" {
			return `"` + t + `"`
		}
		return ""
	}); len(h) > 0 {
		lines += "\n[Headings] " + strings.Join(h, " | ")
	}
	var panels []string
	for _, sel := range []string{`[role="tabpanel"]`, `[role="dialog"]`, `[role="main"]`, "main", ".panel", `[class*="panel"]`, `[class*="content"]`} {
		panels = append(panels, pick(p, 3-len(panels), sel, func(n *html.Node) string {
			if t := cut(trim(browser.TextContent(n)), 80); len(t) > 10 {
				return t
			}
			return ""
		})...)
	}
	if len(panels) > 0 {
		lines += "\n[Visible] " + strings.Join(numbered(panels), " | ")
	}
	return lines
}
