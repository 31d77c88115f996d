package serve

import (
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
	"fmt"
	"net"
	"strings"
	"sync"
	"time"

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
