package program

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// Interruptible returns a context that ends when the run must stop: on Ctrl-C, SIGTERM or
// SIGHUP, or when the program that started this one is gone. That program is mage or go
// run, or bench:verify for a child. Mage v1.17.2 does not forward SIGTERM
// (magefile/mage#269), so this process only sees that mage has died. We can stop watching
// mage when mage forwards the signal.
//
// A closed standard output raises SIGPIPE, which would end the process before it
// cleans up. Here the signal is caught, and the failed write stops the run.
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
