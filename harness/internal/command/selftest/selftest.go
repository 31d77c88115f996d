// Package selftest runs this project's own checks, in two parts: [Test] is quick enough to run
// after each change, and [TestAll] has everything that takes longer. It tests no task of a
// user and no OpenChrome.
package selftest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

// A check is one command of a target.
type check struct {
	program string // empty: go
	goos    string // the system that is checked; empty: this one
	args    string
}

// Test runs the quick checks: gofmt, vet, staticcheck, the unit tests, the end-to-end tests on
// the stand-in, and three tests in Chromium if this machine has it. A test that takes longer than
// a few seconds, or that needs more than Go, skips itself with -short.
func Test(ctx context.Context) error {
	if err := formatted(ctx); err != nil {
		return err
	}
	if os.Getenv("STATICCHECK_CACHE") == "" { // its own choice needs a HOME that can be written
		cache, err := exec.CommandContext(ctx, "go", "env", "GOCACHE").Output()
		if err != nil {
			return fmt.Errorf("go env: %w", err)
		}
		os.Setenv("STATICCHECK_CACHE", filepath.Join(strings.TrimSpace(string(cache)), "staticcheck"))
	}
	err := inTurn(ctx, os.Stdout, os.Stderr, []check{
		{args: "vet ./..."},
		{args: "vet -tags mage ."},
		{args: "tool staticcheck ./..."},
		// Many tests only wait, for a server or for late requests, so one more package than there are cores
		// runs at a time.
		{args: fmt.Sprintf("test -short -p %d -parallel=4 ./...", runtime.GOMAXPROCS(0)+1)},
		{args: "test -run ^(TestAttach|TestLargePages)$ ./harness/internal/drive/observer"}, // in Chromium
		{args: "test -run ^TestLies$ ./harness/internal/drive/episode"},                     // in Chromium, which must have time to be read
	})
	if err == nil {
		fmt.Fprintln(os.Stdout, "PASSED: gofmt, go vet, staticcheck, go test -short")
	}
	return err
}

// TestAll runs what [Test] leaves out: the race detector (if there is a C compiler) on the
// packages that work concurrently; the tests in containers, in Chromium and on the peers; vet
// for other systems; and the proof of all built-in tasks that need no page scripts, on the
// stand-in.
func TestAll(ctx context.Context) error {
	race := "-race "
	if !canRace() {
		fmt.Fprintln(os.Stdout, "no C compiler found: the tests run without the race detector")
		race = ""
	}
	p, err := find(ctx)
	if err != nil {
		return err
	}
	self, err := os.Executable() // mage can compile only one at a time
	if err != nil {
		return err
	}
	// Containers change the network of this machine. Each time, every Chromium on it gives up
	// its requests (net::ERR_NETWORK_CHANGED), so the two are not tested at the same time. The
	// tests in containers mostly wait, so what only computes runs beside them.
	err = beside(ctx, []check{
		{args: "test -timeout 30m " + race + p.containers},
	}, []check{
		{args: "test -timeout 30m -short " + race + "-skip ^(" + slowRaced + ")$ " + strings.Join(p.concurrent, " ")},
		{program: self, args: "suite:check -suite=all -server=standin -parallel=2"},
		{goos: "windows", args: "vet ./..."},
		{goos: "darwin", args: "vet ./..."},
	})
	if err != nil {
		return err
	}
	// Two packages with browsers at a time: with more, tests fail that wait for a page. The observer takes
	// less time than the first packages together, so the last ones follow it. Go's own limit is 10 minutes
	// for a package.
	long := "test -timeout 30m -p 1 -skip ^(" + ranInTest + ")$ "
	half := slices.IndexFunc(p.long, func(path string) bool { return strings.HasSuffix(path, "/drive/launch") })
	err = beside(ctx, []check{
		{args: long + strings.Join(p.long[:half], " ")},
	}, []check{
		{args: "test -timeout 30m " + race + "-skip ^(" + slowRaced + ")$ " + p.observer},
		{args: long + strings.Join(p.long[half:], " ")},
	})
	if err == nil {
		fmt.Fprintln(os.Stdout, "PASSED: all tests, go vet for other systems, suite:check")
	}
	return err
}

// slowRaced are tests that the race detector slows down most, or whose memory it changes. [Test] runs
// them without it. Their code is raced by other tests: of sessions, of the stand-in and of suite:check.
const slowRaced = "TestURLTooLarge|TestFullLog|TestPlanted|TestLargePages|TestBounds"

// ranInTest are the slowest tests of those that [Test] runs, and one that needs a machine that is not busy. They would
// find nothing more here.
const ranInTest = "TestScript|TestDocumentedCommands|TestSkippedSubmitsFail|TestBrokenServerFails|TestParity|TestURLTooLarge|TestFullLog|TestLies"

// beside runs two lists of checks at the same time. It shows the output of the second list
// when both have ended.
func beside(ctx context.Context, first, second []check) error {
	var out bytes.Buffer
	ended := make(chan error, 1)
	go func() { ended <- inTurn(ctx, &out, &out, second) }()
	err := inTurn(ctx, os.Stdout, os.Stderr, first)
	err = errors.Join(err, <-ended)
	os.Stdout.Write(out.Bytes())
	return err
}

func inTurn(ctx context.Context, stdout, stderr io.Writer, checks []check) error {
	os.Unsetenv("OPENCHROME_BENCH_PROGRAM") // tests expect the usual name
	for _, c := range checks {
		args := strings.Fields(c.args)
		cmd := exec.CommandContext(ctx, cmp.Or(c.program, "go"), args...)
		if c.goos != "" { // this machine has no C compiler for it
			cmd.Env = append(os.Environ(), "GOOS="+c.goos, "CGO_ENABLED=0")
		}
		cmd.Stdout, cmd.Stderr = stdout, stderr
		if err := cmd.Run(); err != nil {
			if len(args) > 8 { // the names of all packages
				args = append(args[:4:4], "...")
			}
			return fmt.Errorf("%s: %w", strings.TrimSpace(filepath.Base(cmd.Path)+" "+strings.Join(args, " ")+" "+c.goos), err)
		}
	}
	return nil
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

// packages says where the tests are that [TestAll] runs.
type packages struct {
	containers string   // the tests that start containers
	observer   string   // code that works concurrently, but only on Chromium
	concurrent []string // code that works concurrently
	long       []string // tests that -short skips
}

var (
	concurrently = regexp.MustCompile(`(?m)^\s*go |sync\.(RW)?Mutex|sync\.WaitGroup|context\.AfterFunc`)
	skipsShort   = regexp.MustCompile(`testing\.Short\(\)|need\.Peers\(`)
)

func find(ctx context.Context) (p packages, err error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-json=ImportPath,Dir,GoFiles,TestGoFiles,XTestGoFiles", "./...").Output()
	if err != nil {
		return p, fmt.Errorf("go list: %w", err)
	}
	for list := json.NewDecoder(strings.NewReader(string(out))); ; {
		var one struct {
			ImportPath, Dir                    string
			GoFiles, TestGoFiles, XTestGoFiles []string
		}
		if err := list.Decode(&one); errors.Is(err, io.EOF) {
			return p, nil
		} else if err != nil {
			return p, fmt.Errorf("go list: %w", err)
		}
		tests := slices.Concat(one.TestGoFiles, one.XTestGoFiles)
		has := func(files []string, what *regexp.Regexp) bool {
			return slices.ContainsFunc(files, func(name string) bool {
				source, readErr := os.ReadFile(filepath.Join(one.Dir, name))
				err = errors.Join(err, readErr)
				return what.Match(source)
			})
		}
		switch {
		case len(tests) == 0:
			continue
		case strings.HasSuffix(one.ImportPath, "/drive/containers"):
			p.containers = one.ImportPath
			continue
		case strings.HasSuffix(one.ImportPath, "/drive/observer"):
			p.observer = one.ImportPath
			continue
		case has(one.GoFiles, concurrently):
			p.concurrent = append(p.concurrent, one.ImportPath)
		}
		if has(tests, skipsShort) {
			p.long = append(p.long, one.ImportPath)
		}
		if err != nil {
			return p, err
		}
	}
}
