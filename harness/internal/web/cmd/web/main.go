// Command web serves the fixture web in a container. It takes no arguments. It reads its
// configuration and commands as lines of JSON on stdin and answers on stdout: see
// [serve.AsRemote]. At the end of stdin it exits with 0. If something fails, it reports
// the error on stdout for the other end and on stderr for a person, and exits with 1.
package main

import (
	"fmt"
	"os"

	"github.com/openchrome/bench/harness/internal/web/serve"
)

func main() {
	if err := serve.AsRemote(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "web:", err)
		os.Exit(1)
	}
}
