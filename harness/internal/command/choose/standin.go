package choose

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/openchrome/bench/harness/internal/drive/launch"
	"github.com/openchrome/bench/harness/internal/drive/session"
)

// latencyEnv is the environment variable with a delay, such as 100ms, that the stand-in
// adds to each tool call. It shows how the harness behaves with a slow server.
const latencyEnv = "OPENCHROME_BENCH_STANDIN_LATENCY"

var standin = kind{name: "standin", auto: true,
	check: func(context.Context, Options) error { return nil },
	start: func(_ context.Context, _ Options, w webOptions, _ lines) (session.Launcher, error) {
		o := launch.StandinOptions{Sites: w.sites, CA: w.ca}
		if v := os.Getenv(latencyEnv); v != "" {
			var err error
			if o.Latency, err = time.ParseDuration(v); err != nil {
				return nil, fmt.Errorf("%s: %w", latencyEnv, err)
			}
		}
		return launch.NewStandin(o)
	},
}
