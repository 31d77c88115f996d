package run

import (
	"context"

	"github.com/openchrome/bench/harness/internal/command/controls"
	"github.com/openchrome/bench/harness/internal/command/program"
	"github.com/openchrome/bench/harness/internal/web/serve"
)

// Serve serves the fixture web on the loopback interface until ctx ends, so that a person
// can look at it. A host that shows drawn values shows those of the first selected task that
// lists it.
func Serve(ctx context.Context, o Options) error {
	ctx, stop := program.Interruptible(ctx, false)
	defer stop()
	o.Values = o.Values.WithDefaults()
	set, err := drawnSites(o)
	if err != nil {
		return err
	}
	return serve.Local(ctx, set, o.Stdout, controls.Page)
}
