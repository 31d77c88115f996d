package standin

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"slices"
)

// special are names of cookies that OpenChrome lists differently: it lists cookies for
// sign-in with all their attributes, and only counts tracking cookies.
var special = regexp.MustCompile(`(?i)^(session|token|jwt|csrf|auth|sid|ssid|connect\.sid|__Host-|__Secure-|XSRF|_csrf|` +
	`_ga|_gid|_fb[pc]|__utm|NID|IDE|DSID|S?APISID|HSID|__gads|_gcl|_pin|_tt_|hubspot|_hj|_cl[cs]k|mp_|ajs_|amplitude|optimizely|fr$|tr$)`)

func (s *Server) cookies(_ context.Context, args arguments) (string, error) {
	action := args.str("action")
	p, err := s.page(args, "Cookie error", "action")
	if err != nil {
		return "", err
	}
	found := s.browser.Cookies(p.URL)
	switch action {
	case "get":
		if args.str("name") != "" || arg(args, "raw", false) || slices.ContainsFunc(found, func(c *http.Cookie) bool { return special.MatchString(c.Name) }) {
			return "", s.browser.Refuse("cookies with name or raw, or with a cookie for sign-in or tracking")
		}
		var list []object
		for _, c := range found {
			list = append(list, object{{"name", c.Name}, {"value", c.Value}, {"domain", c.Domain}})
		}
		if len(list) == 0 {
			return "No cookies found", nil
		}
		return fmt.Sprintf("Functional cookies (%d):\n%s", len(list), pretty(list)), nil
	case "clear":
		for _, c := range found {
			s.browser.DeleteCookie(c.Name, c.Domain, c.Path)
		}
		return stringify(object{{"action", action}, {"clearedCount", len(found)}, {"message", fmt.Sprintf("Cleared %d cookies", len(found))}}), nil
	}
	return "", s.browser.Refuse("cookies with action " + action)
}
