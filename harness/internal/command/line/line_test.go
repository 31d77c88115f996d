package line

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/internal/command/program"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/option"
)

// Each target has help, with an example that it can read, and each option is of targets in the table.
func TestTargets(t *testing.T) {
	for _, target := range Targets {
		if q, err := option.Target(target.Name).Read(strings.Fields(target.Example)); err != nil || q.More != "" || target.do == nil {
			t.Errorf("%s %s: %+v, %v", target.Name, target.Example, q, err)
		}
		var short, all strings.Builder
		writeHelp(&short, target, false, 80)
		writeHelp(&all, target, true, 80)
		if n := strings.Count(short.String(), "\n"); n > 51 || !strings.Contains(short.String(), "\nExample: mage "+target.Name) {
			t.Errorf("%s: %d lines:\n%s", target.Name, n, &short)
		}
		for _, r := range option.Target(target.Name).Rows() {
			if !strings.Contains(short.String(), "-"+r.Name) || !strings.Contains(all.String(), "\n  -"+r.Name) {
				t.Errorf("%s: no help for -%s", target.Name, r.Name)
			}
		}
	}
	for _, r := range option.Rows {
		for _, name := range strings.Fields(r.In) {
			if !slices.ContainsFunc(Targets, func(t Target) bool { return t.Name == name }) {
				t.Errorf("-%s: there is no target %s", r.Name, name)
			}
		}
	}
}

// A target of a command line says what is wrong with it, and does nothing.
func TestRun(t *testing.T) {
	for _, test := range []struct{ args, out, err string }{
		{"version", "openchrome-bench ", ""},
		{"Version -h", "version prints the version of the harness, and the commit that it was built\nfrom.\n\nUsage: mage version\nExample: mage version\n", ""},
		{"version example", "", `"example" is not a target: options of version are written -name=value, see mage version -h; nothing was run`},
		{"bench:mock -seed=1 Doctor -x=1", "", "Doctor stands behind bench:mock; give each target a command of its own; nothing was run"},
		{"bench:mock -seed=x doctor", "", `-seed: is "x", want a whole number or random`},
		{"bench:mock -seed=1\xff", "", `-seed: is "1\xff", want a whole number or random`},
	} {
		args := strings.Fields(test.args)
		target, ok := Find(args[0])
		var stdout, stderr bytes.Buffer
		code := Run(context.Background(), target, args[1:], &stdout, &stderr)
		want, wantErr := program.ExitPassed, ""
		if test.err != "" {
			want, wantErr = program.ExitUsage, "Error: "+test.err+"\n"
		}
		if !ok || code != want || stderr.String() != wantErr || !strings.HasPrefix(stdout.String(), test.out) {
			t.Errorf("%s: exit code %d\n%s%s", test.args, code, &stdout, &stderr)
		}
	}
}

// Mage gets the targets that are not ours, with their arguments. Only their help is asked for as mage understands it.
func TestForeign(t *testing.T) {
	defer func(args []string) { os.Args = args }(os.Args)
	for _, test := range []struct {
		args, rest string
		others     []string
	}{
		{"own:target value -x=1", "", nil},
		{"own:target -x=1 --help", "-h own:target", nil},
		{"test TestAll", "", []string{"test", "testAll"}},
		{"test testAll -h", "-h testAll", []string{"test", "testAll"}},
		{"doctors", "", []string{"doctors"}}, // it resembles one of ours
	} {
		os.Args = []string{"bench"}
		foreign(strings.Fields(test.args), test.others)
		need.Is(t, fmt.Sprintf("%s: mage gets", test.args), test.rest, strings.Join(os.Args[1:], " "))
	}
}
