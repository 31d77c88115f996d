package standin

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/openchrome/bench/harness/internal/drive/standin/browser"
)

func (s *Server) formInput(_ context.Context, args arguments) (string, error) {
	id := args.str("ref")
	p, err := s.page(args, "Form input error", "ref")
	n, v := s.refs[strings.TrimPrefix(id, "node_")], args["value"]
	switch {
	case err != nil:
		return "", err
	case v == nil:
		return "", answers("Error: value is required")
	case n == nil:
		return "", answers("Error: Reference '%s' not found. Use read_page first to get element references (ref_N or backendNodeId).", id)
	}
	return s.set(p, n, text(v), true)
}

// set puts a value into a control and returns the answer of form_input. Unlike fill_form,
// form_input also accepts an option's text, and cannot clear a text.
func (s *Server) set(p *browser.Page, n *html.Node, v string, formInput bool) (string, error) {
	switch t := browser.Kind(n); {
	case browser.Has(n, "disabled") || browser.Has(n, "readonly") || t == "" || n.DataAtom == atom.Button:
		return "", s.browser.Refuse("form_input into an element that is not editable")
	case t == "checkbox" || t == "radio":
		p.Check(n, v == "true")
		return fmt.Sprintf("Set to %t", v == "true"), nil
	case t == "select-one":
		for _, o := range browser.Options(n) {
			if shown := browser.TextContent(o); browser.Value(o) == v || formInput && strings.TrimSpace(shown) == v {
				p.Check(o, true)
				return fmt.Sprintf("Selected \"%s\"", shown), nil
			}
		}
		return "", answers("Error: Option not found: %s", v)
	case formInput && browser.Value(n) != "": // OpenChrome tries to clear it and fails
		return "", s.browser.Refuse("form_input into a field that is not empty")
	case !browser.Typable(n, v):
		return "", s.browser.Refuse(fmt.Sprintf("typing %q into a control of type %s", v, t))
	}
	p.Active = n
	browser.SetValue(n, v)
	return fmt.Sprintf("Set value to \"%s\"", v), nil
}

// fillForm fills fields in the order of their names, because the JSON object loses the
// caller's order.
func (s *Server) fillForm(ctx context.Context, args arguments) (string, error) {
	fields, submit := arg[map[string]any](args, "fields", nil), args.str("submit")
	p, err := s.page(args, "Fill form error")
	switch {
	case err != nil:
		return "", err
	case len(fields) == 0:
		return "", answers("Error: fields is required and must be a non-empty object")
	case !arg(args, "clear_first", true):
		return "", s.browser.Refuse("fill_form without clear_first")
	}
	var filled, faults []string
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		n, known := named(p, strings.ToLower(key))
		if n == nil {
			faults = append(faults, fmt.Sprintf(`Could not find field matching "%s". Available fields: [%s]`, key, strings.Join(known, ", ")))
			continue
		}
		v, kind := text(fields[key]), browser.Kind(n)
		typed := v
		if kind == "radio" || kind == "checkbox" && fields[key] == "1" { // a radio button is clicked for any value
			typed = "true"
		}
		if _, err := s.set(p, n, typed, false); err != nil {
			return "", s.browser.Refuse("fill_form of " + key + " with " + v)
		}
		if strings.Contains(strings.ToLower(key), "password") {
			v = "***"
		}
		filled = append(filled, fmt.Sprintf("\n  %s: \"%s\" → ✓", key, cut(v, 50)))
	}
	if len(filled) == 0 {
		return "", answers("Errors: %s", strings.Join(faults, "; "))
	}
	out, delta := strings.TrimSuffix(fmt.Sprintf("✓ Filled %d fields", len(filled)), map[bool]string{true: "s"}[len(filled) == 1]), ""
	if button := submitButton(p, strings.ToLower(submit)); button != nil {
		out += ", submitted"
		if delta, err = s.click(ctx, button); err != nil {
			return "", err
		}
	} else if submit != "" {
		faults = append(faults, `Could not find submit button matching "`+submit+`"`)
	}
	out += "\n" + strings.Join(filled, "")[1:]
	if len(faults) > 0 {
		out += "\nErrors: " + strings.Join(faults, "; ")
	}
	return out + delta, nil
}

// points are OpenChrome's points for a field's label, name, placeholder and aria-label, if
// the text equals the key, contains it, or is part of it.
var points = []struct{ is, holds, within int }{{100, 50, 30}, {90, 45, 25}, {80, 40, 0}, {80, 40, 0}}

// named returns the visible field that matches key best, or nil, and the names of all
// fields. key is in lower case.
func named(p *browser.Page, key string) (best *html.Node, fields []string) {
	most := 19 // a match needs more points than this
	var nodes []*html.Node
	for _, name := range []string{"input", "textarea", "select"} {
		nodes = append(nodes, browser.All(p.Doc, func(n *html.Node) bool { return browser.Tag(n) == name })...)
	}
	for _, n := range nodes {
		t := browser.Kind(n)
		if browser.Listed(" submit button image ", t) || !p.Visible(n) {
			continue
		}
		names, score := fieldNames(p, n), 0
		shown := cmp.Or(names[:]...)
		for i, name := range names {
			name = strings.ToLower(name)
			if name == key {
				score += points[i].is
			}
			if strings.Contains(name, key) {
				score += points[i].holds
			}
			if utf8.RuneCountInString(name) > 2 && strings.Contains(key, name) {
				score += points[i].within
			}
		}
		switch {
		case t == "text":
		case t == key:
			score += 20
		case strings.Contains(key, t) || strings.Contains(t, key):
			score += 10
		}
		if t != "text" {
			shown = cmp.Or(shown, "[type="+t+"]")
		}
		if shown != "" {
			fields = append(fields, shown)
		}
		if score > most {
			best, most = n, score
		}
	}
	return best, fields
}

// fieldNames are the texts of a field that fill_form compares with a key.
func fieldNames(p *browser.Page, n *html.Node) [4]string {
	return [4]string{label(p, n), browser.Attr(n, "name"), browser.Attr(n, "placeholder"), browser.Attr(n, "aria-label")}
}

// label returns the text of the label for n, around n, or right before n.
func label(p *browser.Page, n *html.Node) string {
	id := browser.Attr(n, "id")
	if l := browser.First(p.Doc, func(l *html.Node) bool { return l.DataAtom == atom.Label && id != "" && browser.Attr(l, "for") == id }); l != nil {
		return strings.TrimSpace(browser.TextContent(l))
	}
	if l := browser.Ancestor(n, atom.Label); l != nil {
		return strings.TrimSpace(strings.Replace(browser.TextContent(l), strings.TrimSpace(browser.TextContent(n)), "", 1))
	}
	before := n.PrevSibling
	for before != nil && before.Type != html.ElementNode {
		before = before.PrevSibling
	}
	if before != nil && before.DataAtom == atom.Label {
		return strings.TrimSpace(browser.TextContent(before))
	}
	return ""
}

// submitButton returns the first visible button or link whose text contains query or is
// part of it. An empty text is part of every query. It returns nil for an empty query.
func submitButton(p *browser.Page, query string) *html.Node {
	for _, selector := range []string{"button[type=submit]", "input[type=submit]", "button", "[role=button]", "a"} {
		found, _ := browser.Query(p.Doc, selector)
		for _, n := range found {
			text := strings.ToLower(browser.TextContent(n) + browser.Attr(n, "aria-label") + browser.Attr(n, "value"))
			if query != "" && p.Visible(n) && (strings.Contains(text, query) || strings.Contains(query, strings.TrimSpace(text))) {
				return n
			}
		}
	}
	return nil
}
