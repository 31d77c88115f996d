package selftest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/internal/program"
)

// A check is one command of the test target.
type check struct {
	goos string // the system that is checked; empty: this one
	args []string
}

// Test runs the project's checks: gofmt, vet for each system and with the mage
// tag, staticcheck, and all tests, with the race detector if there is a C compiler. It then
// proves all built-in tasks that need no page scripts, on the stand-in.
func Test(ctx context.Context, o program.Streams) error {
	o = o.WithDefaults()
	// Go's own limit is 10 minutes for a package. On two busy cores, the end-to-end tests of
	// package harness take that long with the race detector.
	test := []string{"test", "-timeout", "30m", "-race"}
	if !canRace() {
		fmt.Fprintln(o.Stdout, "no C compiler found: the tests run without the race detector")
		test = test[:3]
	}
	containers, others, err := packages(ctx)
	if err != nil {
		return err
	}
	if err := formatted(ctx); err != nil {
		return err
	}
	for _, c := range []check{
		{args: []string{"vet", "./..."}},
		{args: []string{"vet", "-tags", "mage", "."}},
		{goos: "windows", args: []string{"vet", "./..."}},
		{goos: "darwin", args: []string{"vet", "./..."}},
		{args: []string{"tool", "staticcheck", "./..."}},
		// Containers change the network of this machine. Each time, every Chromium on it gives up
		// its requests (net::ERR_NETWORK_CHANGED), so the two are not tested at the same time.
		{args: slices.Concat(test, containers)},
		{args: slices.Concat(test, others)},
		{args: []string{"run", "mage.go", "suite:check", "-suite=all", "-openchrome=standin", "-parallel=2"}},
	} {
		cmd := exec.CommandContext(ctx, "go", c.args...)
		if c.goos != "" { // this machine has no C compiler for it
			cmd.Env = append(os.Environ(), "GOOS="+c.goos, "CGO_ENABLED=0")
		}
		cmd.Stdout, cmd.Stderr = o.Stdout, o.Stderr
		if err := cmd.Run(); err != nil {
			args := c.args
			if len(args) > 8 { // the names of all packages
				args = append(args[:4:4], "...")
			}
			return fmt.Errorf("%s: %w", strings.TrimSpace("go "+strings.Join(args, " ")+" "+c.goos), err)
		}
	}
	fmt.Fprintln(o.Stdout, "PASSED: gofmt, go vet, staticcheck, go test, suite:check")
	return nil
}

// packages returns the packages whose tests start containers, and the others.
func packages(ctx context.Context) (containers, others []string, err error) {
	out, err := exec.CommandContext(ctx, "go", "list", "./...").Output()
	if err != nil {
		return nil, nil, fmt.Errorf("go list: %w", err)
	}
	for _, name := range strings.Fields(string(out)) {
		if strings.HasSuffix(name, "/containers") {
			containers = append(containers, name)
		} else {
			others = append(others, name)
		}
	}
	return containers, others, nil
}

func formatted(ctx context.Context) error {
	out, err := exec.CommandContext(ctx, "gofmt", "-l", ".").Output()
	if err != nil {
		return fmt.Errorf("gofmt: %w", err)
	}
	if len(out) > 0 {
		return fmt.Errorf("these files are not formatted; run gofmt -w on them:\n%s", out)
	}
	return nil
}

// canRace reports whether go test -race can link here.
func canRace() bool {
	cc := os.Getenv("CC")
	if cc == "" {
		cc = "gcc"
	}
	_, err := exec.LookPath(strings.Fields(cc)[0])
	return err == nil && os.Getenv("CGO_ENABLED") != "0"
}
