package program

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

const source = `package targets

// Mock runs the tasks, which are built in.
func (Bench) Mock(ctx context.Context,
	task *string, // run only these tasks
	Package *string, // the OpenChrome
	parallel *int, // episodes at a time (1)
	maxDuration *time.Duration, // the time cap
	verbose *bool, // print every call
) error { return nil }

// Clean removes things.
func (Container) Clean(ctx context.Context) error { return nil }

func helper(x *int) {}
`

func targets(t *testing.T) []target {
	t.Helper()
	targets, err := parseTargets(source)
	if err != nil {
		t.Fatal(err)
	}
	return targets
}

func TestParseTargets(t *testing.T) {
	want := []target{
		{Name: "bench:mock", Summary: "runs the tasks, which are built in.\n", Options: []option{
			{"task", "string", "run only these tasks"}, {"package", "string", "the OpenChrome"}, {"parallel", "int", "episodes at a time (1)"},
			{"maxDuration", "time.Duration", "the time cap"}, {"verbose", "bool", "print every call"},
		}},
		{Name: "container:clean", Summary: "removes things.\n"},
	}
	if diff := cmp.Diff(want, targets(t)); diff != "" {
		t.Errorf("targets mismatch (-want +got):\n%s", diff)
	}
}

func TestArgs(t *testing.T) {
	others := func() map[string]bool { return map[string]bool{"test": false, "own:target": true} }
	tests := []struct {
		name string
		args []string
		rest []string // nil: help or an error
		help string
		err  string
	}{
		{name: "as mage wants it", args: []string{"bench:mock", "-task=a", "-verbose"}, rest: []string{"bench:mock", "-task=a", "-verbose"}},
		{name: "two hyphens", args: []string{"bench:mock", "--task=--a", "--verbose"}, rest: []string{"bench:mock", "-task=--a", "-verbose"}},
		{name: "case of letters", args: []string{"Bench:Mock", "-PACKAGE=x"}, rest: []string{"Bench:Mock", "-package=x"}},
		{name: "mage's own", args: []string{"-v", "-t=5s", "bench:mock"}, rest: []string{"-v", "-t=5s", "bench:mock"}},
		{name: "mage's value", args: []string{"-t", "5s", "bench:mock"}, rest: []string{"-t", "5s", "bench:mock"}},
		{name: "two targets", args: []string{"bench:mock", "-task=a", "container:clean"}, rest: []string{"bench:mock", "-task=a", "container:clean"}},
		{name: "another's target", args: []string{"own:target", "-x=1", "container:clean"}, rest: []string{"own:target", "-x=1", "container:clean"}},
		{name: "list", args: []string{"-l"}, rest: []string{"-l"}},
		{name: "mage's help", args: []string{"-h"}, rest: []string{"-h"}},
		{name: "help before", args: []string{"-h", "bench:mock"}, help: "bench:mock"},
		{name: "help behind", args: []string{"bench:mock", "-h"}, help: "bench:mock"},
		{name: "help behind options", args: []string{"bench:mock", "-task=a", "--help"}, help: "bench:mock"},
		{name: "help of another's", args: []string{"-h", "own:target"}, rest: []string{"-h", "own:target"}},
		{name: "help behind another's", args: []string{"own:target", "-h"}, rest: []string{"-h", "own:target"}},
		{name: "help behind another's options", args: []string{"own:target", "-x=1", "-h"}, rest: []string{"-h", "own:target"}},
		{name: "mistyped target", args: []string{"bench:mok"}, err: `unknown target "bench:mok"; nothing was run; mage -l lists all; did you mean "bench:mock"?`},
		{name: "mistyped second target", args: []string{"bench:mock", "container:cleam"}, err: `unknown target "container:cleam"; nothing was run; mage -l lists all; did you mean "container:clean"?`},
		{name: "a value without its option", args: []string{"bench:mock", "example"}, err: `"example" is not a target: options of bench:mock are written -name=value, see mage bench:mock -h; nothing was run`},
		{name: "mistyped option", args: []string{"bench:mock", "-tsak=a"}, err: `unknown option -tsak of bench:mock; nothing was run; see mage bench:mock -h; did you mean "task"?`},
		{name: "unknown option", args: []string{"bench:mock", "--zzzzzz"}, err: `unknown option -zzzzzz of bench:mock; nothing was run; see mage bench:mock -h`},
		{name: "no value", args: []string{"bench:mock", "-task"}, err: `-task needs a value: write -task=<text>; nothing was run`},
		{name: "no number", args: []string{"bench:mock", "-parallel=two"}, err: `-parallel is "two", want a whole number; nothing was run`},
		{name: "no duration", args: []string{"bench:mock", "-maxDuration=5"}, err: `-maxDuration is "5", want a duration such as 30s or 1m30s; nothing was run`},
		{name: "no truth", args: []string{"bench:mock", "-verbose=maybe"}, err: `-verbose is "maybe", want true or false; nothing was run`},
		{name: "none has options", args: []string{"container:clean", "-x=1"}, err: `container:clean takes no options, so "-x=1" is not allowed; nothing was run`},
		{name: "nor has another's", args: []string{"test", "-x=1"}, err: `test takes no options, so "-x=1" is not allowed; nothing was run`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			help, rest, err := readArgs(test.args, targets(t), others)
			got := ""
			if err != nil {
				got = err.Error()
			}
			if got != test.err {
				t.Errorf("error %q, want %q", got, test.err)
			}
			name := ""
			if help != nil {
				name = help.Name
			}
			if name != test.help {
				t.Errorf("help of %q, want %q", name, test.help)
			}
			if diff := cmp.Diff(test.rest, rest); diff != "" {
				t.Errorf("arguments mismatch (-want +got):\n%s", diff)
			}
		})
	}
}
