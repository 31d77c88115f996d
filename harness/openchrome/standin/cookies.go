package standin

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/openchrome/bench/harness/openchrome/standin/browser"
)

var (
	authCookie     = regexp.MustCompile(`(?i)^(session|token|jwt|csrf|auth|sid|ssid|connect\.sid|__Host-|__Secure-|XSRF|_csrf)`)
	trackingCookie = regexp.MustCompile(`(?i)^(_ga|_gid|_gat|_fbp|_fbc|__utm|NID|IDE|DSID|APISID|SAPISID|HSID|__gads|_gcl|_pin|_tt_|hubspot|_hj|_clck|_clsk|mp_|ajs_|amplitude|optimizely|fr$|tr$)`)
)

func (s *Server) cookies(_ context.Context, args arguments) (*mcp.CallToolResult, error) {
	action, name := args.str("action"), args.str("name")
	if args.str("tabId") != "" && action == "" {
		return fail("Error: action is required"), nil
	}
	p, err := s.page(args, "Cookie error")
	if err != nil {
		return nil, err
	}
	jar := &s.browser.Jar
	found := jar.For(p.URL)
	domain, path := cmp.Or(args.str("domain"), p.URL.Hostname()), cmp.Or(args.str("path"), "/")
	if name == "" && (action == "set" || action == "delete") {
		return fail("Error: name is required for %s action", action), nil
	}
	result := object{{"action", action}}
	switch action {
	case "get":
		return listCookies(found, name, args.truth("raw", false)), nil
	case "set":
		value, ok := args.values["value"]
		if !ok {
			return fail("Error: value is required for set action"), nil
		}
		c := browser.Cookie{Name: name, Value: jsString(value), Path: path, Domain: domain, Secure: args.truth("secure", false),
			HTTPOnly: args.truth("httpOnly", false), SameSite: args.str("sameSite"), SecureSource: p.URL.Scheme == "https"}
		shown := object{{"name", name}, {"value", c.Value}, {"domain", domain}, {"path", path}}
		for _, key := range []string{"secure", "httpOnly", "sameSite", "expires"} {
			if v, ok := args.values[key]; ok {
				shown = append(shown, field{key, v})
			}
		}
		if at := args.num("expires", -1); at >= 0 {
			c.Expires = time.Unix(int64(at), 0)
		}
		jar.Set(c)
		result = append(result, field{"cookie", shown}, field{"message", fmt.Sprintf("Cookie %q set successfully", name)})
	case "delete":
		jar.Delete(name, domain, path)
		result = append(result, field{"name", name}, field{"message", fmt.Sprintf("Cookie %q deleted", name)})
	case "clear":
		for _, c := range found {
			jar.Delete(c.Name, c.Domain, c.Path)
		}
		result = append(result, field{"clearedCount", len(found)}, field{"message", fmt.Sprintf("Cleared %d cookies", len(found))})
	default:
		return fail("Error: Unknown action \"%s\". Use: get, set, delete, or clear", action), nil
	}
	return text("%s", stringify(result)), nil
}

func listCookies(found []browser.Cookie, name string, raw bool) *mcp.CallToolResult {
	all, auth, functional := []object{}, []object{}, []object{}
	tracking, order := map[string]int{}, []string{}
	for _, c := range found {
		full := attributes(c)
		if c.Name == name && name != "" {
			return text("%s", stringify(object{{"action", "get"}, {"cookie", full}}))
		}
		all = append(all, full)
		switch {
		case authCookie.MatchString(c.Name):
			auth = append(auth, full)
		case trackingCookie.MatchString(c.Name):
			if tracking[c.Domain] == 0 {
				order = append(order, c.Domain)
			}
			tracking[c.Domain]++
		default:
			functional = append(functional, object{{"name", c.Name}, {"value", c.Value}, {"domain", c.Domain}})
		}
	}
	if name != "" {
		return text("%s", stringify(object{{"action", "get"}, {"cookie", nil}, {"message", fmt.Sprintf("Cookie %q not found", name)}}))
	}
	if raw {
		return text("%s", stringify(object{{"action", "get"}, {"cookies", all}, {"count", len(all)}}))
	}
	var sections []string
	if len(auth) > 0 {
		sections = append(sections, fmt.Sprintf("Auth cookies (%d):\n%s", len(auth), pretty(auth)))
	}
	if len(functional) > 0 {
		sections = append(sections, fmt.Sprintf("Functional cookies (%d):\n%s", len(functional), pretty(functional)))
	}
	if len(order) > 0 {
		total, parts := 0, []string{}
		for _, d := range order {
			total += tracking[d]
			parts = append(parts, fmt.Sprintf("%s: %d", d, tracking[d]))
		}
		sections = append(sections, fmt.Sprintf("Tracking cookies: %d total (%s)", total, strings.Join(parts, ", ")))
	}
	return text("%s", cmp.Or(strings.Join(sections, "\n\n"), "No cookies found"))
}

// attributes is a cookie as Chromium's protocol lists it.
func attributes(c browser.Cookie) object {
	expires, source := any(-1), "NonSecure"
	if !c.Expires.IsZero() {
		expires = float64(c.Expires.UnixMicro()) / 1e6
	}
	if c.SecureSource {
		source = "Secure"
	}
	o := object{{"name", c.Name}, {"value", c.Value}, {"domain", c.Domain}, {"path", c.Path}, {"expires", expires}, {"size", len(c.Name) + len(c.Value)},
		{"httpOnly", c.HTTPOnly}, {"secure", c.Secure}, {"session", c.Expires.IsZero()}}
	if c.SameSite != "" {
		o = append(o, field{"sameSite", c.SameSite})
	}
	return append(o, field{"priority", "Medium"}, field{"sourceScheme", source})
}
