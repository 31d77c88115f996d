package option

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// Use is who looks at an option in a plan.
type Use int

// The uses.
const (
	Resumes  Use = 1 << iota // -resume refuses a run that differs in it
	Merges                   // so does report:merge
	Compares                 // so does report:compare
	Repeats                  // the command that runs an episode again has it
)

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
