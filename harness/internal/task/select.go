package task

import (
	"fmt"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/display"
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
	wantID, err := names(o.IDs, "task", specs, func(s Spec) []string { return []string{s.ID} })
	if err != nil {
		return nil, err
	}
	wantTag, err := names(o.Tags, "tag", specs, func(s Spec) []string { return s.Tags })
	if err != nil {
		return nil, err
	}
	var chosen []Spec
	for _, s := range specs {
		if (wantID == nil || wantID[s.ID]) && (wantTag == nil || slices.ContainsFunc(s.Tags, func(t string) bool { return wantTag[t] })) && s.in(o.Suite) {
			chosen = append(chosen, s)
		}
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("no task fits%s; run mage bench:list", o)
	}
	return chosen, nil
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

// names splits a list and checks that some spec has each name. It returns nil for an
// empty list.
func names(list, what string, specs []Spec, of func(Spec) []string) (map[string]bool, error) {
	if list == "" {
		return nil, nil
	}
	var known []string
	for _, s := range specs {
		known = append(known, of(s)...)
	}
	want := make(map[string]bool)
	for name := range strings.SplitSeq(list, ",") {
		name = strings.TrimSpace(name)
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("unknown %s %s%s; run mage bench:list", what, display.Quote(name), display.DidYouMean(name, known))
		}
		want[name] = true
	}
	return want, nil
}
