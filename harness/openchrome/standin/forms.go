package standin

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"github.com/openchrome/bench/harness/openchrome/standin/browser"
)

func (s *Server) formInput(_ context.Context, args arguments) (string, error) {
	id := args.str("ref")
	p, err := s.page(args, "Form input error", "ref")
	value, given := args["value"]
	switch {
	case err != nil:
		return "", err
	case !given:
		return "", errors.New("Error: value is required")
	}
	n := s.refs[strings.TrimPrefix(id, "node_")]
	if n == nil {
		return "", fmt.Errorf("Error: Reference '%s' not found. Use read_page first to get element references (ref_N or backendNodeId).", id)
	}
	return s.set(p, n, jsString(value), true)
}

// set puts a value into a control and says so as form_input does. byText lets
// an option be named by its text, too.
func (s *Server) set(p *browser.Page, n *html.Node, v string, byText bool) (string, error) {
	_, readonly := browser.Attr(n, "readonly")
	switch kind := browser.Type(n); {
	case p.Disabled(n):
		return "", errors.New("Error: Element is disabled. Enable it first or use javascript_tool to remove the disabled attribute.")
	case readonly:
		return "", errors.New("Error: Element is readOnly. Use fill_form with keyboard input or javascript_tool to modify the value programmatically.")
	case kind == "checkbox" || kind == "radio":
		p.SetChecked(n, v == "true")
		return fmt.Sprintf("Set to %t", v == "true"), nil
	case n.Data == "select":
		for _, o := range browser.Options(n) {
			if shown := oneLine(browser.TextContent(o)); p.Value(o) == v || byText && shown == v {
				p.Choose(n, o)
				return fmt.Sprintf("Selected \"%s\"", shown), nil
			}
		}
		return "", fmt.Errorf("Error: Option not found: %s", v)
	case n.Data == "input" || n.Data == "textarea":
		if why := browser.Typable(n, v); why != "" {
			return "", s.browser.Refuse(why)
		}
		p.Active = n
		p.SetValue(n, v)
		return fmt.Sprintf("Set value to \"%s\"", v), nil
	}
	return "", fmt.Errorf("Error: Element is not editable: %s", n.Data)
}

// fillForm fills fields in the order of their names: the caller's is lost.
func (s *Server) fillForm(ctx context.Context, args arguments) (string, error) {
	fields := arg[map[string]any](args, "fields", nil)
	p, err := s.page(args, "Fill form error")
	switch {
	case err != nil:
		return "", err
	case len(fields) == 0:
		return "", errors.New("Error: fields is required and must be a non-empty object")
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
		v := jsString(fields[key])
		if _, err := s.set(p, n, v, false); err != nil {
			return "", s.browser.Refuse("fill_form of " + key + " with " + v)
		}
		if strings.Contains(strings.ToLower(key), "password") {
			v = "***"
		}
		filled = append(filled, `  `+key+`: "`+cut(v, 50)+`" → ✓`)
	}
	submitted, delta := "", ""
	if query := args.str("submit"); query != "" && len(filled) > 0 {
		if b := submitButton(p, strings.ToLower(query)); b == nil {
			faults = append(faults, `Could not find submit button matching "`+query+`"`)
		} else if delta, err = s.click(ctx, b); err != nil {
			return "", err
		} else {
			submitted = ", submitted"
		}
	}
	plural := "s"
	if len(filled) == 1 {
		plural = ""
	}
	out := fmt.Sprintf("✓ Filled %d field%s%s\n%s", len(filled), plural, submitted, strings.Join(filled, "\n"))
	switch errs := "Errors: " + strings.Join(faults, "; "); {
	case len(filled) == 0:
		return "", errors.New(errs)
	case len(faults) > 0:
		out += "\n" + errs
	}
	return out + delta, nil
}

// named is the visible field that key, in lower case, names best: by its label,
// name, placeholder or aria-label, and rather all of it than a part. Without
// one it lists the fields.
func named(p *browser.Page, key string) (best *html.Node, all []string) {
	most := 0
	for n := range p.Doc.Descendants() {
		if !contains(" input textarea select ", tag(n)) || contains(" submit button image reset ", browser.Type(n)) || !p.Visible(n) {
			continue
		}
		shown := ""
		points := 0
		for i, name := range []string{label(p, n), attr(n, "name"), attr(n, "placeholder"), attr(n, "aria-label")} {
			if shown == "" {
				shown = name
			}
			switch name = strings.ToLower(name); {
			case name == key:
				points += 150 - 10*i
			case strings.Contains(name, key), len(name) > 2 && strings.Contains(key, name):
				points += 50 - 5*i
			}
		}
		all = append(all, shown)
		if points > most {
			best, most = n, points
		}
	}
	return best, all
}

// label is the text of the label for n, around n, or right before n.
func label(p *browser.Page, n *html.Node) string {
	for l := range p.Doc.Descendants() {
		if id := attr(n, "id"); tag(l) == "label" && id != "" && attr(l, "for") == id {
			return oneLine(browser.TextContent(l))
		}
	}
	for a := range n.Ancestors() {
		if a.Data == "label" {
			return oneLine(strings.Replace(browser.TextContent(a), browser.TextContent(n), "", 1))
		}
	}
	for b := n.PrevSibling; b != nil; b = b.PrevSibling {
		if tag(b) == "label" {
			return oneLine(browser.TextContent(b))
		}
		if tag(b) != "" {
			break
		}
	}
	return ""
}

// submitButton is the first button or link whose text holds query or is held by
// it.
func submitButton(p *browser.Page, query string) *html.Node {
	for n := range p.Doc.Descendants() {
		if browser.Type(n) != "submit" && !contains(" button a ", tag(n)) || !p.Visible(n) {
			continue
		}
		text := strings.ToLower(oneLine(browser.TextContent(n) + " " + attr(n, "aria-label") + " " + attr(n, "value")))
		if text != "" && (strings.Contains(text, query) || strings.Contains(query, text)) {
			return n
		}
	}
	return nil
}
