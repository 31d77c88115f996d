package serve_test

import (
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/web/serve"
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
			rt := serve.Transport("", server.Listener.Addr().String(), row.roots, resolves)
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

func TestTransportFromEnv(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Host) }))
	defer server.Close()
	ca := filepath.Join(t.TempDir(), "ca.pem")
	empty := filepath.Join(t.TempDir(), "empty")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	need.OK(t, errors.Join(os.WriteFile(ca, block, 0o600), os.WriteFile(empty, nil, 0o600)))
	env := map[string]string{serve.HTTPSEnv: server.Listener.Addr().String(), serve.CAEnv: ca, serve.HostsEnv: "shop.test, EXAMPLE.com"}
	rt, err := serve.TransportFromEnv(func(name string) string { return env[name] })
	need.OK(t, err)
	defer rt.CloseIdleConnections()
	for url, fails := range map[string]func(error) bool{
		"https://example.com/": nil, "https://nope.test/": is[*net.DNSError], "https://shop.test/": is[x509.HostnameError], "http://shop.test/": is[*net.DNSError],
	} {
		res, err := (&http.Client{Transport: rt}).Get(url)
		if err == nil {
			res.Body.Close()
		}
		if fails == nil && err != nil || fails != nil && (err == nil || !fails(err)) {
			t.Errorf("%s: %v", url, err)
		}
	}
	for _, file := range []string{empty, ca + ".none"} {
		if _, err := serve.TransportFromEnv(func(name string) string { return map[string]string{serve.CAEnv: file}[name] }); err == nil || !strings.HasPrefix(err.Error(), serve.CAEnv+": ") {
			t.Errorf("with the CA file %s: %v", file, err)
		}
	}
}

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}
