package browser

import (
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"
)

// SetCookies implements [http.CookieJar], since that of net/http does not tell
// the attributes of its cookies. Only cookies for one host are taken.
func (b *Browser) SetCookies(u *url.URL, cookies []*http.Cookie) {
	for _, c := range cookies {
		if c.Domain != "" {
			b.Refuse("a cookie with a Domain")
		}
		c.Domain = u.Hostname()
		if !strings.HasPrefix(c.Path, "/") {
			c.Path = path.Dir(u.Path)
		}
		b.DeleteCookie(c.Name, c.Domain, c.Path)
		if c.MaxAge > 0 || c.MaxAge == 0 && (c.Expires.IsZero() || c.Expires.After(time.Now())) {
			b.cookies = append(b.cookies, c)
		}
	}
}

// Cookies implements [http.CookieJar].
func (b *Browser) Cookies(u *url.URL) (found []*http.Cookie) {
	for _, c := range b.cookies {
		below := strings.HasPrefix(u.Path+"/", strings.TrimSuffix(c.Path, "/")+"/")
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
