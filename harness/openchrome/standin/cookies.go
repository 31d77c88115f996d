package standin

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
)

var authCookie = regexp.MustCompile(`(?i)^(session|token|jwt|csrf|auth|sid|ssid|connect\.sid|__Host-|__Secure-|XSRF|_csrf)`)

// tracking are names that OpenChrome only counts.
var tracking = regexp.MustCompile(`(?i)^(_ga|_gid|_fb[pc]|__utm|NID|IDE|DSID|S?APISID|HSID|__gads|_gcl|_pin|_tt_|hubspot|_hj|_cl[cs]k|mp_|ajs_|amplitude|optimizely|fr$|tr$)`)

func (s *Server) cookies(_ context.Context, args arguments) (string, error) {
	action, name := args.str("action"), args.str("name")
	p, err := s.page(args, "Cookie error", "action")
	if err != nil {
		return "", err
	}
	found := s.browser.Cookies(p.URL)
	switch action {
	case "get":
		if name != "" || arg(args, "raw", false) || slices.ContainsFunc(found, func(c *http.Cookie) bool { return tracking.MatchString(c.Name) }) {
			return "", s.browser.Refuse("cookies with name or raw, or with one that tracks")
		}
		return listCookies(p.URL, found), nil
	case "delete":
		if name == "" {
			return "", answers("Error: name is required for delete action")
		}
		s.browser.DeleteCookie(name, cmp.Or(args.str("domain"), p.URL.Hostname()), cmp.Or(args.str("path"), "/"))
		return stringify(object{{"action", action}, {"name", name}, {"message", fmt.Sprintf("Cookie %q deleted", name)}}), nil
	case "clear":
		for _, c := range found {
			s.browser.DeleteCookie(c.Name, c.Domain, c.Path)
		}
		return stringify(object{{"action", action}, {"clearedCount", len(found)}, {"message", fmt.Sprintf("Cleared %d cookies", len(found))}}), nil
	case "set":
		return "", s.browser.Refuse("setting a cookie")
	}
	return "", answers("Error: Unknown action \"%s\". Use: get, set, delete, or clear", action)
}

// listCookies shows cookies as OpenChrome sorts them: those that sign one in
// with all they have, the others by name and value.
func listCookies(u *url.URL, found []*http.Cookie) string {
	var auth, functional []object
	for _, c := range found {
		full := attributes(u, c)
		if authCookie.MatchString(c.Name) {
			auth = append(auth, full)
		} else {
			functional = append(functional, full[:3])
		}
	}
	var sections []string
	for i, list := range [][]object{auth, functional} {
		if len(list) > 0 {
			sections = append(sections, fmt.Sprintf("%s cookies (%d):\n%s", []string{"Auth", "Functional"}[i], len(list), pretty(list)))
		}
	}
	return cmp.Or(strings.Join(sections, "\n\n"), "No cookies found")
}

// attributes is a cookie as Chromium's protocol lists it.
func attributes(u *url.URL, c *http.Cookie) object {
	expires := int64(-1)
	if c.MaxAge > 0 {
		expires = time.Now().Unix() + int64(c.MaxAge)
	} else if !c.Expires.IsZero() {
		expires = c.Expires.Unix()
	}
	o := object{{"name", c.Name}, {"value", c.Value}, {"domain", c.Domain}, {"path", c.Path}, {"expires", expires}, {"size", len(c.Name) + len(c.Value)},
		{"httpOnly", c.HttpOnly}, {"secure", c.Secure}, {"session", expires < 0}}
	if same := map[http.SameSite]string{http.SameSiteLaxMode: "Lax", http.SameSiteStrictMode: "Strict", http.SameSiteNoneMode: "None"}[c.SameSite]; same != "" {
		o = append(o, field{"sameSite", same})
	}
	return append(o, field{"priority", "Medium"}, field{"sourceScheme", map[string]string{"http": "NonSecure", "https": "Secure"}[u.Scheme]})
}
