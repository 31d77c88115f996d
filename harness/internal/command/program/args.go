package program

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/openchrome/bench/harness/internal/text/display"
)

// ours are the targets that Describe added.
var ours []target

// Describe adds the targets in a Go source file to the ones that [Arguments] knows. It
// panics if source is not Go.
func Describe(source string) {
	targets, err := parseTargets(source)
	if err != nil {
		panic(err)
	}
	ours = append(ours, targets...)
}

// Arguments checks os.Args before mage reads them, and rewrites them in mage's form. If the
// user asks for help, or an argument is wrong, it prints the help or the error and ends the
// process.
func Arguments() {
	if len(ours) == 0 || os.Getenv(rawEnv) != "" { // not a magefile, but a program with its own arguments
		return
	}
	help, rest, err := readArgs(os.Args[1:], ours, func() map[string]bool { return otherTargets(ours) })
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "Error:", err)
		os.Exit(2)
	case help != nil:
		help.writeHelp(os.Stdout, lineWidth(os.Stdout))
		os.Exit(0)
	}
	os.Args = append(os.Args[:1], rest...)
}

// readArgs reads the arguments of a compiled magefile before mage does. If the user asks for
// help, help is the target. rest are the arguments for mage, with --name=value rewritten as
// -name=value. The error says which argument is wrong and what the user probably meant.
// readArgs can go when mage checks all arguments first: v1.17.2 finds most mistakes only after
// earlier targets have run, and does not accept -h after a target.
//
// others returns the program's other targets, and whether each has options. readArgs calls it
// only for a word that is not one of our targets.
func readArgs(args []string, targets []target, others func() map[string]bool) (help *target, rest []string, err error) {
	wanted := os.Getenv("MAGEFILE_HELP") == "1" // set by mage -h TARGET
	var current *target
	last := "" // target, ours or not
	foreign, options := false, false
	for i, arg := range args {
		switch {
		case current == nil && !foreign && i > 0 && strings.TrimLeft(args[i-1], "-") == "t":
			rest = append(rest, arg) // the value of mage's -t
		case isHelp(arg) && current == nil && !foreign:
			wanted = true
			rest = append(rest, arg)
		case isHelp(arg) && current != nil:
			return current, nil, nil
		case isHelp(arg):
			return nil, []string{"-h", last}, nil
		case strings.HasPrefix(arg, "-") && foreign:
			if !options {
				return nil, nil, fmt.Errorf("%s takes no options, so %q is not allowed; nothing was run", last, arg)
			}
			rest = append(rest, arg)
		case strings.HasPrefix(arg, "-") && current != nil:
			if arg, err = current.option(arg); err != nil {
				return nil, nil, err
			}
			rest = append(rest, arg)
		case strings.HasPrefix(arg, "-"):
			rest = append(rest, arg) // mage's own options
		default:
			before := current
			foreign, options, current = false, false, nil
			if n := slices.IndexFunc(targets, func(t target) bool { return strings.EqualFold(t.Name, arg) }); n >= 0 {
				current = &targets[n]
			} else if foreign, options, err = isOther(arg, before, targets, others()); err != nil {
				return nil, nil, err
			}
			if wanted && current != nil {
				return current, nil, nil
			}
			last, rest = arg, append(rest, arg)
		}
	}
	return nil, rest, nil
}

func isHelp(arg string) bool { return arg == "-h" || arg == "--h" || arg == "-help" || arg == "--help" }

// isOther reports whether name is a target of another package that has options.
func isOther(name string, before *target, ours []target, others map[string]bool) (foreign, options bool, err error) {
	var names []string
	for _, t := range ours {
		names = append(names, t.Name)
	}
	for other, options := range others {
		if strings.EqualFold(other, name) {
			return true, options, nil
		}
		names = append(names, other)
	}
	if near := display.DidYouMean(name, names); near != "" || before == nil {
		return false, false, fmt.Errorf("unknown target %q; nothing was run; mage -l lists all%s", name, near)
	}
	return false, false, fmt.Errorf("%q is not a target: options of %s are written -name=value, see mage %[2]s -h; nothing was run", name, before.Name)
}

// option checks one option and returns it in mage's form.
func (t *target) option(arg string) (string, error) {
	name, value, hasValue := strings.Cut(strings.TrimLeft(arg, "-"), "=")
	i := slices.IndexFunc(t.Options, func(o option) bool { return strings.EqualFold(o.Name, name) })
	if i < 0 {
		if len(t.Options) == 0 {
			return "", fmt.Errorf("%s takes no options, so %q is not allowed; nothing was run", t.Name, arg)
		}
		var names []string
		for _, o := range t.Options {
			names = append(names, o.Name)
		}
		near := display.DidYouMean(name, names)
		return "", fmt.Errorf("unknown option -%s of %s; nothing was run; see mage %[2]s -h%s", name, t.Name, near)
	}
	o := t.Options[i]
	if !hasValue && o.Type == "bool" {
		return "-" + o.Name, nil
	}
	var err error
	want := ""
	switch {
	case !hasValue:
		return "", fmt.Errorf("-%s needs a value: write -%[1]s=<%s>; nothing was run", o.Name, o.kind())
	case o.Type == "int":
		_, err = strconv.Atoi(value)
		want = "a whole number"
	case o.Type == "bool":
		_, err = strconv.ParseBool(value)
		want = "true or false"
	case o.Type == "time.Duration":
		_, err = time.ParseDuration(value)
		want = "a duration such as 30s or 1m30s"
	}
	if err != nil {
		return "", fmt.Errorf("-%s is %q, want %s; nothing was run", o.Name, value, want)
	}
	return "-" + o.Name + "=" + value, nil
}

// otherTargets returns the targets of other packages, and whether each has options. It runs
// this program with mage's own -l and -h and reads their output, in the form of mage
// v1.17.2. It can go when mage gives the program a list of its targets.
func otherTargets(ours []target) map[string]bool {
	others := map[string]bool{}
	for line := range strings.Lines(askMage("-l")) {
		fields := strings.Fields(line)
		if !strings.HasPrefix(line, "  ") || len(fields) == 0 {
			continue
		}
		name := strings.TrimSuffix(fields[0], "*") // mage marks the default target with a *
		if !slices.ContainsFunc(ours, func(t target) bool { return strings.EqualFold(t.Name, name) }) {
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
