// Openchrome-bench benchmarks whole browser tasks on OpenChrome. It has the targets of the magefile, and brings
// the tasks, the sites, the servers and the images' recipes with it.
package main

import (
	"github.com/openchrome/bench/harness"
	"github.com/openchrome/bench/harness/internal/command/line"
	"github.com/openchrome/bench/harness/internal/text/display"
)

func main() {
	display.Program = "openchrome-bench"
	harness.Main() // a copy of this program has another role
	line.Main([]string{})
}
