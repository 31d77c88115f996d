package standin

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/openchrome/bench/harness/openchrome/standin/browser"
)

// ErrNameNotResolved is what a RoundTripper answers, wrapped or not, for a
// host that has no address. The browser reports it as
// net::ERR_NAME_NOT_RESOLVED.
var ErrNameNotResolved = browser.ErrNameNotResolved

// tickets are the TLS sessions made with the roots that were last asked for.
var tickets struct {
	sync.Mutex
	roots *x509.CertPool
	cache tls.ClientSessionCache
}

func ticketsOf(roots *x509.CertPool) tls.ClientSessionCache {
	tickets.Lock()
	defer tickets.Unlock()
	if tickets.cache == nil || tickets.roots != roots {
		tickets.roots, tickets.cache = roots, tls.NewLRUClientSessionCache(64)
	}
	return tickets.cache
}

// Transport returns a RoundTripper that sends every http request to httpAddr
// and every https request to httpsAddr (each host:port), under the host name
// of the request. It trusts roots for https. A host for which resolves answers
// false, and every host when the address for its scheme is empty, fails with
// [ErrNameNotResolved]. A port in a URL other than the scheme's own is refused
// as a closed port would be.
//
// Transports with the same roots share their TLS sessions, up to version 1.2: a
// full handshake would be most of a session's first request.
//
// The result is an *http.Transport underneath: it has CloseIdleConnections,
// and the caller should call that when it is done. Idle connections close by
// themselves after 10 seconds.
func Transport(httpAddr, httpsAddr string, roots *x509.CertPool, resolves func(host string) bool) http.RoundTripper {
	dialer := net.Dialer{Timeout: 10 * time.Second}
	return &http.Transport{
		TLSClientConfig:     &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12, MaxVersion: tls.VersionTLS12, ClientSessionCache: ticketsOf(roots)},
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
