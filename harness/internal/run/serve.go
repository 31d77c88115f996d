package run

import (
	"context"
	"fmt"
	"net"

	"github.com/openchrome/bench/harness/internal/controls"
	"github.com/openchrome/bench/harness/internal/program"
	"github.com/openchrome/bench/harness/internal/subject"
	"github.com/openchrome/bench/sites"
)

// Serve serves the fixture web on the loopback interface until ctx ends, so that a person
// can look at it. Hosts that show drawn values show the values of the selected tasks; of two
// tasks with the same host, the later one's. Port 0 means a free port.
func Serve(ctx context.Context, o Selection, port int) error {
	if port < 0 || port > 65535 {
		return usage(fmt.Errorf("options: port is %d, want 0 to 65535", port))
	}
	ctx, stop := program.Interruptible(ctx, false)
	defer stop()
	o, err := o.withDefaults()
	if err != nil {
		return err
	}
	set, err := OpenSites(o, "served")
	if err != nil {
		return err
	}
	p, err := newPlan(Options{Selection: o, Options: subject.Options{OpenChrome: "auto"}})
	switch {
	case err != nil && o.Task != "":
		return err
	case err != nil: // the page of a task may have to be seen before the task is right
		fmt.Fprintln(o.Stderr, "hosts that show the values of a task are not served:", err)
	default:
		for _, s := range p.tasks {
			if set, err = set.With(s.Draw()); err != nil {
				return usage(err)
			}
		}
	}
	return sites.ServeLocal(ctx, set, sites.LocalOptions{
		Addr: net.JoinHostPort("127.0.0.1", fmt.Sprint(port)), Out: o.Stdout, Controls: controls.Page,
	})
}
