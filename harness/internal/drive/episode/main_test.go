package episode_test

import (
	"os"
	"testing"

	"github.com/openchrome/bench/harness/internal/drive/watchdog"
)

func TestMain(m *testing.M) {
	watchdog.Main()
	os.Exit(m.Run())
}
