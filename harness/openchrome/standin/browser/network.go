package browser

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/url"
	"regexp"
	"strings"
	"syscall"
)

// NetError is a navigation that failed at the network.
type NetError struct {
	code string // Chromium's word for it, for instance net::ERR_NAME_NOT_RESOLVED
	err  error
}

func (e *NetError) Error() string { return e.code }
func (e *NetError) Unwrap() error { return e.err }

// failed words the error of a RoundTripper. One that is not known is refused.
func (b *Browser) failed(err error) error {
	code := ""
	var dns *net.DNSError
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.As(err, &dns):
		code = "NAME_NOT_RESOLVED"
	case errors.Is(err, syscall.ECONNREFUSED):
		code = "CONNECTION_REFUSED"
	default:
		return b.Refuse("a request that ends so: " + err.Error())
	}
	return &NetError{"net::ERR_" + code, err}
}

// invalidURL is the error of a URL that Chromium refuses, in its words.
type invalidURL struct{}

func (invalidURL) Error() string { return "Invalid URL" }

// Resolve reads a URL relative to base, as Chromium shows it: host in lower
// case, no default port, a path of at least "/". It is stricter than a
// browser: see [url.Parse]. One of a scheme that is not http comes back as it
// was written, without a host.
func Resolve(base *url.URL, raw string) (*url.URL, error) {
	ref, err := url.Parse(strings.TrimSpace(raw))
	if err != nil {
		return nil, invalidURL{}
	}
	u := base.ResolveReference(ref)
	u.Fragment, u.RawFragment = ref.Fragment, ref.RawFragment
	port, web := map[string]string{"http": ":80", "https": ":443"}[u.Scheme]
	switch {
	case !web:
		return &url.URL{Scheme: u.Scheme, Opaque: strings.TrimPrefix(raw, u.Scheme+":")}, nil
	case u.Hostname() == "":
		return nil, invalidURL{}
	}
	u.Host = strings.TrimSuffix(strings.ToLower(u.Host), port)
	u.Path = cmp.Or(u.Path, "/")
	u.RawQuery = unescaped.ReplaceAllStringFunc(u.RawQuery, url.PathEscape)
	return u, nil
}

// unescaped is what a browser escapes in a query and net/url leaves as it is.
var unescaped = regexp.MustCompile(`[^!-~]|["'<>]`)

// withoutFragment is what u asks a server for.
func withoutFragment(u *url.URL) string {
	before, _, _ := strings.Cut(u.String(), "#")
	return before
}
