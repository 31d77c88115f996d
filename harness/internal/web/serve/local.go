package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"

	"github.com/openchrome/bench/harness/internal/web"
)

// LocalOptions configure [Local].
type LocalOptions struct {
	Addr string    // host:port; an empty host is localhost, port 0 is a free port
	Out  io.Writer // gets the address
	// Controls is for [web.NewLocal].
	Controls func(u *url.URL, page []byte) []byte
}

// Local serves all hosts of s over http until ctx is done, so that a person can look at
// them: see [web.NewLocal].
func Local(ctx context.Context, s *web.Set, o LocalOptions) error {
	host, port, err := net.SplitHostPort(o.Addr)
	if err != nil {
		return fmt.Errorf("address %q: %w; write host:port, such as localhost:8080", o.Addr, err)
	}
	if host == "" {
		host = "localhost"
	}
	ln, err := net.Listen("tcp", net.JoinHostPort(host, port))
	if err != nil {
		return fmt.Errorf("serve the sites: %w; try another port", err)
	}
	at := strconv.Itoa(ln.Addr().(*net.TCPAddr).Port)
	srv := newHTTPServer(ctx, web.NewLocal(s, at, o.Controls))
	defer context.AfterFunc(ctx, func() { srv.Close() })()
	fmt.Fprintf(o.Out, "http://localhost:%s/ lists %d sites. Ctrl-C stops.\n", at, len(s.Hosts()))
	if err := srv.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve the sites: %w", err)
	}
	return nil
}
