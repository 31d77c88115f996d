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

// Start is where a task begins.
type Start struct{ Task, URL string }

// Local serves all hosts of s over http on a free port of this machine until ctx is done, so
// that a person can look at them. It writes the address to out, and where the tasks begin there.
func Local(ctx context.Context, s *web.Set, out io.Writer, starts []Start) error {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("serve the sites: %w", err)
	}
	at := strconv.Itoa(ln.Addr().(*net.TCPAddr).Port)
	srv := newHTTPServer(ctx, web.NewLocal(s, at))
	defer context.AfterFunc(ctx, func() { srv.Close() })()
	fmt.Fprintf(out, "http://localhost:%s/ lists %d sites. Ctrl-C stops.\n", at, len(s.Hosts()))
	for _, t := range starts {
		u, err := url.Parse(t.URL)
		if err != nil {
			return fmt.Errorf("serve the sites: %s: %w", t.Task, err)
		}
		u.Scheme, u.Host = "http", u.Host+".localhost:"+at
		fmt.Fprintf(out, "%s begins at %s\n", t.Task, u)
	}
	if err := srv.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve the sites: %w", err)
	}
	return nil
}
