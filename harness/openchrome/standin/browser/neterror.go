package browser

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"syscall"
)

// ErrNameNotResolved is the sentinel of a RoundTripper for a host without an
// address.
var ErrNameNotResolved = errors.New("name not resolved")

var errRedirects = errors.New("too many redirects")

// NetError is a navigation that failed at the network.
type NetError struct {
	Code string // Chromium's word for it, for instance net::ERR_NAME_NOT_RESOLVED
	Err  error  // what the transport said, or nil
}

func (e *NetError) Error() string { return e.Code }
func (e *NetError) Unwrap() error { return e.Err }

// netError words the error of a RoundTripper.
func netError(err error) error {
	code := "net::ERR_FAILED"
	var timeout net.Error
	var authority x509.UnknownAuthorityError
	var hostname x509.HostnameError
	var verification *tls.CertificateVerificationError
	switch {
	case errors.Is(err, ErrNameNotResolved):
		code = "net::ERR_NAME_NOT_RESOLVED"
	case errors.Is(err, errRedirects):
		code = "net::ERR_TOO_MANY_REDIRECTS"
	case errors.Is(err, syscall.ECONNREFUSED):
		code = "net::ERR_CONNECTION_REFUSED"
	case errors.As(err, &hostname):
		code = "net::ERR_CERT_COMMON_NAME_INVALID"
	case errors.As(err, &authority):
		code = "net::ERR_CERT_AUTHORITY_INVALID"
	case errors.As(err, &verification):
		code = "net::ERR_CERT_INVALID"
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		code = "net::ERR_CONNECTION_TIMED_OUT"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		code = "net::ERR_EMPTY_RESPONSE"
	}
	return &NetError{Code: code, Err: err}
}
