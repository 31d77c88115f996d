package run

import (
	"context"

	"github.com/openchrome/bench/harness/internal/command/program"
	"github.com/openchrome/bench/harness/internal/web/serve"
)

// Serve serves the fixture web on the loopback interface until ctx ends, so that a person
// can look at it. A host that shows drawn values shows those of the first selected task that
// lists it. With Task or Tasks it prints where the selected tasks begin.
func Serve(ctx context.Context, o Options) error {
	ctx, stop := program.Interruptible(ctx, false)
	defer stop()
	o.Values = o.Values.WithDefaults()
	set, tasks, err := drawnSites(o)
	if err != nil {
		return err
	}
	var starts []serve.Start
	for _, t := range tasks {
		if o.Task != "" || o.Tasks != "" { // not all built-in ones
			starts = append(starts, serve.Start{Task: t.ID, URL: t.StartURL})
		}
	}
	return serve.Local(ctx, set, o.Stdout, starts)
}
