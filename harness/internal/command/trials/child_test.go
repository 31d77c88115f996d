package trials

import (
	"os"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/internal/command/program"
	"github.com/openchrome/bench/harness/internal/command/run"
)

// This binary, started as a run of bench:verify, crashes.
func TestMain(m *testing.M) {
	if os.Getenv(childEnv) != "" {
		panic("planted")
	}
	os.Exit(m.Run())
}

// Go ends a program that crashed with 2, which is no verdict.
func TestRunThatCrashes(t *testing.T) {
	v := &verifier{others: t.TempDir()}
	err := v.run(t.Context(), run.Options{}, conditions{})
	if got := program.ExitCode(err); got != program.ExitUnexpected || !strings.Contains(err.Error(), "planted") {
		t.Errorf("exit code %d, %v; want %d and the cause", got, err, program.ExitUnexpected)
	}
}
