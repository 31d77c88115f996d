package serve

import (
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/openchrome/bench/harness/internal/need"
)

func newTestCA(t testing.TB, hosts ...string) *CA {
	t.Helper()
	ca, err := NewCA(hosts...)
	need.OK(t, err)
	return ca
}

// client returns a client that trusts ca alone and finds every host at s.
func client(t testing.TB, ca *CA, s *Server) *http.Client {
	t.Helper()
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(ca.PEM()) {
		t.Fatal("PEM holds no certificate")
	}
	tr := &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: roots},
		DialContext:     dialTo(s),
	}
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

func get(t testing.TB, c *http.Client, url string) (int, string, error) {
	t.Helper()
	r, err := c.Get(url)
	if err != nil {
		return 0, "", err
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	need.OK(t, err)
	return r.StatusCode, string(b), nil
}

func TestCAVerifies(t *testing.T) {
	s := open(t)
	made := newTestCA(t, s.Hosts()...)
	marshalled, err := made.Marshal()
	need.OK(t, err)
	opened, err := OpenCA(marshalled)
	need.OK(t, err)
	for name, ca := range map[string]*CA{"made": made, "opened": opened, "without constraints": newTestCA(t)} {
		srv := serve(t, s.NewWeb(), ca)
		trusted := ca
		if name == "opened" {
			trusted = made
		}
		c := client(t, trusted, srv)
		for _, host := range s.Hosts() {
			if status, _, err := get(t, c, "https://"+host+"/"); err != nil || status >= 500 {
				t.Errorf("%s: https://%s/ = %d, %v", name, host, status, err)
			}
		}
		if _, _, err := get(t, client(t, newTestCA(t), srv), "https://example.com/"); err == nil {
			t.Errorf("%s: verified with another CA", name)
		} else if _, ok := errors.AsType[x509.UnknownAuthorityError](err); !ok {
			t.Errorf("%s: another CA: %v", name, err)
		}
	}
}

func TestUnknownSNI(t *testing.T) {
	s := open(t)
	ca := newTestCA(t, s.Hosts()...)
	srv := serve(t, s.NewWeb(), ca)
	for _, host := range []string{"other.test", "x.example.com", ""} {
		c, err := tls.Dial("tcp", srv.HTTPSAddr(), &tls.Config{ServerName: host, InsecureSkipVerify: true})
		if err == nil {
			c.Close()
			t.Errorf("server name %q was served", host)
		} else if !strings.Contains(err.Error(), "unrecognized name") {
			t.Errorf("server name %q: %v, want unrecognized name", host, err)
		}
	}
	c, err := tls.Dial("tcp", srv.HTTPSAddr(), &tls.Config{ServerName: "example.com", InsecureSkipVerify: true})
	need.OK(t, err)
	defer c.Close()
	// Chromium finds a pinned CA only in the chain that it is sent.
	if chain := c.ConnectionState().PeerCertificates; len(chain) != 2 || !chain[1].Equal(ca.cert) {
		t.Errorf("%d certificates sent, want the leaf's and the CA's", len(chain))
	}
	if p := c.ConnectionState().NegotiatedProtocol; p != "" {
		t.Errorf("protocol %q without asking for one", p)
	}
}

// A connection made for one host does not serve another.
func TestMisdirected(t *testing.T) {
	s := open(t)
	ca := newTestCA(t)
	srv := serve(t, s.NewWeb(), ca)
	r, err := http.NewRequest("GET", "https://example.com/", nil)
	need.OK(t, err)
	r.Host = "shop.test"
	res, err := client(t, ca, srv).Do(r)
	need.OK(t, err)
	defer res.Body.Close()
	need.Is(t, "status", http.StatusMisdirectedRequest, res.StatusCode)
}

// With name constraints a stolen CA key is worth nothing for other hosts.
func TestCAConstraints(t *testing.T) {
	ca := newTestCA(t, "example.com")
	roots := x509.NewCertPool()
	roots.AddCert(ca.cert)
	for host, want := range map[string]bool{"example.com": true, "other.test": false, "www.example.com": true, "aexample.com": false} {
		chain, err := ca.leaf(host)
		need.OK(t, err)
		leaf, err := x509.ParseCertificate(chain.Certificate[0])
		need.OK(t, err)
		_, err = leaf.Verify(x509.VerifyOptions{Roots: roots, DNSName: host})
		if (err == nil) != want {
			t.Errorf("%s: verified %v, want %v (%v)", host, err == nil, want, err)
		}
	}
}

func TestCAFields(t *testing.T) {
	ca := newTestCA(t)
	if age := time.Since(ca.cert.NotBefore); age < time.Hour || age > time.Hour+time.Minute {
		t.Errorf("valid since %v, want an hour", age)
	}
	if life := ca.cert.NotAfter.Sub(ca.cert.NotBefore); life != 7*24*time.Hour {
		t.Errorf("valid for %v, want a week", life)
	}
	cert, err := x509.ParseCertificate(ca.DER())
	need.OK(t, err)
	der, err := x509.MarshalPKIXPublicKey(cert.PublicKey)
	need.OK(t, err)
	sum := sha256.Sum256(der)
	need.Is(t, "SPKI", base64.StdEncoding.EncodeToString(sum[:]), ca.SPKI())
}

func TestOpenCAFaults(t *testing.T) {
	one, err := newTestCA(t).Marshal()
	need.OK(t, err)
	two := newTestCA(t)
	for name, data := range map[string]string{
		"empty":       "",
		"cert alone":  string(two.PEM()),
		"other's key": string(two.PEM()) + string(one[strings.Index(string(one), "-----BEGIN PRIVATE"):]),
		"bad key":     string(two.PEM()) + "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
	} {
		if _, err := OpenCA([]byte(data)); err == nil || !strings.HasPrefix(err.Error(), "fixture CA: ") {
			t.Errorf("%s: error %v, want one that begins with fixture CA", name, err)
		}
	}
}
