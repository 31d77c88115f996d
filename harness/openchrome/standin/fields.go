package standin

import (
	"cmp"
	"strings"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"

	"github.com/openchrome/bench/harness/openchrome/standin/browser"
)

// formField is a control that fill_form can name.
type formField struct {
	node                           *html.Node
	label, name, placeholder, aria string
	kind                           string
}

// shown is how an error lists the field.
func (f formField) shown() string {
	kind := ""
	if f.kind != "" && f.kind != "text" {
		kind = "[type=" + f.kind + "]"
	}
	return cmp.Or(f.label, f.name, f.placeholder, f.aria, kind)
}

var fieldSelectors = []cascadia.Matcher{
	cascadia.MustCompile(`input:not([type="hidden"]):not([type="submit"]):not([type="button"]):not([type="image"])`),
	cascadia.MustCompile("textarea"), cascadia.MustCompile("select"), cascadia.MustCompile(`[contenteditable="true"]`),
	cascadia.MustCompile(`[role="textbox"]`), cascadia.MustCompile(`[role="combobox"]`),
}

// formFields lists the visible fields: inputs first, then text areas, selects
// and the rest.
func formFields(p *browser.Page) []formField {
	var out []formField
	for _, sel := range fieldSelectors {
		for _, n := range cascadia.QueryAll(p.Doc, sel) {
			if p.Visible(n) {
				out = append(out, formField{node: n, label: label(p, n), name: attr(n, "name"), placeholder: attr(n, "placeholder"), aria: attr(n, "aria-label"), kind: browser.Type(n)})
			}
		}
	}
	return out
}

// label is the text of the label for n, around n, or right before n.
func label(p *browser.Page, n *html.Node) string {
	if id := attr(n, "id"); id != "" {
		for l := range p.Doc.Descendants() {
			if l.Data == "label" && l.Type == html.ElementNode && attr(l, "for") == id {
				return trim(browser.TextContent(l))
			}
		}
	}
	for a := n.Parent; a != nil; a = a.Parent {
		if a.Data == "label" && a.Type == html.ElementNode {
			own := trim(browser.TextContent(n))
			return trim(strings.Replace(trim(browser.TextContent(a)), own, "", 1))
		}
	}
	for b := n.PrevSibling; b != nil; b = b.PrevSibling {
		if b.Type == html.ElementNode {
			if b.Data == "label" {
				return trim(browser.TextContent(b))
			}
			break
		}
	}
	return ""
}

// bestField is the field that key, in lower case, names best, or nil. The
// points are OpenChrome's.
func bestField(fields []formField, key string) *formField {
	var best *formField
	most := 0
	for i, f := range fields {
		points := 0
		for _, by := range []struct {
			value               string
			exact, part, within int
		}{
			{f.label, 100, 50, 30}, {f.name, 90, 45, 25}, {f.placeholder, 80, 40, 0}, {f.aria, 80, 40, 0},
		} {
			v := strings.ToLower(by.value)
			if v == key {
				points += by.exact
			}
			if strings.Contains(v, key) {
				points += by.part
			}
			if strings.Contains(key, v) && len(v) > 2 {
				points += by.within
			}
		}
		switch {
		case f.kind == "" || f.kind == "text":
		case f.kind == key:
			points += 20
		case strings.Contains(key, f.kind) || strings.Contains(f.kind, key):
			points += 10
		}
		if points > most {
			best, most = &fields[i], points
		}
	}
	if most < 20 {
		return nil
	}
	return best
}

// fill does to a field what OpenChrome's clicks and keys would. Its result
// says what only a real browser can do, or is empty.
func fill(p *browser.Page, n *html.Node, v string, replace bool) string {
	_, readonly := browser.Attr(n, "readonly")
	on := v == "true" || v == "1"
	switch kind := browser.Type(n); {
	case n.Data == "select":
		var chosen *html.Node
		for _, o := range p.Options(n) {
			if chosen == nil && p.Value(o) == v {
				chosen = o
			}
		}
		p.Choose(n, chosen)
		return ""
	case p.Disabled(n):
		return "" // clicks and keys do nothing
	case kind == "checkbox":
		p.SetChecked(n, on)
	case kind == "radio":
		p.SetChecked(n, true) // the click that gives it focus
	case kind == "":
		return "a contenteditable element"
	case readonly:
	default:
		if why := browser.Typable(n, v); why != "" {
			return why
		}
		if old := p.Value(n); !replace && old != "" {
			if len(old) > 8 || kind == "textarea" {
				return "typing into the middle of a text"
			}
			v = old + v
		}
		p.SetValue(n, v)
	}
	p.Active = n
	return ""
}

var submitSelectors = []cascadia.Matcher{
	cascadia.MustCompile(`button[type="submit"]`), cascadia.MustCompile(`input[type="submit"]`),
	cascadia.MustCompile("button"), cascadia.MustCompile(`[role="button"]`), cascadia.MustCompile("a"),
}

// submitButton is the first button whose text holds query or is held by it.
func submitButton(p *browser.Page, query string) *html.Node {
	for _, sel := range submitSelectors {
		for _, n := range cascadia.QueryAll(p.Doc, sel) {
			value := ""
			if n.Data == "button" || n.Data == "input" {
				value = p.Value(n)
			}
			text := strings.ToLower(browser.TextContent(n)) + strings.ToLower(attr(n, "aria-label")) + strings.ToLower(value)
			if (strings.Contains(text, query) || strings.Contains(query, trim(text))) && p.Visible(n) {
				return n
			}
		}
	}
	return nil
}
