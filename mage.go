//go:build ignore

// Mage.go runs the targets of magefile.go without an installed mage:
//
//	go run mage.go <target>
package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/magefile/mage/mage"
	"github.com/magefile/mage/mg"
)

func main() {
	// The first command compiles everything. The compiler is a fifth faster if it collects less
	// garbage, and the linker is twice as fast without debug information.
	if os.Getenv("GOGC") == "" {
		os.Setenv("GOGC", "400")
	}
	env, err := exec.Command("go", "env", "GOFLAGS", "GOCACHE").Output()
	flags, cache, _ := strings.Cut(string(env), "\n")
	if err == nil && !strings.Contains(flags, "-ldflags") {
		os.Setenv("GOFLAGS", flags+" -ldflags=-w")
	}
	// Mage keeps what it compiles below HOME. Where it cannot, that goes beside what Go compiles.
	os.MkdirAll(mg.CacheDir(), 0o700)
	probe, err := os.MkdirTemp(mg.CacheDir(), "")
	if err != nil {
		os.Setenv("MAGEFILE_CACHE", filepath.Join(strings.TrimSpace(cache), "magefile"))
	}
	os.Remove(probe)
	os.Setenv("OPENCHROME_BENCH_PROGRAM", "go run mage.go")
	os.Exit(mage.Main())
}
