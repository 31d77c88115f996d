package standin

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"golang.org/x/net/html"

	"github.com/openchrome/bench/harness/openchrome/standin/browser"
)

// interact clicks the best match of a query, or hovers over it.
func (s *Server) interact(ctx context.Context, args arguments) (*mcp.CallToolResult, error) {
	query := args.str("query")
	if args.str("tabId") != "" && query == "" {
		return fail("Error: query is required"), nil
	}
	p, err := s.page(args, "Interact error")
	if err != nil {
		return nil, err
	}
	verb := "Clicked"
	switch action := args.str("action"); {
	case args.truth("verify", false):
		return nil, s.refuse("a screenshot")
	case action == "hover":
		verb = "Hovered"
	case action == "double_click":
		return nil, s.refuse("a double click")
	}
	found := matches(p, query)
	if len(found) == 0 {
		return fail("No elements found matching \"%s\"", query), nil
	}
	best := found[0]
	if best.score < 10 {
		return fail("No good match found for \"%s\". Best candidate was \"%s\" with low confidence.", query, cmp.Or(best.name, "unknown")), nil
	}
	delta := ""
	if verb == "Clicked" {
		if delta, err = s.click(ctx, best.node); err != nil {
			return nil, err
		}
	}
	line := "✓ " + verb + " " + best.node.Data
	if sample := cmp.Or(best.text, cut(best.name, 50)); sample != "" {
		line += ` "` + sample + `"`
	}
	lines := []string{line + " [" + s.newRef(best.node) + "]"}
	if s.browser.Page().Doc != p.Doc {
		clear(s.refs) // the ref names an element of the page that is gone
	}
	format := cmp.Or(args.str("returnFormat"), "both")
	if delta != "" && format != "state_summary" {
		lines = append(lines, delta)
	}
	if format != "dom_delta" {
		lines = append(lines, stateSummary(s.browser.Page()))
	}
	return text("%s", strings.Join(lines, "\n")), nil
}

// click clicks and tells in OpenChrome's words what changed. A navigation that
// fails at the network is a change: the tab shows the browser's error page.
func (s *Server) click(ctx context.Context, n *html.Node) (delta string, err error) {
	limited, cancel := context.WithTimeout(ctx, navigationTimeout)
	defer cancel()
	before := s.browser.Page()
	note, err := s.browser.Click(limited, n)
	if _, network := errors.AsType[*browser.NetError](err); err != nil && !network && !errors.Is(err, context.DeadlineExceeded) {
		return "", err
	}
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	p := s.browser.Page()
	s.leave(before)
	switch {
	case p != before:
		delta = "\n[Page navigated: " + p.URL.String() + "]"
		if t := p.Title(); t != "" {
			delta += "\n[Title: \"" + t + "\"]"
		}
	case note != "":
		delta = "\n[DOM Delta]\n" + note
	}
	return delta, nil
}

// element is what a ref_N, or a number of read_page, names now.
func (s *Server) element(id string) *html.Node {
	if r, ok := s.refs[id]; ok {
		return r.node
	}
	n, err := strconv.Atoi(strings.TrimPrefix(id, "node_"))
	if err != nil || n <= 0 {
		return nil
	}
	return s.browser.Node(n)
}

func (s *Server) formInput(_ context.Context, args arguments) (*mcp.CallToolResult, error) {
	id := args.str("ref")
	value, given := args.values["value"]
	switch {
	case args.str("tabId") == "":
	case id == "":
		return fail("Error: ref is required"), nil
	case !given:
		return fail("Error: value is required"), nil
	}
	p, err := s.page(args, "Form input error")
	if err != nil {
		return nil, err
	}
	n := s.element(id)
	if n == nil {
		return fail("Error: Reference '%s' not found. Use read_page first to get element references (ref_N or backendNodeId).", id), nil
	}
	_, readonly := browser.Attr(n, "readonly")
	v := jsString(value)
	switch kind := browser.Type(n); {
	case p.Disabled(n):
		return fail("Error: Element is disabled. Enable it first or use javascript_tool to remove the disabled attribute."), nil
	case readonly && (n.Data == "input" || n.Data == "textarea"):
		return fail("Error: Element is readOnly. Use fill_form with keyboard input or javascript_tool to modify the value programmatically."), nil
	case kind == "checkbox" || kind == "radio":
		p.SetChecked(n, v == "true")
		return text("Set to %t", v == "true"), nil
	case n.Data == "select":
		for _, o := range p.Options(n) {
			if p.Value(o) == v || trim(browser.TextContent(o)) == v {
				p.Choose(n, o)
				return text("Selected \"%s\"", browser.TextContent(o)), nil
			}
		}
		return fail("Error: Option not found: %s", v), nil
	case n.Data == "input" || n.Data == "textarea":
		if why := browser.Typable(n, v); why != "" {
			return nil, s.refuse(why)
		}
		p.Active = n
		p.SetValue(n, v)
		return text("Set value to \"%s\"", v), nil
	case attr(n, "contenteditable") == "true":
		return nil, s.refuse("a contenteditable element")
	}
	return fail("Error: Element is not editable: %s", n.Data), nil
}

// fillForm fills fields in the order in which the caller gave them.
func (s *Server) fillForm(ctx context.Context, args arguments) (*mcp.CallToolResult, error) {
	fields, _ := args.values["fields"].(map[string]any)
	if args.str("tabId") != "" && len(fields) == 0 {
		return fail("Error: fields is required and must be a non-empty object"), nil
	}
	p, err := s.page(args, "Fill form error")
	if err != nil {
		return nil, err
	}
	var filled, faults []string
	known := formFields(p)
	for _, key := range args.keys("fields") {
		f := bestField(known, strings.ToLower(key))
		if f == nil {
			var names []string
			for _, k := range known {
				if shown := k.shown(); shown != "" {
					names = append(names, shown)
				}
			}
			faults = append(faults, `Could not find field matching "`+key+`". Available fields: [`+strings.Join(names, ", ")+`]`)
			continue
		}
		v := jsString(fields[key])
		if why := fill(p, f.node, v, args.truth("clear_first", true)); why != "" {
			return nil, s.refuse(why)
		}
		shown := cut(v, 50)
		if strings.Contains(strings.ToLower(key), "password") {
			shown = "***"
		}
		filled = append(filled, `  `+key+`: "`+shown+`" → ✓`)
	}
	submitted, delta := "", ""
	if query := args.str("submit"); query != "" && len(filled) > 0 {
		if b := submitButton(p, strings.ToLower(query)); b == nil {
			faults = append(faults, `Could not find submit button matching "`+query+`"`)
		} else if delta, err = s.click(ctx, b); err != nil {
			return nil, err
		} else {
			submitted = ", submitted"
		}
	}
	var lines []string
	if n := len(filled); n > 0 {
		plural := "s"
		if n == 1 {
			plural = ""
		}
		lines = append(append(lines, "✓ Filled "+strconv.Itoa(n)+" field"+plural+submitted), filled...)
	}
	if len(faults) > 0 {
		lines = append(lines, "Errors: "+strings.Join(faults, "; "))
	}
	result := text("%s", strings.Join(lines, "\n")+delta)
	result.IsError = len(filled) == 0
	return result, nil
}
