package harness

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// Test runs the project's checks: gofmt, vet with and without the mage tag,
// and all tests, with the race detector where a C compiler is there.
func Test(ctx context.Context, o Options) error {
	o, err := o.withDefaults()
	if err != nil {
		return err
	}
	race := canRace()
	if !race {
		fmt.Fprintln(o.Stdout, "no C compiler here: the tests run without the race detector")
	}
	tests := []string{"test", "./..."}
	if race {
		tests = []string{"test", "-race", "./..."}
	}
	if err := formatted(ctx); err != nil {
		return err
	}
	for _, args := range [][]string{{"vet", "./..."}, {"vet", "-tags", "mage", "./..."}, tests} {
		cmd := exec.CommandContext(ctx, "go", args...)
		cmd.Stdout, cmd.Stderr = o.Stdout, o.Stderr
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("go %s: %w", strings.Join(args, " "), err)
		}
	}
	fmt.Fprintln(o.Stdout, "PASSED: gofmt, go vet, go test")
	return nil
}

func formatted(ctx context.Context) error {
	out, err := exec.CommandContext(ctx, "gofmt", "-l", ".").Output()
	if err != nil {
		return fmt.Errorf("gofmt: %w", err)
	}
	if len(out) > 0 {
		return fmt.Errorf("not formatted, run gofmt -w on them:\n%s", out)
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
