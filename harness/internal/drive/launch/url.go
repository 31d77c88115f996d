package launch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/mark3labs/mcp-go/client/transport"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/web"
)

// NewURL returns a launcher with sessions on an OpenChrome that someone else runs.
// address is the http or https URL of its streamable HTTP endpoint, such as
// http://127.0.0.1:3100/mcp. The environment variable [TokenEnv] may hold a bearer
// token. The token is sent only to that address, and removed from errors and answers.
//
// Such an OpenChrome resolves host names itself. It reaches a fixture site only if its
// owner has set this up, and the harness cannot see its requests. Sessions share its
// browser; [reset] isolates them as far as possible. The error says why the address or the
// token cannot be used. NewURL sends nothing.
func NewURL(address string) (session.Launcher, error) {
	u, err := url.Parse(address)
	switch {
	case err != nil:
		// Not err, because it shows the address, which may hold a password.
		return nil, errors.New("address: not a URL; want one such as http://127.0.0.1:3100/mcp")
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return nil, fmt.Errorf("address %s: want http://HOST or https://HOST", u.Redacted())
	case u.User != nil:
		return nil, fmt.Errorf("address %s: it has a user name; set a token in %s instead", u.Redacted(), TokenEnv)
	}
	token := strings.TrimSpace(os.Getenv(TokenEnv))
	switch {
	case strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }):
		return nil, fmt.Errorf("%s: not a bearer token: it has spaces or characters that are not ASCII", TokenEnv)
	case token != "" && len(token) < minToken:
		return nil, fmt.Errorf("%s: too short to be hidden reliably in output; use a token of at least %d characters", TokenEnv, minToken)
	}
	return &urlLauncher{address: u, token: token}, nil
}

// minToken is the smallest length of a token. A shorter token could also be an ordinary
// word on a page, which would then be removed too.
const minToken = 8

type urlLauncher struct {
	plain
	address *url.URL
	token   string
}

// Launch implements [session.Launcher].
func (l *urlLauncher) Launch(ctx context.Context) (session.Session, error) {
	s, err := l.launch(ctx)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", l.shown(), err)
	}
	return s, nil
}

func (l *urlLauncher) launch(ctx context.Context) (session.Session, error) {
	tokens := &tokenTransport{http.DefaultTransport.(*http.Transport).Clone(), l.address, l.token}
	t, err := transport.NewStreamableHTTP(l.address.String(),
		transport.WithHTTPBasicClient(tokens.client()), transport.WithHTTPLogger(session.NoLog))
	if err != nil {
		return nil, err
	}
	s := session.NewBase(record.Server{Isolation: "best-effort"}, unknownLog, tokens.close)
	if err := s.Connect(ctx, &session.Redacting{StreamableHTTP: t, Secrets: tokens.secrets()}, nil); err != nil {
		return nil, errors.Join(l.explain(err), s.Close())
	}
	r := &reset{c: s.Client}
	s.Cleanup = append(s.Cleanup, r.undo)
	return &urlSession{s, r}, nil
}

func unknownLog(context.Context, bool) (web.Log, error) {
	return web.Log{}, errors.New("the harness cannot see the requests of an OpenChrome at an address")
}

func (l *urlLauncher) explain(err error) error {
	_, refused := errors.AsType[*transport.AuthorizationRequiredError](err)
	switch {
	case refused && l.token == "":
		return fmt.Errorf("the server needs a token; set %s", TokenEnv)
	case refused:
		return fmt.Errorf("the server refused the token in %s", TokenEnv)
	case errors.Is(err, transport.ErrLegacySSEServer):
		return errors.New("no MCP endpoint there (streamable HTTP); the address of an OpenChrome ends in /mcp")
	}
	return err
}

// shown returns the address without its query, which may hold a secret.
func (l *urlLauncher) shown() string {
	u := url.URL{Scheme: l.address.Scheme, Host: l.address.Host, Path: l.address.Path}
	return u.String()
}

// Notes implements [session.Launcher].
func (l *urlLauncher) Notes() []string {
	notes := []string{
		"The OpenChrome at " + l.shown() + " was started by someone else and serves all sessions. After an episode the harness clears the cookies and storage of the pages that are still open, and closes their tabs. Anything else that an episode leaves behind can affect later episodes.",
		"That OpenChrome resolves host names itself, so it reaches the fixture sites only if its owner has set this up.",
	}
	if l.token != "" && l.address.Scheme == "http" && !session.Loopback(l.address.Hostname()) {
		notes = append(notes, "The token was sent unencrypted, over http.")
	}
	return notes
}

// urlSession is a session that knows the tabs that it opened.
type urlSession struct {
	*session.Base
	reset *reset
}

// Call implements [session.Session].
func (s *urlSession) Call(ctx context.Context, c adapter.Call) (adapter.Result, error) {
	r, err := s.Base.Call(ctx, c)
	s.reset.see(c.Tool, r)
	return r, err
}

// tokenTransport sends requests to one address, with a token that no other address gets.
type tokenTransport struct {
	base  *http.Transport
	to    *url.URL
	token string
}

// client returns an HTTP client that follows no redirects, because the token is only for
// the given address.
func (c *tokenTransport) client() *http.Client {
	return &http.Client{Transport: c, CheckRedirect: func(r *http.Request, _ []*http.Request) error {
		return fmt.Errorf("it redirects to %s://%s%s; give that address", r.URL.Scheme, r.URL.Host, r.URL.Path)
	}}
}

// RoundTrip implements [http.RoundTripper]. It sets the header here until mcp-go sends
// the headers of its options with every request: v1.2.1 leaves them out of the DELETE
// that ends a session.
func (c *tokenTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if c.token != "" && r.URL.Scheme == c.to.Scheme && r.URL.Host == c.to.Host {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer "+c.token)
	}
	response, err := c.base.RoundTrip(r)
	if err == nil {
		session.LimitBody(r.Context(), response)
	}
	return response, err
}

func (c *tokenTransport) close() error {
	c.base.CloseIdleConnections()
	return nil
}

// secrets returns the token, the query of the address and the query's values. It leaves
// out values shorter than minToken: they could be ordinary words.
func (c *tokenTransport) secrets() session.Redactor {
	var b session.Redactor
	add := func(text, shown string) {
		if text != "" {
			b = append(b, session.Secret{Hidden: text, Shown: shown})
		}
	}
	add(c.token, "[token]")
	add(c.to.RawQuery, "…")
	for _, values := range c.to.Query() {
		for _, value := range values {
			if len(value) >= minToken {
				add(value, "…")
			}
		}
	}
	return b
}
