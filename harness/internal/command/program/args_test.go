package program

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openchrome/bench/harness/internal/option"
)

func TestArgs(t *testing.T) {
	others := func() map[string]bool { return map[string]bool{"test": false, "own:target": true} }
	tests := []struct {
		name string
		args []string
		rest []string // nil: help or an error
		of   string   // target whose options are wanted
		want option.Values
		help string
		err  string
	}{
		{name: "a text and a switch", args: []string{"bench:mock", "-task=a", "-verbose"}, rest: []string{"bench:mock"}, of: "bench:mock", want: option.Values{Task: "a", Verbose: true}},
		{name: "two hyphens", args: []string{"bench:mock", "--task=--a", "--verbose=false"}, rest: []string{"bench:mock"}, of: "bench:mock", want: option.Values{Task: "--a"}},
		{name: "case of letters", args: []string{"Bench:Mock", "-PACKAGE=x"}, rest: []string{"Bench:Mock"}, of: "bench:mock", want: option.Values{Package: "x"}},
		{name: "a number and a duration", args: []string{"bench:mock", "-parallel=2", "-maxDuration=5s"}, rest: []string{"bench:mock"}, of: "bench:mock", want: option.Values{Parallel: 2, MaxDuration: 5 * time.Second}},
		{name: "one name, two options", args: []string{"report:merge", "-runs=a,b", "-run=c"}, rest: []string{"report:merge"}, of: "report:merge", want: option.Values{Join: "a,b", RunID: "c"}},
		{name: "mage's own", args: []string{"-v", "-t=5s", "bench:mock"}, rest: []string{"-v", "-t=5s", "bench:mock"}, of: "bench:mock"},
		{name: "mage's value", args: []string{"-t", "5s", "bench:mock"}, rest: []string{"-t", "5s", "bench:mock"}, of: "bench:mock"},
		{name: "two targets", args: []string{"bench:mock", "-task=a", "report:show", "-judge"}, rest: []string{"bench:mock", "report:show"}, of: "report:show", want: option.Values{Judge: true}},
		{name: "another's target", args: []string{"own:target", "-x=1", "doctor"}, rest: []string{"own:target", "-x=1", "doctor"}, of: "doctor"},
		{name: "list", args: []string{"-l"}, rest: []string{"-l"}},
		{name: "mage's help", args: []string{"-h"}, rest: []string{"-h"}},
		{name: "help before", args: []string{"-h", "bench:mock"}, help: "bench:mock"},
		{name: "help behind", args: []string{"bench:mock", "-h"}, help: "bench:mock"},
		{name: "all help", args: []string{"bench:mock", "-h", "-all"}, help: "bench:mock"},
		{name: "all help, turned", args: []string{"bench:mock", "-all", "-h"}, help: "bench:mock"},
		{name: "help behind options", args: []string{"bench:mock", "-task=a", "--help"}, help: "bench:mock"},
		{name: "help of another's", args: []string{"-h", "own:target"}, rest: []string{"-h", "own:target"}},
		{name: "help behind another's", args: []string{"own:target", "-h"}, rest: []string{"-h", "own:target"}},
		{name: "help behind another's options", args: []string{"own:target", "-x=1", "-h"}, rest: []string{"-h", "own:target"}},
		{name: "mistyped target", args: []string{"bench:mok"}, err: `unknown target "bench:mok"; nothing was run; mage -l lists all; did you mean "bench:mock"?`},
		{name: "mistyped second target", args: []string{"bench:mock", "task:chek"}, err: `unknown target "task:chek"; nothing was run; mage -l lists all; did you mean "task:check"?`},
		{name: "a value without its option", args: []string{"bench:mock", "example"}, err: `"example" is not a target: options of bench:mock are written -name=value, see mage bench:mock -h; nothing was run`},
		{name: "mistyped option", args: []string{"bench:mock", "-tsak=a"}, err: `-tsak: bench:mock has no such option; see mage bench:mock -h -all; nothing was run; did you mean "-task"?`},
		{name: "unknown option", args: []string{"bench:mock", "--zzzzzz"}, err: `-zzzzzz: bench:mock has no such option; see mage bench:mock -h -all; nothing was run`},
		{name: "no value", args: []string{"bench:mock", "-task"}, err: `-task: needs a value, such as -task=<text>`},
		{name: "no number", args: []string{"bench:mock", "-parallel=two"}, err: `-parallel: is "two", want a whole number`},
		{name: "too small", args: []string{"bench:mock", "-repetitions=0"}, err: `-repetitions: is 0, want 1 to 100000`},
		{name: "several mistakes", args: []string{"bench:mock", "-parallel=65", "-seed=-1"}, err: "-parallel: is 65, want 1 to 64\n-seed: is -1, want 0 to 9007199254740992"},
		{name: "no duration", args: []string{"bench:mock", "-maxDuration=5"}, err: `-maxDuration: is "5", want a duration such as 30s or 1m30s`},
		{name: "no truth", args: []string{"bench:mock", "-verbose=maybe"}, err: `-verbose: is "maybe", want true or false`},
		{name: "no such word", args: []string{"bench:mock", "-drift=strickt"}, err: `-drift: is "strickt", want count, strict; did you mean "strict"?`},
		{name: "a word of another target", args: []string{"bench:mock", "-drift=accept"}, err: `-drift: is "accept", want count, strict`},
		{name: "nor has another's", args: []string{"test", "-x=1"}, err: `test takes no options, so "-x=1" is not allowed; nothing was run`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			a, err := readArgs(test.args, others)
			got := ""
			if err != nil {
				got, a.rest = err.Error(), nil
			}
			if got != test.err {
				t.Errorf("error %q, want %q", got, test.err)
			}
			name := ""
			if a.help != nil {
				name = a.help.Name
			}
			if name != test.help {
				t.Errorf("help of %q, want %q", name, test.help)
			}
			if diff := cmp.Diff(test.rest, a.rest); diff != "" {
				t.Errorf("arguments mismatch (-want +got):\n%s", diff)
			}
			if test.of == "" {
				return
			}
			if diff := cmp.Diff([]option.Values{test.want}, a.calls[test.of]); diff != "" {
				t.Errorf("options mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

// A target that is called twice has the options of each call, in order.
func TestOptionsOfCalls(t *testing.T) {
	a, err := readArgs([]string{"bench:mock", "-run=a", "report:show", "bench:mock", "-run=b"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { calls = nil }()
	calls = a.calls
	for _, want := range []string{"a", "b", ""} {
		if got := Options("bench:mock").RunID; got != want {
			t.Errorf("run %q, want %q", got, want)
		}
	}
}

// The help of every target fits on a screen, if it does not have to explain what is rare.
func TestHelpFits(t *testing.T) {
	for _, target := range option.Targets {
		var short, all strings.Builder
		writeHelp(&short, target, false, 80)
		writeHelp(&all, target, true, 80)
		if n := strings.Count(short.String(), "\n"); n > 50 {
			t.Errorf("%s: %d lines:\n%s", target.Name, n, &short)
		}
		for _, r := range target.Rows() {
			if !strings.Contains(short.String(), "-"+r.Name) || !strings.Contains(all.String(), "\n  -"+r.Name) {
				t.Errorf("%s: no help for -%s", target.Name, r.Name)
			}
		}
	}
}

// No argument makes the reader panic, and what it leaves for mage has none of our options.
func FuzzArgs(f *testing.F) {
	f.Add("bench:mock\x00-task=a\x00-h\x00-all")
	f.Add("-t\x005s\x00report:merge\x00-runs=a\x00--run\x00own:target\x00-x")
	f.Add("task:try\x00-drift=accept\x00-seed=9999999999999999999\x00-maxDuration=1h1ns\x00-\x00--\x00=\x00")
	f.Fuzz(func(t *testing.T, line string) {
		a, err := readArgs(strings.Split(line, "\x00"), func() map[string]bool { return map[string]bool{"own:target": true} })
		if err != nil || a.help != nil {
			return
		}
		for target, list := range a.calls {
			of, _ := option.Find(target)
			for _, v := range list {
				if err := of.Check(v); err != nil {
					t.Errorf("%q was read, but: %v", line, err)
				}
			}
		}
	})
}
