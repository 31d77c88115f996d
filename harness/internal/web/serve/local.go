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

// Local serves all hosts of s over http on a free port of this machine until ctx is done, so
// that a person can look at them. It writes the address to out. controls is for [web.NewLocal].
func Local(ctx context.Context, s *web.Set, out io.Writer, controls func(u *url.URL, page []byte) []byte) error {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("serve the sites: %w", err)
	}
	at := strconv.Itoa(ln.Addr().(*net.TCPAddr).Port)
	srv := newHTTPServer(ctx, web.NewLocal(s, at, controls))
	defer context.AfterFunc(ctx, func() { srv.Close() })()
	fmt.Fprintf(out, "http://localhost:%s/ lists %d sites. Ctrl-C stops.\n", at, len(s.Hosts()))
	if err := srv.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve the sites: %w", err)
	}
	return nil
}
