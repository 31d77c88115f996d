package episode_test

import (
	"os"
	"testing"

	"github.com/openchrome/bench/harness/internal/drive/episode"
	"github.com/openchrome/bench/harness/internal/drive/watchdog"
)

func TestMain(m *testing.M) {
	watchdog.Main()
	episode.SetRunning(func() int { return 0 }) // how busy this machine is must decide no test
	os.Exit(m.Run())
}
