package standin

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/openchrome/bench/harness/openchrome/standin/browser"
)

const (
	navigationTimeout = 30 * time.Second
	onlyTab           = "00000000000000000000000000000001"
)

// login is the path of a sign-in page. OpenChrome stops when a page of another
// host sends it to one.
var login = regexp.MustCompile(`(?i)/(login|signin|sign-in|auth|sso|oauth)`)

func (s *Server) navigate(ctx context.Context, args arguments) (string, error) {
	url, tabID := args.str("url"), args.str("tabId")
	back, forward := url == "back", url == "forward"
	if w := args.str("workerId"); w != "" && w != "default" || arg(args, "stealth", false) {
		return "", s.browser.Refuse("another worker, or stealth")
	}
	switch {
	case url == "":
		return "", errors.New("Error: url is required")
	case tabID == "" && (back || forward):
		return "", errors.New("Error: tabId is required for back/forward navigation")
	case tabID != "" && tabID != s.tabID:
		return "", fmt.Errorf("Error: Tab %s is no longer available", tabID)
	case back:
		s.browser.Back()
	case forward:
		s.browser.Forward()
	default:
		if !strings.HasPrefix(url, "http://") && !strings.HasPrefix(url, "https://") {
			url = "https://" + url
		}
		to, err := browser.ParseURL(url)
		if err != nil {
			return "", fmt.Errorf("Error: Invalid URL format - %w", err)
		}
		if answer, err := s.open(ctx, url, tabID); answer != "" || err != nil {
			return answer, err
		}
		if p := s.browser.Page(); p.URL.Hostname() != to.Hostname() && login.MatchString(p.URL.Path) {
			return "", s.browser.Refuse("a redirect to the sign-in page of another host")
		}
	}
	s.forget()
	p, action := s.browser.Page(), "navigate"
	if back || forward {
		action = url
	}
	result := object{{"action", action}, {"url", p.URL.String()}, {"title", p.Title()}}
	if tabID == "" {
		created := field{"created", true}
		if s.tabID != "" {
			created = field{"reused", true}
		}
		s.tabID = onlyTab
		result = append(result, field{"tabId", s.tabID}, field{"workerId", "default"}, created)
	}
	return stringify(append(result, field{"elementCount", p.Elements()}, field{"visualSummary",
		fmt.Sprintf("[Page State] url: %s | title: \"%s\" | scroll: 0/1080 (0%%)", p.URL, cut(p.Title(), 60)) + headings(p, `%s: "%s"`)})), nil
}

// open loads url. A text is an answer that ends the call.
func (s *Server) open(ctx context.Context, url, tabID string) (string, error) {
	limited, cancel := context.WithTimeout(ctx, navigationTimeout)
	defer cancel()
	err := s.browser.Open(limited, url)
	_, network := errors.AsType[*browser.NetError](err)
	switch {
	case errors.Is(err, context.DeadlineExceeded) && !network:
		return "Navigation timed out — the page did not finish loading within 30s. The page may still be loading or the server may be unresponsive. Try read_page to check if content is available, or retry navigation.", nil
	case network && tabID != "":
		s.forget()
		return "", fmt.Errorf("Navigation error: %w at %s", err, url)
	case network && s.tabID == "":
		s.browser.Forget()
		fallthrough
	case network:
		return "", fmt.Errorf("Error creating tab: %w at %s", err, url)
	}
	return "", err
}

// forget drops the refs: the page that they name things of is gone.
func (s *Server) forget() {
	clear(s.refs)
	clear(s.numbers)
}

func (s *Server) tabsContext(_ context.Context, args arguments) (string, error) {
	tabs := []object{}
	if w := args.str("workerId"); s.tabID != "" && (w == "" || w == "default") {
		p := s.browser.Page()
		tabs = append(tabs, object{{"tabId", s.tabID}, {"workerId", "default"}, {"url", p.URL.String()}, {"title", p.Title()}})
	}
	worker := object{{"id", "default"}, {"name", "Default Worker"}, {"tabCount", len(tabs)}}
	if !arg(args, "summary", false) {
		worker = append(worker, field{"tabs", tabs})
	}
	return pretty(object{{"sessionId", "default"}, {"defaultWorkerId", "default"}, {"workerCount", 1}, {"tabCount", len(tabs)}, {"workers", []object{worker}}}), nil
}
