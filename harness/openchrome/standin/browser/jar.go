package browser

import (
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/publicsuffix"
)

// Cookie is one stored cookie. Domain starts with a dot unless the cookie is
// for one host only. Expires is zero for a session cookie.
type Cookie struct {
	Name, Value, Domain, Path string
	Expires                   time.Time
	HTTPOnly, Secure          bool
	SameSite                  string // Strict, Lax, None or empty
	SecureSource              bool   // set over https
	seq                       int
}

// Jar stores cookies by the rules of RFC 6265bis that Chromium keeps: public
// suffixes, Secure and name prefixes. SameSite is stored, not enforced. The
// zero value is an empty jar.
type Jar struct {
	cookies []Cookie
	seq     int
}

// For lists the cookies that a request to u carries, in the order of the
// Cookie header: longer paths first, then older ones.
func (j *Jar) For(u *URL) []Cookie {
	now, host := time.Now(), u.Hostname()
	j.cookies = slices.DeleteFunc(j.cookies, func(c Cookie) bool { return !c.Expires.IsZero() && !c.Expires.After(now) })
	var out []Cookie
	for _, c := range j.cookies {
		if domainMatch(host, c.Domain) && pathMatch(u.Path, c.Path) && (!c.Secure || u.Scheme == "https" || host == "localhost") {
			out = append(out, c)
		}
	}
	slices.SortStableFunc(out, func(a, b Cookie) int {
		if d := len(b.Path) - len(a.Path); d != 0 {
			return d
		}
		return a.seq - b.seq
	})
	return out
}

// Set stores c, replaces the cookie of the same name, domain and path, or
// deletes it when c has expired.
func (j *Jar) Set(c Cookie) {
	j.seq++
	c.seq = j.seq
	for i, old := range j.cookies {
		if old.Name == c.Name && old.Domain == c.Domain && old.Path == c.Path {
			c.seq = old.seq
			j.cookies = slices.Delete(j.cookies, i, i+1)
			break
		}
	}
	if now := time.Now(); c.Expires.IsZero() || c.Expires.After(now) {
		if limit := now.Add(400 * 24 * time.Hour); c.Expires.After(limit) {
			c.Expires = limit
		}
		j.cookies = append(j.cookies, c)
	}
}

// Delete removes the cookie with this name, domain (with or without its dot)
// and path.
func (j *Jar) Delete(name, domain, path string) {
	j.cookies = slices.DeleteFunc(j.cookies, func(c Cookie) bool {
		return c.Name == name && strings.TrimPrefix(c.Domain, ".") == strings.TrimPrefix(domain, ".") && c.Path == path
	})
}

// receive stores what a response of u set.
func (j *Jar) receive(u *url.URL, h http.Header) {
	for _, line := range h["Set-Cookie"] {
		c, err := http.ParseSetCookie(line)
		if err != nil || c.Name == "" {
			continue
		}
		n := Cookie{Name: c.Name, Value: c.Value, Path: c.Path, HTTPOnly: c.HttpOnly, Secure: c.Secure, SecureSource: u.Scheme == "https", Domain: u.Hostname()}
		if !strings.HasPrefix(n.Path, "/") {
			n.Path = defaultPath(u.Path)
		}
		if d := strings.ToLower(strings.TrimPrefix(c.Domain, ".")); d != "" {
			if suffix, _ := publicsuffix.PublicSuffix(d); suffix == d && d != u.Hostname() || !domainMatch(u.Hostname(), "."+d) {
				continue
			} else if suffix != d && net.ParseIP(d) == nil {
				n.Domain = "." + d
			}
		}
		switch c.SameSite {
		case http.SameSiteStrictMode:
			n.SameSite = "Strict"
		case http.SameSiteLaxMode:
			n.SameSite = "Lax"
		case http.SameSiteNoneMode:
			n.SameSite = "None"
		}
		lower := strings.ToLower(n.Name)
		switch {
		case n.Secure && u.Scheme != "https" && u.Hostname() != "localhost",
			n.SameSite == "None" && !n.Secure,
			strings.HasPrefix(lower, "__secure-") && !n.Secure,
			strings.HasPrefix(lower, "__host-") && (!n.Secure || n.Path != "/" || strings.HasPrefix(n.Domain, ".")):
			continue
		}
		switch {
		case c.MaxAge < 0:
			n.Expires = time.Unix(1, 0)
		case c.MaxAge > 0:
			n.Expires = time.Now().Add(time.Duration(c.MaxAge) * time.Second)
		case !c.Expires.IsZero():
			n.Expires = c.Expires
		}
		j.Set(n)
	}
}

func domainMatch(host, domain string) bool {
	return host == domain || strings.HasPrefix(domain, ".") && (host == domain[1:] || strings.HasSuffix(host, domain))
}

func pathMatch(path, prefix string) bool {
	return path == prefix || strings.HasPrefix(path, prefix) && (strings.HasSuffix(prefix, "/") || path[len(prefix)] == '/')
}

func defaultPath(p string) string {
	if i := strings.LastIndexByte(p, '/'); i > 0 {
		return p[:i]
	}
	return "/"
}
