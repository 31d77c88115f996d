package standin

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/dlclark/regexp2/v2"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/openchrome/bench/harness/openchrome/standin/browser"
)

// waitFor answers at once: what does not hold now will not hold later, since
// nothing on a page changes by itself. Only the type timeout waits.
func (s *Server) waitFor(ctx context.Context, args arguments) (*mcp.CallToolResult, error) {
	kind, value := args.str("type"), args.str("value")
	if args.str("tabId") != "" && kind == "" {
		return fail("Error: type is required"), nil
	}
	p, err := s.page(args, "Wait error")
	if err != nil {
		return nil, err
	}
	needs := map[string]string{"selector": "CSS selector", "selector_hidden": "CSS selector", "function": "JavaScript function", "url_match": "URL pattern"}[kind]
	if needs != "" && value == "" {
		return fail("Error: value (%s) is required for %s type", needs, kind), nil
	}
	limit := args.num("timeout", 30000)
	result := object{{"action", "wait_for"}, {"type", kind}}
	met := func(message string, fields ...field) (*mcp.CallToolResult, error) {
		return text("%s", stringify(append(append(result, fields...), field{"message", message}))), nil
	}
	switch kind {
	case "selector", "selector_hidden":
		visible := args.truth("visible", false)
		n, err := p.First(p.Doc, value)
		if u, ok := err.(browser.Unsupported); ok {
			return nil, s.refuse("the selector " + string(u))
		}
		switch {
		case err != nil: // Chromium retries an invalid selector until the time is up
		case kind == "selector_hidden" && (n == nil || !p.Visible(n)):
			return met(fmt.Sprintf(`Element "%s" hidden/removed after 0ms`, value), field{"selector", value}, field{"elapsed", 0})
		case kind == "selector" && n != nil && (!visible || p.Visible(n)):
			return met(fmt.Sprintf(`Element "%s" found after 0ms`, value), field{"selector", value}, field{"visible", visible}, field{"elapsed", 0})
		}
	case "function":
		v, err := s.evaluate(ctx, p, value, time.Duration(limit)*time.Millisecond)
		if err == nil && v.truthy {
			return met("Function returned truthy after 0ms", field{"elapsed", 0})
		}
		if err != nil && !v.thrown {
			return nil, err
		}
	case "url_match":
		if urlMatches(value, p.URL.String()) {
			return met(fmt.Sprintf(`URL matched pattern "%s" after 0ms`, value), field{"pattern", value}, field{"url", p.URL.String()},
				field{"title", p.Title()}, field{"elapsed", 0})
		}
	case "navigation":
		return fail("%s", stringify(append(result, field{"error", "timeout"}, field{"message", "Wait timed out after " + jsString(limit) + "ms"},
			field{"recoverable", true}, field{"hint", "Navigation timeout — the page may be partially loaded. Try read_page to check available content."}))), nil
	case "timeout":
		ms := 1000
		if value != "" {
			if ms, err = strconv.Atoi(strings.TrimSpace(value)); err != nil || ms < 0 {
				return fail("Error: value must be a valid positive number for timeout type"), nil
			}
		}
		if ms > 60000 {
			return fail("Error: timeout value cannot exceed 60000ms (1 minute)"), nil
		}
		if err := sleep(ctx, time.Duration(ms)*time.Millisecond); err != nil {
			return nil, err
		}
		return met(fmt.Sprintf("Waited %dms", ms), field{"delay", ms})
	default:
		return fail("Error: Unknown type \"%s\". Use: selector, selector_hidden, function, navigation, url_match, or timeout", kind), nil
	}
	return fail("%s", stringify(append(result, field{"error", "timeout"}, field{"message", "Wait timed out after " + jsString(limit) + "ms"}))), nil
}

// urlMatches treats pattern as a regular expression, and as a plain part of
// the URL when it is none.
func urlMatches(pattern, url string) bool {
	re, err := regexp2.Compile(pattern, regexp2.ECMAScript)
	if err != nil {
		return strings.Contains(url, pattern)
	}
	re.MatchTimeout = time.Second
	ok, err := re.MatchString(url)
	return ok && err == nil
}
