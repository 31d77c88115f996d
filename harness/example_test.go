package harness_test

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/openchrome/bench/harness"
)

// A program runs one built-in task on the stand-in, which needs no browser.
func ExampleRun() {
	harness.Main() // the first call of main

	out, err := os.MkdirTemp("", "bench")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(out)
	err = harness.Run(context.Background(), harness.Options{
		Server: "standin", Task: "example-h1", Out: out, RunID: "first", Stdout: io.Discard,
	})
	fmt.Println("exit code", harness.ExitCode(err)) // reports/first.md in out says more
	// Output: exit code 0
}
