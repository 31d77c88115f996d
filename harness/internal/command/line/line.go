package line

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/openchrome/bench/harness/internal/command/program"
	"github.com/openchrome/bench/harness/internal/option"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// Call does what the target does with the options, if it takes all of them. What it prints is not lost
// without an error.
func Call(ctx context.Context, target string, v option.Values) error {
	t, ok := Find(target)
	if !ok {
		return program.Usage(fmt.Errorf("unknown target %q; %s -h lists all", target, display.Program))
	}
	if err := option.Target(t.Name).Check(v); err != nil {
		return program.Usage(err)
	}
	out := program.WatchOutput(cmp.Or[io.Writer](v.Stdout, os.Stdout))
	v.Stdout = out
	return out.Check(t.do(ctx, v))
}

// Run runs a target with the options of a command line, and returns its exit code. A failing verdict is
// printed like a passing one.
func Run(ctx context.Context, t Target, args []string, stdout, stderr io.Writer) (code int) {
	q, err := option.Target(t.Name).Read(args)
	_, second := Find(q.More)
	switch {
	case q.Help:
		err = printed(stdout, func(w io.Writer, width int) { writeHelp(w, t, q.All, width) })
	case err != nil:
		err = program.Usage(err)
	case second:
		err = behind(q.More, t.Name)
	case q.More != "":
		err = program.Usage(fmt.Errorf("%q is not a target: options of %s are written -name=value, see %s %[2]s -h; nothing was run", q.More, t.Name, display.Program))
	default:
		q.Stdout, q.Stderr = stdout, stderr
		err = Call(ctx, t.Name, q.Values)
	}
	if bisects(args) {
		err = program.Bisect(err)
	}
	if code = program.ExitCode(err); err == nil {
		return code
	}
	text := display.Lines(err.Error())
	if _, ok := errors.AsType[*program.ExitError](err); ok && code != program.ExitUsage && code != program.ExitAbort {
		signal.Ignore(syscall.SIGPIPE) // the reader of our output may be gone
		if _, lost := fmt.Fprintln(stdout, text); lost == nil || errors.Is(lost, syscall.EPIPE) {
			return code
		}
	}
	fmt.Fprintln(stderr, "Error:", text)
	return code
}

// bisects reports whether a command line asks for the exit codes of git bisect, even if it cannot be read.
func bisects(args []string) bool {
	line := strings.Join(args, "\n") + "\n"
	return regexp.MustCompile(`(?m)^--?exit[=\n]` + option.Bisect).MatchString(line)
}

// printed prints a help, which is not lost without an error.
func printed(w io.Writer, write func(io.Writer, int)) error {
	out := program.WatchOutput(w)
	write(out, program.LineWidth(out))
	return out.Check(nil)
}

// Magefile says that this program is a compiled magefile with our targets. Package targets sets it.
var Magefile bool

// Main runs the target that the program's first argument names, and ends the process. In a magefile it returns if
// mage has to read the arguments: for its list, and for a target that is not ours. Mage v1.17.2 would find a mistake
// only after earlier targets have run, does not accept -h after a target, and takes options only as parameters of
// functions, which would repeat each option for each target.
//
// others are the targets that are not ours. They take no options; nil: they are not known.
func Main(others []string) {
	var verbose, list, help bool
	var timeout time.Duration
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.BoolVar(&help, "h", Magefile && isSet("MAGEFILE_HELP"), "")
	flags.BoolVar(&help, "help", help, "")
	if Magefile { // as mage does
		limit, _ := time.ParseDuration(os.Getenv("MAGEFILE_TIMEOUT"))
		flags.DurationVar(&timeout, "t", limit, "")
		flags.BoolVar(&verbose, "v", isSet("MAGEFILE_VERBOSE"), "")
		flags.BoolVar(&list, "l", isSet("MAGEFILE_LIST"), "")
	}
	if err := flags.Parse(os.Args[1:]); err != nil { // of this mage prints a list, and exits with 0
		wrong := os.Args[max(1, len(os.Args)-flags.NArg()-1)]
		refuse("%s stands before a target; the options of a target follow it; nothing was run", display.Visible(wrong))
	}
	args := flags.Args()
	if list || Magefile && len(args) == 0 && !help {
		return
	}
	if len(args) == 0 {
		end(printed(os.Stdout, func(w io.Writer, width int) { writeList(w, others, width) }))
	}
	if help {
		args = append(args, "-h")
	}
	t, ours := Find(args[0])
	if !ours {
		foreign(args, others)
		return
	}
	if verbose {
		fmt.Fprintln(os.Stderr, "Running target:", t.Name)
	}
	process(t, args[1:], timeout)
}

// foreign leaves targets of the magefile to mage, or refuses what mage would refuse too late.
func foreign(args, others []string) {
	last := args[0]
	for i, arg := range args {
		_, ours := Find(arg)
		switch {
		case isHelp(arg):
			os.Args = []string{os.Args[0], "-h", last}
			return
		case ours:
			end(behind(arg, last))
		case slices.ContainsFunc(others, func(other string) bool { return strings.EqualFold(other, arg) }):
			last = arg
		case others == nil && i > 0: // it may be a value
		case strings.HasPrefix(arg, "-"):
			refuse("%s takes no options, so %q is not allowed; nothing was run", last, arg)
		default:
			names := slices.Clone(others)
			for _, t := range Targets {
				names = append(names, t.Name)
			}
			if near := display.DidYouMean(arg, names); near != "" || others != nil {
				refuse("unknown target %q; nothing was run; %s -h lists all%s", arg, display.Program, near)
			}
		}
	}
}

// process runs a target and ends the process. Ctrl-C or a timeout stops the target; a second Ctrl-C does not
// wait for it.
func process(t Target, args []string, timeout time.Duration) {
	ctx, cancel := context.WithCancel(context.Background())
	if timeout > 0 {
		time.AfterFunc(timeout, cancel)
	}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, os.Interrupt)
	go func() {
		<-stop
		cancel()
		select {
		case <-stop:
		case <-time.After(stopTimeout):
		}
		os.Exit(program.ExitInterrupted)
	}()
	os.Exit(Run(ctx, t, args, os.Stdout, os.Stderr))
}

// stopTimeout is how long a target that Ctrl-C stopped may clean up; the watchdog does the rest.
const stopTimeout = 5 * time.Second

func end(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "Error:", err)
	}
	os.Exit(program.ExitCode(err))
}

// refuse ends the process, because the command line is wrong.
func refuse(format string, args ...any) { end(program.Usage(fmt.Errorf(format, args...))) }

func behind(second, first string) error {
	return program.Usage(fmt.Errorf("%s stands behind %s; give each target a command of its own; nothing was run", second, first))
}

func isHelp(arg string) bool { return slices.Contains([]string{"-h", "--h", "-help", "--help"}, arg) }

func isSet(variable string) bool {
	set, _ := strconv.ParseBool(os.Getenv(variable))
	return set
}
