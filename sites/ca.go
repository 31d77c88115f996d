package sites

import (
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
	"math/big"
	"net"
	"sync"
	"time"
)

// A CA signs the certificates of the fixture hosts. It is made for one run,
// has an ECDSA P-256 key, and is valid from an hour before it was made (clocks
// differ) for a week. It is safe for concurrent use.
type CA struct {
	cert   *x509.Certificate
	key    *ecdsa.PrivateKey
	ticket [32]byte // of TLS session tickets; shared by all sessions

	mu     sync.Mutex
	leaves map[string]*tls.Certificate
}

const caLife = 7 * 24 * time.Hour

// NewCA makes a CA. Where hosts are given it can vouch for these (and names
// below them) and nothing else: who trusts it gives away no more than that.
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
	return newCA(der, key)
}

func newCA(der []byte, key *ecdsa.PrivateKey) (*CA, error) {
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, fmt.Errorf("fixture CA: %w", err)
	}
	if pub, ok := cert.PublicKey.(*ecdsa.PublicKey); !ok || !pub.Equal(key.Public()) {
		return nil, errors.New("fixture CA: the key is not that of the certificate")
	}
	ca := &CA{cert: cert, key: key, leaves: make(map[string]*tls.Certificate)}
	rand.Read(ca.ticket[:])
	return ca, nil
}

// DER returns the CA's certificate in DER.
func (c *CA) DER() []byte { return c.cert.Raw }

// PEM returns the CA's certificate in PEM.
func (c *CA) PEM() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.cert.Raw})
}

// SPKI returns the base64 of the SHA-256 of the CA's public key, as Chromium's
// --ignore-certificate-errors-spki-list takes it.
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

// OpenCA opens what [CA.Marshal] made.
func OpenCA(data []byte) (*CA, error) {
	var cert []byte
	var key *ecdsa.PrivateKey
	for block, rest := pem.Decode(data); block != nil; block, rest = pem.Decode(rest) {
		switch block.Type {
		case "CERTIFICATE":
			cert = block.Bytes
		case "PRIVATE KEY":
			k, err := x509.ParsePKCS8PrivateKey(block.Bytes)
			if err != nil {
				return nil, fmt.Errorf("fixture CA: %w", err)
			}
			key, _ = k.(*ecdsa.PrivateKey)
		}
	}
	if cert == nil || key == nil {
		return nil, errors.New("fixture CA: want a CERTIFICATE and an ECDSA PRIVATE KEY in PEM")
	}
	return newCA(cert, key)
}

// TLSConfig returns a server's configuration for the hosts of s: HTTP/1.1,
// a certificate for each host, made when it is first asked for. A client that
// names no host, or one that is not in s, gets a TLS alert. Certificates and
// session tickets are shared by all configurations of the CA.
func (c *CA) TLSConfig(s *Set) *tls.Config {
	cfg := &tls.Config{
		MinVersion: tls.VersionTLS12,
		NextProtos: []string{"http/1.1"},
		// Without the post-quantum exchange, which takes longer than all the rest.
		CurvePreferences: []tls.CurveID{tls.CurveP256, tls.X25519},
		GetCertificate: func(h *tls.ClientHelloInfo) (*tls.Certificate, error) {
			return c.leaf(hostOf(h.ServerName))
		},
		GetConfigForClient: func(h *tls.ClientHelloInfo) (*tls.Config, error) {
			// Here and not in GetCertificate, which a resumed session skips.
			// A configuration with no certificate answers unrecognized_name.
			if !s.Has(hostOf(h.ServerName)) {
				return &tls.Config{}, nil
			}
			return nil, nil
		},
	}
	cfg.SetSessionTicketKeys([][32]byte{c.ticket})
	return cfg
}

// leaf returns the certificate of a host.
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
	serial := make([]byte, 16)
	rand.Read(serial)
	serial[0] &= 0x7f // RFC 5280: positive, at most 20 octets
	template := &x509.Certificate{
		SerialNumber: new(big.Int).SetBytes(serial),
		Subject:      pkix.Name{CommonName: commonName(host)},
		DNSNames:     []string{host},
		NotBefore:    c.cert.NotBefore,
		NotAfter:     c.cert.NotAfter,
		KeyUsage:     x509.KeyUsageDigitalSignature,
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, c.cert, key.Public(), c.key)
	if err != nil {
		return nil, fmt.Errorf("make the certificate of %s: %w", host, err)
	}
	// With the CA's own: Chromium looks for a pinned key (SPKI) only in what it
	// was sent.
	l := &tls.Certificate{Certificate: [][]byte{der, c.cert.Raw}, PrivateKey: key}
	if l.Leaf, err = x509.ParseCertificate(der); err != nil {
		return nil, fmt.Errorf("certificate of %s: %w", host, err)
	}
	c.leaves[host] = l
	return l, nil
}

// commonName is host where it fits into the 64 characters of RFC 5280.
func commonName(host string) string {
	if len(host) > 64 {
		return "fixture host"
	}
	return host
}
