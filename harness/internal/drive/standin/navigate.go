package standin

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/openchrome/bench/harness/internal/drive/standin/browser"
)

const (
	navigationTimeout = 30 * time.Second
	onlyTab           = "00000000000000000000000000000001"
	timedOut          = "Navigation timed out — the page did not finish loading within 30s. The page may still be loading or the server may be unresponsive. Try read_page to check if content is available, or retry navigation."
)

// login matches the path of a sign-in page. OpenChrome stops when a redirect
// leads to the sign-in page of another host.
var login = regexp.MustCompile(`(?i)/(login|signin|sign-in|auth|sso|oauth)`)

func (s *Server) navigate(ctx context.Context, args arguments) (string, error) {
	to, tabID := args.str("url"), args.str("tabId")
	action, by := "navigate", map[string]int{"back": -1, "forward": 1}[to]
	switch w := args.str("workerId"); {
	case w != "" && w != "default" || arg(args, "stealth", false):
		return "", s.browser.Refuse("another worker, or stealth")
	case to == "":
		return "", answers("Error: url is required")
	case tabID == "" && by != 0:
		return "", answers("Error: tabId is required for back/forward navigation")
	case tabID != "" && tabID != s.tabID:
		return "", answers("Error: Tab %s is no longer available", tabID)
	case by != 0:
		action = to
		if err := s.browser.Move(by); err != nil {
			return "", err
		}
	default:
		if answer, err := s.open(ctx, to, tabID); answer != "" || err != nil {
			return answer, err
		}
	}
	s.forget()
	p := s.browser.Page()
	result := object{{"action", action}, {"url", p.URL.String()}, {"title", p.Title()}}
	if tabID == "" {
		created := field{"created", true}
		if s.tabID != "" {
			created = field{"reused", true}
		}
		s.tabID = onlyTab
		result = append(result, field{"tabId", s.tabID}, field{"workerId", "default"}, created)
	}
	return stringify(append(result, field{"elementCount", p.Size()}, field{"visualSummary", pageState(p)})), nil
}

// open loads a URL. If the text is not empty, it is the answer of the call.
func (s *Server) open(ctx context.Context, to, tabID string) (string, error) {
	if !strings.HasPrefix(to, "http://") && !strings.HasPrefix(to, "https://") {
		to = "https://" + to
	}
	u, err := browser.Resolve(&url.URL{}, to)
	if err != nil {
		return "", answers("Error: Invalid URL format - Invalid URL")
	}
	limited, cancel := context.WithTimeout(ctx, navigationTimeout)
	defer cancel()
	err = s.browser.Open(limited, u)
	_, network := errors.AsType[browser.NetError](err)
	switch {
	case network:
		s.forget()
		if s.tabID == "" { // OpenChrome closes the new tab after an error
			s.browser.Forget()
		}
		return "", fmt.Errorf("%s: %w at %s", map[bool]string{true: "Error creating tab", false: "Navigation error"}[tabID == ""], err, to)
	case errors.Is(err, context.DeadlineExceeded) && tabID == "":
		return "", s.browser.Refuse("a navigation without tabId that takes 30s")
	case errors.Is(err, context.DeadlineExceeded):
		return timedOut, nil
	case err != nil:
		return "", err
	}
	if p := s.browser.Page(); p.URL.Hostname() != u.Hostname() && login.MatchString(p.URL.Path) {
		return "", s.browser.Refuse("a redirect to the sign-in page of another host")
	}
	return "", nil
}

func (s *Server) tabsContext(_ context.Context, args arguments) (string, error) {
	if w := args.str("workerId"); w != "" && w != "default" {
		return "", s.browser.Refuse("another worker")
	}
	tabs := []object{}
	if s.tabID != "" {
		p := s.browser.Page()
		tabs = append(tabs, object{{"tabId", s.tabID}, {"workerId", "default"}, {"url", p.URL.String()}, {"title", p.Title()}})
	}
	worker := object{{"id", "default"}, {"name", "Default Worker"}, {"tabCount", len(tabs)}}
	if !arg(args, "summary", false) {
		worker = append(worker, field{"tabs", tabs})
	}
	return pretty(object{{"sessionId", "default"}, {"defaultWorkerId", "default"}, {"workerCount", 1}, {"tabCount", len(tabs)}, {"workers", []object{worker}}}), nil
}
