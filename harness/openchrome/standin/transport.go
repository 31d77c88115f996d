package standin

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"

	"github.com/openchrome/bench/harness/openchrome/standin/browser"
)

// ErrNameNotResolved is what a RoundTripper answers, wrapped or not, for a
// host that has no address. The browser reports it as
// net::ERR_NAME_NOT_RESOLVED.
var ErrNameNotResolved = browser.ErrNameNotResolved

// Transport returns a RoundTripper that sends every http request to httpAddr
// and every https request to httpsAddr (each host:port), under the host name
// of the request. It trusts roots for https. A host for which resolves answers
// false, and every host when the address for its scheme is empty, fails with
// [ErrNameNotResolved]. A port in a URL other than the scheme's own is refused
// as a closed port would be.
//
// The result is an *http.Transport underneath: it has CloseIdleConnections,
// and the caller should call that when it is done. Idle connections close by
// themselves after 10 seconds. A caller that makes many gives them one TLS
// session cache: a full handshake is most of a session's first request, also
// with TLS 1.2, the cheapest to resume.
func Transport(httpAddr, httpsAddr string, roots *x509.CertPool, resolves func(host string) bool) http.RoundTripper {
	dialer := net.Dialer{Timeout: 10 * time.Second}
	return &http.Transport{
		TLSClientConfig:     &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12, MaxVersion: tls.VersionTLS12},
		DisableCompression:  true,
		MaxIdleConnsPerHost: 4,
		IdleConnTimeout:     10 * time.Second,
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			host, port, err := net.SplitHostPort(addr)
			if err != nil {
				return nil, err
			}
			if resolves != nil && !resolves(strings.ToLower(host)) {
				return nil, ErrNameNotResolved
			}
			var to string
			switch port {
			case "80":
				to = httpAddr
			case "443":
				to = httpsAddr
			default:
				return nil, syscall.ECONNREFUSED
			}
			if to == "" {
				return nil, ErrNameNotResolved
			}
			return dialer.DialContext(ctx, network, to)
		},
	}
}
