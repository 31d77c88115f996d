//go:build unix

package episode_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/drive/episode"
	"github.com/openchrome/bench/harness/internal/record"
)

// What fails while the harness is stopped by a signal is void; what passes has
// passed. The test stops its own process, and a child continues it.
func TestFrozen(t *testing.T) {
	for h1, want := range map[string]record.Status{"Other": record.Inconclusive, "Example": record.Passed} {
		freeze := decide(func(context.Context, adapter.State) (adapter.Decision, error) {
			wake := exec.Command("sh", "-c", fmt.Sprintf("sleep 2.3; kill -CONT %d", os.Getpid()))
			if err := wake.Start(); err != nil {
				return adapter.Decision{}, err
			}
			syscall.Kill(os.Getpid(), syscall.SIGSTOP)
			return adapter.Decision{Done: true}, wake.Wait()
		})
		var log []record.Event
		stop, err := episode.Run(t.Context(), options(t, page(h1), freeze, &log))
		if err != nil || stop.Status != want || want == record.Inconclusive && !strings.HasPrefix(stop.Outage, "the harness did not run for 2.") {
			t.Errorf("got %+v, error %v, want %s", stop, err, want)
		}
	}
}
