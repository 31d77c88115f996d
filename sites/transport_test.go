package sites_test

import (
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"syscall"
	"testing"

	"github.com/openchrome/bench/sites"
)

func TestTransport(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "hello "+r.Host+r.URL.Path) }))
	defer server.Close()
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	resolves := func(host string) bool { return host == "example.com" || host == "other.test" }
	for _, row := range []struct {
		name, url string
		roots     *x509.CertPool
		want      string
		as        func(error) bool
	}{
		{"listed", "https://example.com/x", roots, "hello example.com/x", nil},
		{"in capitals", "https://EXAMPLE.com/x", roots, "hello EXAMPLE.com/x", nil},
		{"not listed", "https://nope.test/", roots, "", is[*net.DNSError]},
		{"no address for http", "http://example.com/", roots, "", is[*net.DNSError]},
		{"another port", "https://example.com:8443/", roots, "", func(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }},
		{"not in the certificate", "https://other.test/", roots, "", is[x509.HostnameError]},
		{"unknown authority", "https://example.com/", x509.NewCertPool(), "", is[x509.UnknownAuthorityError]},
	} {
		t.Run(row.name, func(t *testing.T) {
			rt := sites.Transport("", server.Listener.Addr().String(), row.roots, resolves)
			defer rt.CloseIdleConnections()
			res, err := (&http.Client{Transport: rt}).Get(row.url)
			if err != nil {
				if row.as == nil || !row.as(err) {
					t.Errorf("Get = %v", err)
				}
				return
			}
			defer res.Body.Close()
			if got, err := io.ReadAll(res.Body); string(got) != row.want || err != nil {
				t.Errorf("Get = %q, %v; want %q", got, err, row.want)
			}
		})
	}
}

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}
