package browser

import (
	"errors"
	"net/url"
	"regexp"
	"strings"
)

var errInvalidURL = errors.New("Invalid URL")

// ParseURL reads an absolute http or https URL and brings it into the form that
// Chromium shows: host in lower case, no default port, a path of at least "/".
// It is stricter than a browser: see [url.Parse].
func ParseURL(raw string) (*url.URL, error) {
	u, err := resolve(&url.URL{}, raw)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return nil, errInvalidURL
	}
	return u, nil
}

// resolve reads a URL relative to base. One of a scheme that is not http comes
// back as it was written.
func resolve(base *url.URL, raw string) (*url.URL, error) {
	ref, err := url.Parse(strings.TrimSpace(raw))
	if err != nil {
		return nil, errInvalidURL
	}
	u := base.ResolveReference(ref)
	u.Fragment, u.RawFragment = ref.Fragment, ref.RawFragment
	if u.Scheme != "http" && u.Scheme != "https" {
		return u, nil
	}
	if u.Hostname() == "" {
		return nil, errInvalidURL
	}
	u.Host = strings.ToLower(u.Host)
	if p := u.Port(); u.Scheme == "http" && p == "80" || u.Scheme == "https" && p == "443" {
		u.Host = strings.TrimSuffix(u.Host, ":"+p)
	}
	if u.Path == "" {
		u.Path = "/"
	}
	u.RawQuery = unescaped.ReplaceAllStringFunc(u.RawQuery, url.PathEscape)
	return u, nil
}

// unescaped is what a browser escapes in a query and net/url leaves as it is.
var unescaped = regexp.MustCompile(`[^!-~]|["'<>]`)

// withoutFragment is what u asks a server for.
func withoutFragment(u *url.URL) *url.URL {
	wire := *u
	wire.Fragment, wire.RawFragment = "", ""
	return &wire
}
