// Command bench runs the tasks named on its command line with an adapter of this module.
package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"example.com/outside/reader"
	"github.com/openchrome/bench/harness"
	"github.com/openchrome/bench/harness/adapter"
)

func main() {
	adapter.Register(reader.Kind)
	harness.Main()
	err := harness.Run(context.Background(), harness.Options{
		Adapter: "reader", Server: "standin", Task: strings.Join(os.Args[1:], ","), RunID: "r",
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(harness.ExitCode(err))
}
