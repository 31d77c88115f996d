package program

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/internal/option"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// mage says that this program is a compiled magefile with our targets.
var mage bool

// IsMage says that the program's arguments are targets and their options. Package targets calls
// it.
func IsMage() { mage = true }

// calls are the options of the targets on the command line, by target, in their order there.
var calls = map[string][]option.Values{}

// Options returns the options of the next call of the target. They are empty if nobody typed
// its name.
func Options(target string) (v option.Values) {
	if list := calls[target]; len(list) > 0 {
		v, calls[target] = list[0], list[1:]
	}
	return v
}

// Arguments checks os.Args before mage reads them, and takes the options of our targets out of
// them, for [Options]. If the user asks for help, or an argument is wrong, it prints the help or
// the error and ends the process.
func Arguments() {
	if !mage || os.Getenv(rawEnv) != "" {
		return
	}
	a, err := readArgs(os.Args[1:], otherTargets)
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "Error:", err)
		os.Exit(ExitUsage)
	case a.help != nil || !a.target:
		out := WatchOutput(os.Stdout)
		if a.help != nil {
			writeHelp(out, *a.help, slices.ContainsFunc(os.Args, isAll), LineWidth(out))
		} else { // mage would not notice what is lost
			fmt.Fprint(out, askMage(os.Args[1:]...))
		}
		err := out.Check(nil)
		if err != nil {
			fmt.Fprintln(os.Stderr, "Error:", err)
		}
		os.Exit(ExitCode(err))
	}
	os.Args, calls = append(os.Args[:1], a.rest...), a.calls
}

// arguments are what readArgs read.
type arguments struct {
	target bool                       // there is one
	help   *option.Target             // the target whose help is asked for; nil: none
	rest   []string                   // for mage
	calls  map[string][]option.Values // by target
}

// readArgs reads the arguments of a compiled magefile before mage does. The error says which
// arguments are wrong and what the user probably meant. Mage v1.17.2 would find a mistake only
// after earlier targets have run, does not accept -h after a target, and takes options only as
// parameters of functions, which would repeat each option for each target.
//
// others returns the program's other targets, and whether each has options. readArgs calls it
// only for a word that is not one of our targets.
func readArgs(args []string, others func() map[string]bool) (a arguments, err error) {
	a.calls = map[string][]option.Values{}
	wanted := os.Getenv("MAGEFILE_HELP") == "1" // set by mage -h TARGET
	var current *option.Target
	var values *option.Values // of the current target
	last := ""                // target, ours or not
	foreign, options := false, false
	var wrong []error
	for i, arg := range args {
		switch {
		case current == nil && !foreign && i > 0 && strings.TrimLeft(args[i-1], "-") == "t":
			a.rest = append(a.rest, arg) // the value of mage's -t
		case isHelp(arg) && current == nil && !foreign:
			wanted = true
			a.rest = append(a.rest, arg)
		case isHelp(arg) && current != nil:
			return arguments{help: current}, nil
		case isHelp(arg):
			return arguments{target: true, rest: []string{"-h", last}}, nil
		case strings.HasPrefix(arg, "-") && foreign:
			if !options {
				return a, fmt.Errorf("%s takes no options, so %q is not allowed; nothing was run", last, arg)
			}
			a.rest = append(a.rest, arg)
		case current != nil && isAll(arg) && slices.ContainsFunc(args[i:], isHelp):
		case strings.HasPrefix(arg, "-") && current != nil:
			wrong = append(wrong, current.Set(values, arg))
		case strings.HasPrefix(arg, "-"): // mage's own option; of others mage prints a list, and exits with 0
			if name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "="); !slices.Contains([]string{"v", "l", "t"}, name) {
				return a, fmt.Errorf("%s stands before a target; the options of a target follow it; nothing was run", arg)
			}
			a.rest = append(a.rest, arg)
		default:
			before := last
			foreign, options, current = false, false, nil
			if t, ok := option.Find(arg); ok {
				current = &t
				a.calls[t.Name] = append(a.calls[t.Name], option.Values{})
				values = &a.calls[t.Name][len(a.calls[t.Name])-1]
			} else if foreign, options, err = isOther(arg, before, others()); err != nil {
				return a, errors.Join(append(wrong, err)...)
			}
			if wanted && current != nil {
				return arguments{help: current}, nil
			}
			last, a.target, a.rest = arg, true, append(a.rest, arg)
		}
	}
	return a, errors.Join(wrong...)
}

func isAll(arg string) bool { return arg == "-all" || arg == "--all" }

func isHelp(arg string) bool { return arg == "-h" || arg == "--h" || arg == "-help" || arg == "--help" }

// isOther reports whether name is a target of another package, and whether that has options.
func isOther(name, before string, others map[string]bool) (foreign, options bool, err error) {
	var names []string
	for _, t := range option.Targets {
		names = append(names, t.Name)
	}
	for other, options := range others {
		if strings.EqualFold(other, name) {
			return true, options, nil
		}
		names = append(names, other)
	}
	if near := display.DidYouMean(name, names); near != "" || before == "" {
		return false, false, fmt.Errorf("unknown target %q; nothing was run; mage -l lists all%s", name, near)
	}
	return false, false, fmt.Errorf("%q is not a target: options of %s are written -name=value, see mage %[2]s -h; nothing was run", name, before)
}

// otherTargets returns the targets of other packages, and whether each has options. It runs
// this program with mage's own -l and -h and reads their output, in the form of mage
// v1.17.2. It can go when mage gives the program a list of its targets.
func otherTargets() map[string]bool {
	others := map[string]bool{}
	for line := range strings.Lines(askMage("-l")) {
		fields := strings.Fields(line)
		if !strings.HasPrefix(line, "  ") || len(fields) == 0 {
			continue
		}
		name := strings.TrimSuffix(fields[0], "*") // mage marks the default target with a *
		if _, ours := option.Find(name); !ours {
			others[name] = strings.Contains(askMage("-h", name), "<")
		}
	}
	return others
}

// rawEnv stops a copy of this program from checking its arguments with readArgs.
const rawEnv = "OPENCHROME_BENCH_RAW_ARGS"

func askMage(args ...string) string {
	self, err := os.Executable()
	if err != nil {
		return ""
	}
	cmd := exec.Command(self, args...)
	cmd.Env = append(os.Environ(), rawEnv+"=1")
	out, _ := cmd.Output()
	return string(out)
}
