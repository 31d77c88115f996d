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

// NetError is the error of a navigation that failed in the network. It is Chromium's name
// for the error, for instance net::ERR_NAME_NOT_RESOLVED.
type NetError string

func (e NetError) Error() string { return string(e) }

// failed turns the error of a RoundTripper into Chromium's error. It refuses errors that it
// does not know.
func (b *Browser) failed(err error) error {
	_, dns := errors.AsType[*net.DNSError](err)
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case dns:
		return NetError("net::ERR_NAME_NOT_RESOLVED")
	case errors.Is(err, syscall.ECONNREFUSED):
		return NetError("net::ERR_CONNECTION_REFUSED")
	}
	if op, ok := errors.AsType[*net.OpError](err); ok {
		err = op.Err // without the ports, which differ from run to run
	}
	return b.Refuse("a request that fails with: " + err.Error())
}

// errURL is the error for a URL that Chromium rejects.
var errURL = errors.New("invalid URL")

// Resolve reads a URL relative to base and returns it in Chromium's form: host in lower
// case, no default port, a path of at least "/". It is stricter than a browser: see
// [url.Parse]. If the scheme is not http or https, it returns the URL unchanged, without a
// host.
func Resolve(base *url.URL, raw string) (*url.URL, error) {
	ref, err := url.Parse(strings.TrimSpace(raw))
	if err != nil {
		return nil, errURL
	}
	u := base.ResolveReference(ref)
	u.Fragment, u.RawFragment = ref.Fragment, ref.RawFragment
	port, web := map[string]string{"http": ":80", "https": ":443"}[u.Scheme]
	switch {
	case !web:
		return &url.URL{Scheme: u.Scheme, Opaque: strings.TrimPrefix(raw, u.Scheme+":")}, nil
	case u.Hostname() == "":
		return nil, errURL
	}
	u.Host = strings.TrimSuffix(strings.ToLower(u.Host), port)
	u.Path = cmp.Or(u.Path, "/")
	u.RawQuery = unescaped.ReplaceAllStringFunc(u.RawQuery, url.PathEscape)
	return u, nil
}

// unescaped are the characters in a query that a browser escapes and net/url does not.
var unescaped = regexp.MustCompile(`[^!-~]|["'<>]`)

// withoutFragment returns u without its fragment, as a server sees it.
func withoutFragment(u *url.URL) string {
	before, _, _ := strings.Cut(u.String(), "#")
	return before
}
