package option

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// Target is the name of a target, as people type it, such as bench:mock.
type Target string

// Row is an option: its meaning, its values, and what depends on it.
type Row struct {
	Name string            // as people type it
	Doc  string            // its meaning, with the default in brackets
	In   string            // the targets that take it, separated by spaces
	Rare bool              // only -h -all shows it
	At   func(*Values) any // its field: *string, *int, *bool or *time.Duration

	Min, Max int      // bounds of a number, or of a duration in ns; Max 0: none. The zero value means the default, and need not be in them
	Random   bool     // a number may also be the word random: one up to Max
	Words    []string // all its values; nil: another check knows them
	Default  string   // in a plan; the command that runs an episode again leaves it out

	// What the plan of a run holds of it, and who looks at it there. An option of a run that
	// changes results is in the plan, and Resumes and Merges look at it. Another one says
	// Because.
	Plan    func(*record.RunStart) any // its field in the plan: *string or *int; nil: the plan does not have it
	Meant   bool                       // the run sets that field: to what the value means there, such as the launcher that auto chose
	Uses    Use
	Because string // why two runs that differ in it may be joined
}

// Rows returns the options that the target takes.
func (t Target) Rows() (rows []Row) {
	for _, r := range Rows {
		if slices.Contains(strings.Fields(r.In), string(t)) {
			rows = append(rows, r)
		}
	}
	return rows
}

// A Request is what the arguments behind a target ask for.
type Request struct {
	Values
	Help, All bool   // -h, and -all with it
	More      string // the first argument that is no option
}

// Read reads the arguments behind a target.
func (t Target) Read(args []string) (q Request, err error) {
	var faults []error
	var names []string
	flags := flag.NewFlagSet(string(t), flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.BoolVar(&q.Help, "h", false, "")
	flags.BoolVar(&q.Help, "help", false, "")
	flags.BoolVar(&q.All, "all", false, "")
	for _, r := range t.Rows() {
		define := flags.Func
		if r.Kind() == "" {
			define = flags.BoolFunc
		}
		define(r.Name, r.Doc, func(value string) error { // a fault does not hide the next one
			faults = append(faults, r.set(&q.Values, value))
			return nil
		})
		names = append(names, "-"+r.Name)
	}
	err = flags.Parse(args)
	name, unknown := strings.CutPrefix(fmt.Sprint(err), "flag provided but not defined: ")
	if !unknown && q.All && !q.Help {
		name, unknown = "-all", true
	}
	q.More = flags.Arg(0)
	valueless, lacks := strings.CutPrefix(fmt.Sprint(err), "flag needs an argument: -")
	switch {
	case unknown && names == nil:
		err = fmt.Errorf("%s takes no options, so %s is not allowed; nothing was run", t, display.Visible(name))
	case unknown && renamed[name] != "":
		err = fmt.Errorf("%s: it is %s now, because not every server is an OpenChrome; nothing was run", name, renamed[name])
	case unknown:
		err = fmt.Errorf("%s: %s has no such option; see %s %[2]s -h -all; nothing was run%[4]s",
			display.Visible(name), t, display.Program, display.DidYouMean(name, names))
	case lacks:
		r := t.Rows()[slices.Index(names, "-"+valueless)]
		err = fmt.Errorf("-%s: needs a value, such as -%[1]s=<%s>", r.Name, r.Kind())
	}
	return q, errors.Join(append(faults, err)...)
}

// renamed are options that have another name now.
var renamed = map[string]string{"-openchrome": "-server", "-subjects": "-servers"}

func (r Row) set(v *Values, value string) (err error) {
	want := ""
	switch at := r.At(v).(type) {
	case *string:
		*at = value
	case *int:
		want = "a whole number"
		if r.Random {
			want = "a whole number or random"
		}
		if r.Random && value == "random" {
			value = strconv.Itoa(rand.IntN(r.Max + 1))
			fmt.Fprintf(os.Stderr, "-%s: random chose %s\n", r.Name, value)
		}
		*at, err = strconv.Atoi(value)
	case *bool:
		*at, err = strconv.ParseBool(value)
		want = "true or false"
	case *time.Duration:
		*at, err = time.ParseDuration(value)
		want = "a duration such as 30s or 1m30s"
	}
	if err != nil {
		return fmt.Errorf("-%s: is %s, want %s", r.Name, display.Quote(value), want)
	}
	return r.check(v, r.Min)
}

// Kind returns the type of the option as a word for people; empty for one that needs no value.
func (r Row) Kind() string {
	switch r.At(new(Values)).(type) {
	case *int:
		return "number"
	case *time.Duration:
		return "duration"
	case *bool:
		return ""
	}
	return "text"
}

// Check returns an error for each field of v that the target does not take, and for each value
// that an option cannot have. Zero values are defaults.
func (t Target) Check(v Values) error {
	var errs []error
	rows := t.Rows()
	for _, r := range rows {
		errs = append(errs, r.check(&v, 0))
	}
	for _, r := range Rows {
		taken := slices.ContainsFunc(rows, func(own Row) bool { return own.At(&v) == r.At(&v) })
		if !taken && !reflect.ValueOf(r.At(&v)).Elem().IsZero() {
			errs = append(errs, fmt.Errorf("-%s: %s has no such option", r.Name, t))
		}
	}
	return errors.Join(errs...)
}

// check checks the value that the row has in v. The least number is Min, or 0 if that is less
// than Min and allowed as the default.
func (r Row) check(v *Values, least int) error {
	least = min(least, r.Min)
	switch at := r.At(v).(type) {
	case *int:
		if *at < least || r.Max > 0 && *at > r.Max {
			return fmt.Errorf("-%s: is %d, want %s", r.Name, *at, r.bounds(func(n int) string { return strconv.Itoa(n) }))
		}
	case *time.Duration:
		if n := int(*at); n < least || r.Max > 0 && n > r.Max || *at%time.Millisecond != 0 {
			return fmt.Errorf("-%s: is %s, want whole milliseconds: %s", r.Name, *at, r.bounds(func(n int) string { return time.Duration(n).String() }))
		}
	case *string:
		if r.Words != nil && *at != "" && !slices.Contains(r.Words, *at) {
			return fmt.Errorf("-%s: is %s, want %s%s", r.Name, display.Quote(*at), strings.Join(r.Words, ", "), display.DidYouMean(*at, r.Words))
		}
	}
	return nil
}

func (r Row) bounds(text func(int) string) string {
	if r.Max == 0 {
		return text(r.Min) + " or more"
	}
	return text(r.Min) + " to " + text(r.Max)
}

// WithDefaults gives the options that have one their Default, and the other outputs theirs.
func (v Values) WithDefaults() Values {
	v.Out = cmp.Or(v.Out, ".")
	v.Stdout, v.Stderr = cmp.Or[io.Writer](v.Stdout, os.Stdout), cmp.Or[io.Writer](v.Stderr, os.Stderr)
	for _, r := range Rows {
		if at, ok := r.At(&v).(*string); ok {
			*at = cmp.Or(*at, r.Default)
		}
	}
	return v
}

// Use is who looks at an option in a plan.
type Use int

// The uses.
const (
	Resumes  Use = 1 << iota // -resume refuses a run that differs in it
	Merges                   // so does report:merge
	Compares                 // so does report:compare
	Repeats                  // the command that runs an episode again has it
)

// Args returns the values as arguments of the target, without those that are zero.
func (t Target) Args(v Values) (args []string) {
	for _, r := range t.Rows() {
		if value := reflect.ValueOf(r.At(&v)).Elem(); !value.IsZero() {
			args = append(args, fmt.Sprintf("-%s=%v", r.Name, value))
		}
	}
	return args
}

// Plan writes the values into the plan, except those that the run sets.
func (v Values) Plan(start *record.RunStart) {
	for _, r := range Rows {
		if r.Plan == nil || r.Meant {
			continue
		}
		switch to := r.Plan(start).(type) {
		case *string:
			*to = *r.At(&v).(*string)
		case *int:
			switch from := r.At(&v).(type) {
			case *int:
				*to = *from
			case *time.Duration:
				*to = int(from.Milliseconds())
			}
		}
	}
}

// text returns what the plan holds of the option, as it is written on a command line; empty if
// that is nothing.
func (r Row) text(s *record.RunStart) string {
	switch at := r.Plan(s).(type) {
	case *int:
		if _, ok := r.At(new(Values)).(*time.Duration); ok && *at != 0 {
			return (time.Duration(*at) * time.Millisecond).String()
		}
		if *at != 0 {
			return strconv.Itoa(*at)
		}
		return ""
	case *string:
		return *at
	}
	return ""
}

// Differ returns how two plans differ in the options that use looks at, a line each. at says
// where they are, such as "%s and %s".
func Differ(a, b *record.RunStart, use Use, at string) (lines []string) {
	for _, r := range Rows {
		if r.Uses&use == 0 || r.text(a) == r.text(b) {
			continue
		}
		none := "none"
		if _, ok := r.Plan(a).(*int); ok && r.Min == 0 {
			none = "0"
		}
		shown := func(s *record.RunStart) string { return cmp.Or(display.Short(r.text(s)), none) }
		lines = append(lines, "-"+r.Name+": "+fmt.Sprintf(at, shown(a), shown(b)))
	}
	return lines
}

// Repeat returns the options of a target that repeat a run with this plan, except instead of which there is
// another value: for a value that a plan cannot hold.
func Repeat(s *record.RunStart, target string, instead map[string]string) (args []string) {
	for _, r := range Rows {
		if r.Uses&Repeats == 0 || !slices.Contains(strings.Fields(r.In), target) {
			continue
		}
		value := r.text(s)
		if other, ok := instead[r.Name]; ok {
			value = other
		}
		args = append(args, display.Setting(r.Name, value, r.Default))
	}
	return args
}
