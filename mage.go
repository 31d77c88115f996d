//go:build ignore

// Mage.go runs the targets of magefile.go without an installed mage:
//
//	go run mage.go <target>
package main

import (
	"os"
	"os/exec"
	"strings"

	"github.com/magefile/mage/mage"
)

func main() {
	// The first command compiles everything. The compiler is a fifth faster if it collects less
	// garbage, and the linker is twice as fast without debug information.
	if os.Getenv("GOGC") == "" {
		os.Setenv("GOGC", "400")
	}
	flags, err := exec.Command("go", "env", "GOFLAGS").Output()
	if err == nil && !strings.Contains(string(flags), "-ldflags") {
		os.Setenv("GOFLAGS", strings.TrimSpace(string(flags))+" -ldflags=-w")
	}
	os.Exit(mage.Main())
}
