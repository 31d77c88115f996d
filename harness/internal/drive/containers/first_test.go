package containers

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/testcontainers/testcontainers-go"

	"github.com/openchrome/bench/harness/internal/drive/confine"
	"github.com/openchrome/bench/harness/internal/drive/watchdog"
	"github.com/openchrome/bench/harness/internal/need"
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
	kept := exec.Command(env)
	if !watchdog.Keep(kept) {
		t.Skip("no keepers here")
	}
	out, err := kept.CombinedOutput()
	if err != nil || strings.Contains(string(out), "HOST_PROC") {
		t.Errorf("kept: %v, environment:\n%s", err, out)
	}
	for _, m := range confine.Candidates() {
		confined := exec.Command(env)
		confined.Dir = "/"
		m.Confine(confined, confine.Access{})
		if out, err = confined.CombinedOutput(); err == nil && m != (confine.Means{}) {
			if strings.Contains(string(out), "HOST_PROC") {
				t.Errorf("%v: environment:\n%s", m, out)
			}
			return
		}
	}
	need.Missing(t, "no confinement works here")
}
