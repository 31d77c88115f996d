package run

import (
	"context"
	"fmt"
	"net"

	"github.com/openchrome/bench/harness/internal/command/controls"
	"github.com/openchrome/bench/harness/internal/command/program"
	"github.com/openchrome/bench/harness/internal/web/serve"
)

// Serve serves the fixture web on the loopback interface until ctx ends, so that a person
// can look at it. A host that shows drawn values shows those of the first selected task that
// lists it. Port 0 means a free port.
func Serve(ctx context.Context, o Selection, port int) error {
	if port < 0 || port > 65535 {
		return usage(fmt.Errorf("options: port is %d, want 0 to 65535", port))
	}
	ctx, stop := program.Interruptible(ctx, false)
	defer stop()
	o.Streams = o.Streams.WithDefaults()
	set, err := drawnSites(o)
	if err != nil {
		return err
	}
	return serve.Local(ctx, set, serve.LocalOptions{
		Addr: net.JoinHostPort("127.0.0.1", fmt.Sprint(port)), Out: o.Stdout, Controls: controls.Page,
	})
}
