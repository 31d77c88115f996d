// Package selftest runs this project's own checks, in two parts: [Test] is quick enough to run
// after each change, and [TestAll] has everything that takes longer. It tests no task of a
// user and no OpenChrome.
package selftest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// A check is one command of a target.
type check struct {
	goos string // the system that is checked; empty: this one
	args string // of the go command
}

// Test runs the quick checks: gofmt, vet, staticcheck, the unit tests, the end-to-end tests on
// the stand-in, and one test in Chromium if this machine has it. A test that takes longer than
// a few seconds, or that needs more than Go, skips itself with -short.
func Test(ctx context.Context) error {
	if err := formatted(ctx); err != nil {
		return err
	}
	return run(ctx, "gofmt, go vet, staticcheck, go test -short", []check{
		{args: "vet ./..."},
		{args: "vet -tags mage ."},
		{args: "tool staticcheck ./..."},
		{args: "test -short ./..."},
		{args: "test -run ^TestAttach$ ./harness/internal/drive/observer"}, // in Chromium
	})
}

// TestAll runs everything that [Test] leaves out: all tests with the race detector (if there
// is a C compiler), also those in Chromium, in containers and on the peers; vet for other
// systems; and the proof of all built-in tasks that need no page scripts, on the stand-in.
func TestAll(ctx context.Context) error {
	// Go's own limit is 10 minutes for a package, which the end-to-end tests can reach on two
	// busy cores.
	test := "test -timeout 30m -race "
	if !canRace() {
		fmt.Fprintln(os.Stdout, "no C compiler found: the tests run without the race detector")
		test = "test -timeout 30m "
	}
	containers, others, err := packages(ctx)
	if err != nil {
		return err
	}
	return run(ctx, "all tests, go vet for other systems, suite:check", []check{
		{goos: "windows", args: "vet ./..."},
		{goos: "darwin", args: "vet ./..."},
		// Containers change the network of this machine. Each time, every Chromium on it gives up
		// its requests (net::ERR_NETWORK_CHANGED), so the two are not tested at the same time.
		{args: test + containers},
		// The skipped tests run only the compiled program, which has no race detector, and Test
		// runs them.
		{args: test + "-skip ^(TestScript|TestDocumentedCommands)$ " + others},
		{args: "run mage.go suite:check -suite=all -openchrome=standin -parallel=2"},
	})
}

// run runs the checks one after the other, until one fails.
func run(ctx context.Context, what string, checks []check) error {
	for _, c := range checks {
		args := strings.Fields(c.args)
		cmd := exec.CommandContext(ctx, "go", args...)
		if c.goos != "" { // this machine has no C compiler for it
			cmd.Env = append(os.Environ(), "GOOS="+c.goos, "CGO_ENABLED=0")
		}
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		if err := cmd.Run(); err != nil {
			if len(args) > 8 { // the names of all packages
				args = append(args[:4:4], "...")
			}
			return fmt.Errorf("%s: %w", strings.TrimSpace("go "+strings.Join(args, " ")+" "+c.goos), err)
		}
	}
	fmt.Fprintln(os.Stdout, "PASSED:", what)
	return nil
}

// packages returns the packages whose tests start containers, and the others.
func packages(ctx context.Context) (containers, others string, err error) {
	out, err := exec.CommandContext(ctx, "go", "list", "./...").Output()
	if err != nil {
		return "", "", fmt.Errorf("go list: %w", err)
	}
	for _, name := range strings.Fields(string(out)) {
		if strings.HasSuffix(name, "/containers") {
			containers += name + " "
		} else {
			others += name + " "
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
