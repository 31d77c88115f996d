package program

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/openchrome/bench/harness/internal/drive/watchdog"
)

// Interruptible returns a context that ends when the run must stop: on Ctrl-C, SIGTERM or
// SIGHUP, or when the program that started this one is gone. That program is mage or go
// run, or bench:verify for a child. Mage v1.17.2 does not forward SIGTERM
// (magefile/mage#269), so this process only sees that mage has died. We can stop watching
// mage when mage forwards the signal.
func Interruptible(ctx context.Context, child bool) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
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
	}
}

// Interrupted calls do, which only reads files and writes reports. Its ctx is from
// [Interruptible]. If ctx ends before do, the error has [ExitInterrupted].
func Interrupted(ctx context.Context, do func(context.Context) error) error {
	ctx, stop := Interruptible(ctx, false)
	defer stop()
	err := do(ctx)
	if errors.Is(err, context.Canceled) {
		err = &ExitError{ExitInterrupted, fmt.Errorf("NOT FINISHED: %w", err)}
	}
	return err
}

// launchersAbove returns the parents of this process that exist only to start it: mage, and
// go for `go run mage.go`. Any other parent, such as a shell, may end without stopping the
// run. The parent of a child always counts, whatever its name. The list is empty on systems
// without /proc.
func launchersAbove(child bool) []watchdog.Process {
	var list []watchdog.Process
	for pid := os.Getppid(); pid > 1; {
		exe, err := os.Readlink(filepath.Join("/proc", strconv.Itoa(pid), "exe"))
		if err != nil {
			break
		}
		if name := filepath.Base(exe); name != "mage" && name != "go" && !child {
			break
		}
		p, ok := watchdog.FindProcess(pid)
		if !ok {
			break
		}
		list = append(list, p)
		child = false // only for the nearest parent, the name does not matter
		pid = p.Parent
	}
	return list
}
