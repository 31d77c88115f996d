package serve

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/openchrome/bench/harness/internal/text/regular"
	"github.com/openchrome/bench/harness/internal/web"
)

// A CA signs the certificates of the fixture hosts of one run. It has an ECDSA
// P-256 key and is valid for a week. The week begins an hour before the CA is
// made, because clocks differ. A CA is safe for concurrent use.
type CA struct {
	cert   *x509.Certificate
	key    crypto.PrivateKey
	ticket [32]byte // key for TLS session tickets, shared by all sessions

	mu     sync.Mutex
	leaves map[string]*tls.Certificate
}

const caLife = 7 * 24 * time.Hour

// NewCA makes a CA. If there are hosts, the CA can sign only certificates for these hosts
// and the names below them. So it is safe to trust it.
func NewCA(hosts ...string) (*CA, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make the key of the fixture CA: %w", err)
	}
	from := time.Now().Add(-time.Hour)
	template := &x509.Certificate{
		Subject:               pkix.Name{CommonName: "openchrome-bench fixture web"},
		NotBefore:             from,
		NotAfter:              from.Add(caLife),
		KeyUsage:              x509.KeyUsageCertSign,
		BasicConstraintsValid: true,
		IsCA:                  true,
		MaxPathLenZero:        true,
	}
	if len(hosts) > 0 {
		template.PermittedDNSDomainsCritical = true
		template.PermittedDNSDomains = hosts
		template.ExcludedIPRanges = []*net.IPNet{
			{IP: net.IPv4zero.To4(), Mask: net.CIDRMask(0, 32)},
			{IP: net.IPv6zero, Mask: net.CIDRMask(0, 128)},
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, fmt.Errorf("make the certificate of the fixture CA: %w", err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, fmt.Errorf("fixture CA: %w", err)
	}
	return newCA(cert, key), nil
}

func newCA(cert *x509.Certificate, key crypto.PrivateKey) *CA {
	ca := &CA{cert: cert, key: key, leaves: make(map[string]*tls.Certificate)}
	rand.Read(ca.ticket[:])
	return ca
}

// DER returns the CA's certificate in DER.
func (c *CA) DER() []byte { return c.cert.Raw }

// PEM returns the CA's certificate in PEM.
func (c *CA) PEM() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.cert.Raw})
}

// SPKI returns the base64 of the SHA-256 of the CA's public key, in the form that
// Chromium's --ignore-certificate-errors-spki-list needs.
func (c *CA) SPKI() string {
	sum := sha256.Sum256(c.cert.RawSubjectPublicKeyInfo)
	return base64.StdEncoding.EncodeToString(sum[:])
}

// Marshal returns the CA with its private key, in PEM, for [OpenCA].
func (c *CA) Marshal() ([]byte, error) {
	der, err := x509.MarshalPKCS8PrivateKey(c.key)
	if err != nil {
		return nil, fmt.Errorf("fixture CA: %w", err)
	}
	return append(c.PEM(), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})...), nil
}

// OpenCA opens the output of [CA.Marshal].
func OpenCA(data []byte) (*CA, error) {
	pair, err := tls.X509KeyPair(data, data)
	if err != nil {
		return nil, fmt.Errorf("fixture CA: %w", err)
	}
	return newCA(pair.Leaf, pair.PrivateKey), nil
}

// TLSConfig returns a server's configuration for the hosts of s: HTTP/1.1, and a
// certificate for each host, made on first use. A client that names no host, or a
// host that is not in s, gets a TLS alert. All configurations of the CA share
// certificates and session tickets.
func (c *CA) TLSConfig(s *web.Set) *tls.Config {
	cfg := &tls.Config{
		MinVersion: tls.VersionTLS12,
		NextProtos: []string{"http/1.1"},
		// The post-quantum key exchange would take longer than the rest of the handshake.
		CurvePreferences: []tls.CurveID{tls.CurveP256, tls.X25519},
		GetCertificate: func(h *tls.ClientHelloInfo) (*tls.Certificate, error) {
			return c.leaf(strings.ToLower(h.ServerName))
		},
		GetConfigForClient: func(h *tls.ClientHelloInfo) (*tls.Config, error) {
			// We cannot refuse in GetCertificate, because a resumed session skips it. A
			// configuration without a certificate answers with the alert unrecognized_name.
			if !s.Has(h.ServerName) {
				return &tls.Config{}, nil
			}
			return nil, nil
		},
	}
	cfg.SetSessionTicketKeys([][32]byte{c.ticket})
	return cfg
}

func (c *CA) leaf(host string) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if l := c.leaves[host]; l != nil {
		return l, nil
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make the key of %s: %w", host, err)
	}
	template := &x509.Certificate{
		DNSNames:    []string{host},
		NotBefore:   c.cert.NotBefore,
		NotAfter:    c.cert.NotAfter,
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, c.cert, key.Public(), c.key)
	if err != nil {
		return nil, fmt.Errorf("make the certificate of %s: %w", host, err)
	}
	// The chain includes the CA, because Chromium looks for a pinned key (SPKI) only in the
	// certificates that the server sends.
	l := &tls.Certificate{Certificate: [][]byte{der, c.cert.Raw}, PrivateKey: key}
	c.leaves[host] = l
	return l, nil
}

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
