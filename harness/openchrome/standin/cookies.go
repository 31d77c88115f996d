package standin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"
)

var authCookie = regexp.MustCompile(`(?i)^(session|token|jwt|csrf|auth|sid|ssid|connect\.sid|__Host-|__Secure-|XSRF|_csrf)`)

func (s *Server) cookies(_ context.Context, args arguments) (string, error) {
	action, name := args.str("action"), args.str("name")
	p, err := s.page(args, "Cookie error", "action")
	if err != nil {
		return "", err
	}
	if name == "" && action == "delete" {
		return "", errors.New("Error: name is required for delete action")
	}
	jar := s.browser.Jar
	result := object{{"action", action}}
	switch action {
	case "get":
		return listCookies(p.URL, jar.List(p.URL), name, arg(args, "raw", false)), nil
	case "set":
		return "", s.browser.Refuse("setting a cookie")
	case "delete":
		jar.Delete(p.URL, name, args.str("domain"), cmp.Or(args.str("path"), "/"))
		result = append(result, field{"name", name}, field{"message", fmt.Sprintf("Cookie %q deleted", name)})
	case "clear":
		found := jar.List(p.URL)
		for _, c := range found {
			jar.Delete(p.URL, c.Name, c.Domain, c.Path)
		}
		result = append(result, field{"clearedCount", len(found)}, field{"message", fmt.Sprintf("Cleared %d cookies", len(found))})
	default:
		return "", fmt.Errorf("Error: Unknown action \"%s\". Use: get, set, delete, or clear", action)
	}
	return stringify(result), nil
}

// listCookies shows cookies as OpenChrome sorts them: those that sign one in
// with all they have, the others by name and value.
func listCookies(u *url.URL, found []*http.Cookie, name string, raw bool) string {
	all, auth, functional := []object{}, []object{}, []object{}
	for _, c := range found {
		full := attributes(u, c)
		all = append(all, full)
		switch {
		case c.Name == name:
			return stringify(object{{"action", "get"}, {"cookie", full}})
		case authCookie.MatchString(c.Name):
			auth = append(auth, full)
		default:
			functional = append(functional, object{{"name", c.Name}, {"value", c.Value}, {"domain", c.Domain}})
		}
	}
	switch {
	case name != "":
		return stringify(object{{"action", "get"}, {"cookie", nil}, {"message", fmt.Sprintf("Cookie %q not found", name)}})
	case raw:
		return stringify(object{{"action", "get"}, {"cookies", all}, {"count", len(all)}})
	}
	var sections []string
	if len(auth) > 0 {
		sections = append(sections, fmt.Sprintf("Auth cookies (%d):\n%s", len(auth), pretty(auth)))
	}
	if len(functional) > 0 {
		sections = append(sections, fmt.Sprintf("Functional cookies (%d):\n%s", len(functional), pretty(functional)))
	}
	return cmp.Or(strings.Join(sections, "\n\n"), "No cookies found")
}

// attributes is a cookie as Chromium's protocol lists it.
func attributes(u *url.URL, c *http.Cookie) object {
	expires, session, source := any(-1), true, "NonSecure"
	switch {
	case c.MaxAge > 0:
		expires, session = time.Now().Unix()+int64(c.MaxAge), false
	case !c.Expires.IsZero():
		expires, session = c.Expires.Unix(), false
	}
	if u.Scheme == "https" {
		source = "Secure"
	}
	o := object{{"name", c.Name}, {"value", c.Value}, {"domain", c.Domain}, {"path", c.Path}, {"expires", expires}, {"size", len(c.Name) + len(c.Value)},
		{"httpOnly", c.HttpOnly}, {"secure", c.Secure}, {"session", session}}
	if same := map[http.SameSite]string{http.SameSiteLaxMode: "Lax", http.SameSiteStrictMode: "Strict", http.SameSiteNoneMode: "None"}[c.SameSite]; same != "" {
		o = append(o, field{"sameSite", same})
	}
	return append(o, field{"priority", "Medium"}, field{"sourceScheme", source})
}
