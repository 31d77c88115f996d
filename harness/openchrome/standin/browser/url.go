package browser

import (
	"errors"
	"net/url"
	"strings"

	"golang.org/x/net/idna"
)

var errInvalidURL = errors.New("Invalid URL")

// URL is a URL as a browser holds it: unlike url.URL it knows "page#" from
// "page". Of what the URL standard allows it lacks percent-encoded dot
// segments and hosts, and bare "|", "^" and stray "%" in paths.
type URL struct {
	url.URL
	hash bool // ends in "#"
}

func (u *URL) String() string {
	if u.hash {
		return u.URL.String() + "#"
	}
	return u.URL.String()
}

// ParseURL reads an absolute http or https URL, or one relative to base when
// base is not nil, and brings it into the form that Chromium shows: host in
// lower case, no default port, a path of at least "/", and spaces, quotes and
// non-ASCII characters percent-encoded. URLs of other schemes are returned as
// they were written.
func ParseURL(raw string, base *URL) (*URL, error) {
	raw = strings.Trim(raw, "\x00\x01\x02\x03\x04\x05\x06\x07\x08\t\n\v\f\r\x0e\x0f\x1b ")
	raw = strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(raw)
	if scheme, rest, ok := strings.Cut(raw, ":"); ok && isScheme(scheme) {
		switch scheme = strings.ToLower(scheme); {
		case scheme != "http" && scheme != "https":
			return &URL{URL: url.URL{Scheme: scheme, Opaque: rest}}, nil
		case base != nil && scheme == base.Scheme && strings.Trim(rest[:min(2, len(rest))], `/\`) != "" || base != nil && scheme == base.Scheme && rest == "":
			raw = rest // "http:page" is relative, an old rule that pages still use
		default:
			raw = scheme + "://" + strings.TrimLeft(rest, `/\`)
		}
	} else if base == nil {
		return nil, errInvalidURL
	}
	u, err := url.Parse(escape(raw))
	if err != nil {
		return nil, errInvalidURL
	}
	fragment, raws := u.Fragment, u.RawFragment
	if base != nil {
		u = base.ResolveReference(u)
	}
	u.Fragment, u.RawFragment = fragment, raws
	if u, err = canonical(u); err != nil {
		return nil, err
	}
	return &URL{*u, fragment == "" && strings.Contains(raw, "#")}, nil
}

func canonical(u *url.URL) (*url.URL, error) {
	host, err := idna.Lookup.ToASCII(strings.ToLower(u.Hostname()))
	if err != nil && !strings.Contains(u.Hostname(), "_") {
		host = strings.ToLower(u.Hostname())
		if strings.ContainsAny(host, " %<>^|") {
			return nil, errInvalidURL
		}
	}
	if host == "" {
		return nil, errInvalidURL
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if p := u.Port(); len(p) > 5 || len(p) == 5 && p > "65535" {
		return nil, errInvalidURL
	} else if p != "" && !(u.Scheme == "http" && p == "80") && !(u.Scheme == "https" && p == "443") {
		host += ":" + p
	}
	u.Host = host
	if u.Path == "" {
		u.Path = "/"
	}
	if strings.Contains(u.Path, "/.") { // dot segments of an absolute URL
		u = u.ResolveReference(&url.URL{Path: u.Path, RawPath: u.RawPath, RawQuery: u.RawQuery, ForceQuery: u.ForceQuery, Fragment: u.Fragment, RawFragment: u.RawFragment})
	}
	return u, nil
}

func isScheme(s string) bool {
	for i, r := range s {
		letter := r|0x20 >= 'a' && r|0x20 <= 'z'
		if !letter && (i == 0 || !(r >= '0' && r <= '9' || r == '+' || r == '-' || r == '.')) {
			return false
		}
	}
	return s != ""
}

// escape percent-encodes what the URL standard encodes in a path, a query or
// a fragment, so that net/url, which is stricter, takes what browsers take.
func escape(raw string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	part := 0 // path, query, fragment
	for i := 0; i < len(raw); i++ {
		c := raw[i]
		enc := c <= ' ' || c >= 0x7f || c == '"' || c == '<' || c == '>'
		switch {
		case part == 0 && c == '?':
			part = 1
		case part < 2 && c == '#':
			part = 2
		case part == 0 && c == '\\':
			c = '/'
		case c == '%' && (i+2 >= len(raw) || !isHex(raw[i+1]) || !isHex(raw[i+2])):
			enc = part != 1 // net/url minds a stray % everywhere but in a query
		case part == 0:
			enc = enc || c == '^' || c == '`' || c == '{' || c == '}'
		case part == 1:
			enc = enc || c == '\''
		case part == 2:
			enc = enc || c == '`'
		}
		if enc {
			b.WriteByte('%')
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f'
}

// sameDocument reports whether going from a to b is a fragment navigation.
func sameDocument(a, b *URL) bool {
	x, y := a.URL, b.URL
	x.Fragment, x.RawFragment, y.Fragment, y.RawFragment = "", "", "", ""
	return x.String() == y.String()
}
