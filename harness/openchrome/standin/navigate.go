package standin

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/openchrome/bench/harness/openchrome/standin/browser"
)

const navigationTimeout = 30 * time.Second

func (s *Server) navigate(ctx context.Context, args arguments) (*mcp.CallToolResult, error) {
	url, tabID := args.str("url"), args.str("tabId")
	if w := args.str("workerId"); w != "" && w != "default" {
		return nil, s.refuse("another worker")
	}
	if args.truth("stealth", false) {
		return nil, s.refuse("stealth")
	}
	history := url == "back" || url == "forward"
	switch {
	case url == "":
		return fail("Error: url is required"), nil
	case tabID == "" && history:
		return fail("Error: tabId is required for back/forward navigation"), nil
	case tabID != "" && tabID != s.tabID:
		return fail("Error: Tab %s is no longer available", tabID), nil
	}
	result := object{{"action", "navigate"}}
	if history {
		result[0].value = url
		if url == "back" {
			s.browser.Back()
		} else {
			s.browser.Forward()
		}
		s.leave(nil)
	} else {
		if !strings.HasPrefix(url, "http://") && !strings.HasPrefix(url, "https://") {
			url = "https://" + url
		}
		to, err := browser.ParseURL(url, nil)
		if err != nil {
			return fail("Error: Invalid URL format - %s", err), nil
		}
		if r, err := s.open(ctx, url, tabID); r != nil || err != nil {
			return r, err
		}
		if p := s.browser.Page(); p.URL.Hostname() != to.Hostname() && login.MatchString(p.URL.Path) {
			return s.loginPage(p, url, tabID), nil
		}
	}
	p := s.browser.Page()
	result = append(result, field{"url", p.URL.String()}, field{"title", p.Title()})
	switch {
	case tabID != "":
	case s.tabID == "":
		s.tabs++
		s.tabID = fmt.Sprintf("%032X", s.tabs)
		result = append(result, field{"tabId", s.tabID}, field{"workerId", "default"}, field{"created", true})
	default:
		result = append(result, field{"tabId", s.tabID}, field{"workerId", "default"}, field{"reused", true})
	}
	result = append(result, field{"elementCount", p.Elements()}, field{"visualSummary", visualSummary(p)})
	return text("%s", stringify(result)), nil
}

// open loads url. A result is an answer that ends the call; the error is the
// context's, or a refusal.
func (s *Server) open(ctx context.Context, url, tabID string) (*mcp.CallToolResult, error) {
	limited, cancel := context.WithTimeout(ctx, navigationTimeout)
	defer cancel()
	before := s.browser.Page()
	err := s.browser.Open(limited, url)
	s.leave(before)
	switch {
	case err == nil:
		return nil, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		if tabID == "" {
			return text("Navigation timed out — the page at %s did not finish loading within 30s. The page may still be loading. Try read_page to check if content is available, or retry navigation.", url), nil
		}
		return text("Navigation timed out — the page did not finish loading within 30s. The page may still be loading or the server may be unresponsive. Try read_page to check if content is available, or retry navigation."), nil
	}
	if _, ok := errors.AsType[*browser.NetError](err); !ok {
		return nil, err
	}
	if tabID != "" {
		return fail("Navigation error: %s", err), nil
	}
	if s.tabID == "" {
		s.browser.Forget()
	}
	return fail("Error creating tab: %s", err), nil
}

// leave drops the refs when the page is no longer before.
func (s *Server) leave(before *browser.Page) {
	if p := s.browser.Page(); before == nil || p == nil || p.Doc != before.Doc {
		clear(s.refs)
	}
}

// login is the path of a sign-in page. OpenChrome stops when a page of another
// host sends it to one.
var login = regexp.MustCompile(`(?i)/(login|signin|sign-in|auth|sso|oauth)`)

func (s *Server) loginPage(p *browser.Page, from, tabID string) *mcp.CallToolResult {
	result := object{{"action", "navigate"}, {"url", p.URL.String()}, {"title", p.Title()}}
	if tabID == "" {
		if s.tabID == "" {
			s.tabs++
			s.tabID = fmt.Sprintf("%032X", s.tabs)
		}
		result = append(result, field{"tabId", s.tabID}, field{"workerId", "default"})
	}
	return text("%s", stringify(append(result, field{"authRedirect", true}, field{"redirectedFrom", from}, field{"authRedirectHost", p.URL.Hostname()},
		field{"message", "ACTION_REQUIRED: Authentication redirect detected — page redirected from " + from + " to " + p.URL.String() +
			". The user must log in manually in their Chrome browser. Inform the user and wait for confirmation before retrying navigation. " +
			"Do NOT attempt to authenticate programmatically."})))
}

func (s *Server) tabsContext(_ context.Context, args arguments) (*mcp.CallToolResult, error) {
	tabs := []object{}
	if w := args.str("workerId"); s.tabID != "" && (w == "" || w == "default") {
		p := s.browser.Page()
		tabs = append(tabs, object{{"tabId", s.tabID}, {"workerId", "default"}, {"url", p.URL.String()}, {"title", p.Title()}})
	}
	worker := object{{"id", "default"}, {"name", "Default Worker"}, {"tabCount", len(tabs)}}
	result := object{{"sessionId", "default"}}
	if !args.truth("summary", false) {
		worker = append(worker, field{"tabs", tabs})
		result = append(result, field{"defaultWorkerId", "default"})
	}
	return text("%s", pretty(append(result, field{"workerCount", 1}, field{"tabCount", len(tabs)}, field{"workers", []object{worker}}))), nil
}
