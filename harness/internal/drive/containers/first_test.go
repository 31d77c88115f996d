package containers

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/testcontainers/testcontainers-go"

	"github.com/openchrome/bench/harness/internal/drive/confine"
	"github.com/openchrome/bench/harness/internal/drive/watchdog"
)

// With the processes of the machine, the ID is a hash; without, a UUID.
func TestNoProcessesAtTheStart(t *testing.T) {
	if id := testcontainers.SessionID(); strings.Count(id, "-") != 4 {
		t.Errorf("testcontainers-go has the session ID %s: it read all processes", id)
	}
	if value, ok := os.LookupEnv("HOST_PROC"); ok {
		t.Errorf("HOST_PROC is still %q", value)
	}
}

// What a keeper or a confined copy starts gets the environment of this process.
func TestCopiesPassOnTheEnvironment(t *testing.T) {
	env, err := exec.LookPath("env")
	if err != nil {
		t.Skip(err)
	}
	kept, confined := exec.Command(env), exec.Command(env)
	if !watchdog.Keep(kept) {
		t.Skip("no keepers here")
	}
	confined.Dir = "/"
	confine.Candidates()[0].Confine(confined, confine.Access{})
	for name, cmd := range map[string]*exec.Cmd{"kept": kept, "confined": confined} {
		if out, err := cmd.CombinedOutput(); err != nil || strings.Contains(string(out), "HOST_PROC") {
			t.Errorf("%s: %v, environment:\n%s", name, err, out)
		}
	}
}
