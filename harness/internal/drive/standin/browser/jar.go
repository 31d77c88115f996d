package browser

import (
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"
)

// soon is the longest duration of an episode. A cookie that expires earlier may be gone
// when a request needs it.
const soon = 10 * time.Minute

// SetCookies implements [http.CookieJar]. We need it because the jar of net/http/cookiejar
// (Go 1.26) does not return the domains and paths of its cookies, and a tool reports them.
// A cookie for more than one host, or with rules that this browser does not know, puts the
// session in doubt.
func (b *Browser) SetCookies(u *url.URL, cookies []*http.Cookie) {
	for _, c := range cookies {
		if c.MaxAge > 0 {
			c.Expires = time.Now().Add(time.Duration(c.MaxAge) * time.Second)
		}
		ends := time.Until(c.Expires)
		if c.Domain != "" || c.SameSite == http.SameSiteStrictMode || strings.HasPrefix(c.Name, "__") || c.Secure && u.Scheme != "https" || 0 < ends && ends < soon {
			b.Refuse("the cookie " + c.String())
		}
		c.Domain = u.Hostname()
		if !strings.HasPrefix(c.Path, "/") {
			c.Path = path.Dir(u.Path)
		}
		b.DeleteCookie(c.Name, c.Domain, c.Path)
		if c.MaxAge >= 0 && (c.Expires.IsZero() || ends > 0) {
			b.cookies = append(b.cookies, c)
		}
	}
}

// Cookies implements [http.CookieJar].
func (b *Browser) Cookies(u *url.URL) (found []*http.Cookie) {
	for _, c := range b.cookies {
		below := u.Path == c.Path || strings.HasPrefix(u.Path, strings.TrimSuffix(c.Path, "/")+"/")
		if c.Domain == u.Hostname() && below && (!c.Secure || u.Scheme == "https") {
			found = append(found, c)
		}
	}
	slices.SortStableFunc(found, func(a, b *http.Cookie) int { return len(b.Path) - len(a.Path) })
	return found
}

// DeleteCookie removes the cookie of this name, domain and path, if there is one.
func (b *Browser) DeleteCookie(name, domain, path string) {
	b.cookies = slices.DeleteFunc(b.cookies, func(c *http.Cookie) bool { return c.Name == name && c.Domain == domain && c.Path == path })
}
