package task

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/internal/text/display"
)

// Suites are the suites of tasks, which -suite takes beside tags. smoke is small and quick. core
// is for comparing servers, and includes smoke. hard has tasks that a good server may fail. reported
// has tasks from public bug reports, fixed those from fixes of OpenChrome. all is every task. A task
// has the tag of at most one of the others.
var Suites = []string{"smoke", "core", "hard", "reported", "fixed", "all"}

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
	Suite string // [Suites] and tags, separated by commas: a task is in one of them
	Tasks string // the folder of the tasks, for errors; empty: they are built in
}

// Select returns the chosen folders. The error names an id, suite or tag that no task has, or
// every id that is not in the suite, or says that no task is chosen.
func Select(folders []*Folder, o Selection) ([]*Folder, error) {
	var ids, left []string
	tags := slices.Clone(Suites)
	var chosen []*Folder
	for _, f := range folders {
		has := f.tags()
		ids, tags = append(ids, f.Name), append(tags, has...)
		switch named := o.IDs == "" || slices.Contains(names(o.IDs), f.Name); {
		case named && o.Suite != "" && !slices.ContainsFunc(names(o.Suite), Spec{Tags: has}.in):
			left = append(left, f.Name)
		case named:
			chosen = append(chosen, f)
		}
	}
	err := cmp.Or(o.known(o.IDs, "-task: no task", ids), o.known(o.Suite, "-suite: no suite or tag", tags))
	switch {
	case err != nil:
	case o.IDs != "" && left != nil:
		err = fmt.Errorf("-task: not in -suite=%s: %s; leave out -suite to run them", display.Visible(o.Suite), strings.Join(left, ", "))
	case chosen == nil:
		err = fmt.Errorf("no task fits -suite=%s; %s", display.Visible(o.Suite), o.listed())
	}
	return chosen, err
}

// listed says where tasks are listed.
func (o Selection) listed() string {
	text := display.Command(display.Program, "task:check", "-verbose", display.Setting("tasks", o.Tasks, "")) + " lists the tasks"
	if o.Tasks == "" {
		text += ", and -tasks=FOLDER takes yours"
	}
	return text
}

// in reports whether the task is in a suite or has a tag.
func (s Spec) in(name string) bool {
	return name == "all" || slices.Contains(s.Tags, name) || name == "core" && slices.Contains(s.Tags, Smoke)
}

func names(list string) []string {
	all := strings.Split(list, ",")
	for i := range all {
		all[i] = strings.TrimSpace(all[i])
	}
	return all
}

// known returns an error if a name in a list is not in all. none says what it is not.
func (o Selection) known(list, none string, all []string) error {
	if list == "" {
		return nil
	}
	for _, name := range names(list) {
		if !slices.Contains(all, name) {
			return fmt.Errorf("%s %s; %s%s", none, display.Quote(name), o.listed(), display.DidYouMean(name, all))
		}
	}
	return nil
}
