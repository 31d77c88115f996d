package program

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// Interruptible returns a context that ends when the run is to be stopped: by
// Ctrl-C (which ends mage's context too), SIGTERM or SIGHUP, or because the
// launcher above this process, mage or go run (of a child, bench:verify), is gone. Mage does not pass
// signals on, so its death is all that is seen of a SIGTERM to it.
//
// A closed standard output raises SIGPIPE, which would end the process before
// it cleans up: it is taken here, and the failing write stops the run.
func Interruptible(ctx context.Context, child bool) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	pipe := make(chan os.Signal, 1)
	signal.Notify(pipe, syscall.SIGPIPE)
	watched := launchersAbove(child)
	ticker := time.NewTicker(200 * time.Millisecond)
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
				for _, p := range watched {
					if !p.Alive() {
						cancel()
						return
					}
				}
			}
		}
	}()
	return ctx, func() {
		cancel()
		stop()
		signal.Stop(pipe)
	}
}
