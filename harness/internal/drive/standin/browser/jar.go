package browser

import (
	"net/http"
	"net/url"
	"strings"
	"time"
)

// soon is the longest duration of an episode. A cookie that expires earlier may be gone
// when a request needs it.
const soon = 10 * time.Minute

// SetCookies implements [http.CookieJar]. A cookie for more than one host, or with rules that
// this browser does not know, puts the session in doubt.
func (b *Browser) SetCookies(u *url.URL, cookies []*http.Cookie) {
	for _, c := range cookies {
		ends := time.Until(c.Expires)
		if c.MaxAge > 0 {
			ends = time.Duration(c.MaxAge) * time.Second
		}
		if c.Domain != "" || c.SameSite == http.SameSiteStrictMode || strings.HasPrefix(c.Name, "__") || c.Secure && u.Scheme != "https" || 0 < ends && ends < soon {
			b.Refuse("the cookie " + c.String())
		}
	}
	b.CookieJar.SetCookies(u, cookies)
}
