package task

import (
	"fmt"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/internal/text/display"
)

// Suites are the values of -suite. smoke is small and quick. core is for comparing servers,
// and includes smoke. hard has tasks that a good server may fail. all is every task. A task
// has at most one of the tags smoke, core and hard.
var Suites = []string{"smoke", "core", "hard", "all"}

// Smoke is the suite that a run of built-in tasks takes by default.
const Smoke = "smoke"

// Suite returns the suite tag of the task; empty if it has none.
func (s Spec) Suite() string {
	if i := slices.IndexFunc(s.Tags, suiteTag); i >= 0 {
		return s.Tags[i]
	}
	return ""
}

// ScriptsTag is the tag of tasks that need a real browser. The stand-in skips them.
const ScriptsTag = "scripts"

// NeedsScripts reports whether the task has the tag [ScriptsTag].
func (s Spec) NeedsScripts() bool { return slices.Contains(s.Tags, ScriptsTag) }

func suiteTag(tag string) bool { return tag != "all" && slices.Contains(Suites, tag) }

// A Selection says which tasks are chosen. A task must fit every field that is not empty.
type Selection struct {
	IDs   string // ids, separated by commas
	Tags  string // tags, separated by commas: a task has at least one of them
	Suite string // one of [Suites], see [CheckSuite]
}

// Select returns the chosen specs. The error names an id or tag that no spec has, or says
// that no spec is chosen.
func Select(specs []Spec, o Selection) ([]Spec, error) {
	if err := known(o.IDs, "task", specs, func(s Spec) []string { return []string{s.ID} }); err != nil {
		return nil, err
	}
	if err := known(o.Tags, "tag", specs, func(s Spec) []string { return s.Tags }); err != nil {
		return nil, err
	}
	var chosen []Spec
	for _, s := range specs {
		if o.Has(s) {
			chosen = append(chosen, s)
		}
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("no task fits%s; run mage bench:list", o)
	}
	return chosen, nil
}

// Has reports whether the task is chosen.
func (o Selection) Has(s Spec) bool {
	return (o.IDs == "" || slices.Contains(names(o.IDs), s.ID)) &&
		(o.Tags == "" || slices.ContainsFunc(names(o.Tags), func(tag string) bool { return slices.Contains(s.Tags, tag) })) &&
		s.in(o.Suite)
}

// CheckSuite returns an error if name is not empty and not one of [Suites].
func CheckSuite(name string) error {
	if name == "" || slices.Contains(Suites, name) {
		return nil
	}
	return fmt.Errorf("suite is %s, want %s%s", display.Quote(name), strings.Join(Suites, ", "), display.DidYouMean(name, Suites))
}

// in reports whether the task belongs to a suite.
func (s Spec) in(suite string) bool {
	switch suite {
	case "", "all":
		return true
	case "core":
		return s.Suite() == "core" || s.Suite() == Smoke
	}
	return s.Suite() == suite
}

// String returns the selection as it is written on a command line.
func (o Selection) String() string {
	var b strings.Builder
	for _, f := range []struct{ name, value string }{{"task", o.IDs}, {"tags", o.Tags}, {"suite", o.Suite}} {
		if f.value != "" {
			b.WriteString(" -" + f.name + "=" + display.Visible(f.value))
		}
	}
	return b.String()
}

// names splits a list.
func names(list string) []string {
	all := strings.Split(list, ",")
	for i := range all {
		all[i] = strings.TrimSpace(all[i])
	}
	return all
}

// known returns an error if no spec has one of the names in a list.
func known(list, what string, specs []Spec, of func(Spec) []string) error {
	if list == "" {
		return nil
	}
	var all []string
	for _, s := range specs {
		all = append(all, of(s)...)
	}
	for _, name := range names(list) {
		if !slices.Contains(all, name) {
			return fmt.Errorf("unknown %s %s%s; run mage bench:list", what, display.Quote(name), display.DidYouMean(name, all))
		}
	}
	return nil
}
