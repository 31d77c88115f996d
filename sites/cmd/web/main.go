// Command web serves the fixture web in a container. It takes no arguments:
// configuration and commands come as lines of JSON on stdin, answers go to
// stdout (see sites.ServeRemote). At the end of stdin it exits with 0; on a
// fault it says why, on stdout for the other end and on stderr for a person,
// and exits with 1.
package main

import (
	"fmt"
	"os"

	"github.com/openchrome/bench/sites"
)

func main() {
	if err := sites.ServeRemote(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "web:", err)
		os.Exit(1)
	}
}
