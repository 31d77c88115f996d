package serve

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/openchrome/bench/harness/internal/text/regular"
)

// A server given as a command line finds its fixture web in these environment variables.
const (
	HTTPEnv  = "OPENCHROME_BENCH_WEB_HTTP"  // host:port that serves http for all fixture hosts
	HTTPSEnv = "OPENCHROME_BENCH_WEB_HTTPS" // host:port that serves https for all fixture hosts
	CAEnv    = "OPENCHROME_BENCH_WEB_CA"    // PEM file with the CA to trust
	HostsEnv = "OPENCHROME_BENCH_WEB_HOSTS" // the fixture hosts, separated by commas; no others resolve
)

// TransportFromEnv returns the [Transport] for the web that the environment names. If a
// variable is missing, the address, the trusted CA or the hosts are missing too. An error
// means that the CA file cannot be used.
func TransportFromEnv(getenv func(string) string) (*http.Transport, error) {
	roots := x509.NewCertPool()
	if file := getenv(CAEnv); file != "" {
		pem, err := regular.Read(file, 1<<20)
		if err == nil && !roots.AppendCertsFromPEM(pem) {
			err = errors.New(file + " holds no PEM certificate")
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", CAEnv, err)
		}
	}
	hosts := strings.FieldsFunc(strings.ToLower(getenv(HostsEnv)), func(r rune) bool { return r == ',' || r == ' ' })
	return Transport(getenv(HTTPEnv), getenv(HTTPSEnv), roots, func(host string) bool { return slices.Contains(hosts, host) }), nil
}

// Transport returns a RoundTripper for a client of a fixture web: it sends every http
// request to httpAddr and every https request to httpsAddr (each host:port), under the host
// name of the request. It trusts roots for https. A request fails with a [net.DNSError] if
// resolves returns false for its host, or if the address for its scheme is empty. A port
// other than the default of the scheme is refused like a closed port.
//
// The caller should call CloseIdleConnections at the end; idle connections close by
// themselves after 10 seconds. Several transports should share one TLS session cache,
// because a full handshake takes most of the time of a session's first request. TLS 1.2 is
// the version that resumes fastest.
func Transport(httpAddr, httpsAddr string, roots *x509.CertPool, resolves func(host string) bool) *http.Transport {
	addrs := map[string]string{"80": httpAddr, "443": httpsAddr}
	return &http.Transport{
		TLSClientConfig:     &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12, MaxVersion: tls.VersionTLS12},
		DisableCompression:  true,
		MaxIdleConnsPerHost: 4,
		IdleConnTimeout:     10 * time.Second,
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			host, port, err := net.SplitHostPort(addr)
			to, known := addrs[port]
			switch {
			case err != nil:
				return nil, err
			case !resolves(strings.ToLower(host)) || known && to == "":
				return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
			case !known:
				return nil, syscall.ECONNREFUSED
			}
			return new(net.Dialer).DialContext(ctx, network, to)
		},
	}
}
