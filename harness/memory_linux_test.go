package harness_test

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/openchrome/bench/harness/internal/need"
)

var peak = regexp.MustCompile(`VmHWM:\s*(\d+) kB`)

// Whatever a server answers: a run takes at most 250 MB more than it takes without.
func TestMemoryOfAnswers(t *testing.T) {
	self := need.Self(t)
	usual := 0
	for _, size := range []string{" 1000", " 31000000", " 8000000", ""} {
		t.Run("size"+size, func(t *testing.T) {
			if usual > 0 {
				t.Parallel() // each process has its own memory
			}
			cmd := exec.Command(bench, "bench:episode", "-server="+self+" broken large"+size, "-task=local-form-submit",
				"-adapter=policy:form+check", "-maxDuration=4s", "-out="+t.TempDir())
			var said strings.Builder
			cmd.Stdout, cmd.Stderr = &said, &said
			need.OK(t, cmd.Start())
			ended := make(chan error, 1)
			go func() { ended <- cmd.Wait() }()
			most := 0 // of the process, in kB; the kernel keeps the peak
			tick := time.Tick(10 * time.Millisecond)
			for running := true; running; {
				select {
				case <-ended:
					running = false
				case <-tick:
					status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
					if m := peak.FindSubmatch(status); m != nil {
						n, _ := strconv.Atoi(string(m[1]))
						most = max(most, n)
					}
				}
			}
			need.Has(t, said.String(), "0 passed, 1 failed, 0 void")
			t.Logf("it took %d MB", most/1000)
			if size == " 1000" {
				usual = most
			}
			if usual == 0 || most > usual+250_000 {
				t.Errorf("that is more than %d + 250 MB", usual/1000)
			}
		})
	}
}
