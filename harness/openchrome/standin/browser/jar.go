package browser

import (
	"cmp"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"path"
	"slices"
	"strings"

	"golang.org/x/net/publicsuffix"
)

// Jar is a [cookiejar.Jar] that remembers the attributes of its cookies.
type Jar struct {
	*cookiejar.Jar
	set []*http.Cookie // as they were set, newest first
}

func newJar() *Jar {
	jar, err := cookiejar.New(&cookiejar.Options{PublicSuffixList: publicsuffix.List})
	if err != nil {
		panic("standin: " + err.Error()) // it has no way to fail
	}
	return &Jar{Jar: jar}
}

// SetCookies implements [http.CookieJar].
func (j *Jar) SetCookies(u *url.URL, cookies []*http.Cookie) {
	j.Jar.SetCookies(u, cookies)
	for _, c := range cookies {
		full := *c
		full.Domain = u.Hostname()
		if c.Domain != "" {
			full.Domain = "." + strings.ToLower(strings.TrimPrefix(c.Domain, "."))
		}
		if !strings.HasPrefix(c.Path, "/") {
			full.Path = path.Dir(cmp.Or(u.Path, "/"))
		}
		j.set = slices.Insert(j.set, 0, &full)
	}
}

// List is Cookies with all attributes. A Domain starts with a dot unless the
// cookie is for one host only.
func (j *Jar) List(u *url.URL) []*http.Cookie {
	found := j.Cookies(u)
	for i, c := range found {
		for _, full := range j.set {
			if full.Name == c.Name && full.Value == c.Value && strings.HasSuffix("."+u.Hostname(), full.Domain) {
				found[i] = full
				break
			}
		}
	}
	return found
}

// Delete removes the cookie of u with this name, domain (with or without its
// dot) and path.
func (j *Jar) Delete(u *url.URL, name, domain, path string) {
	j.Jar.SetCookies(u, []*http.Cookie{{Name: name, Domain: strings.TrimPrefix(domain, "."), Path: path, MaxAge: -1}})
}
