package record

import (
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"
)

// Dir is the folder below -out that logs and pages are written to.
const Dir = "events"

// AgentLog is the file in a [Page] with what an agent printed.
const AgentLog = "agent.log"

// Page is the folder for the page of an attempt at an episode, counted from 1, relative to
// the folder that the run writes to, with slashes.
func Page(runID, taskID string, repetition, attempt int) string {
	name := fmt.Sprintf("%s-%d", taskID, repetition)
	if attempt > 1 {
		name += fmt.Sprintf(".%d", attempt)
	}
	return path.Join(Dir, runID, name)
}

// A run id and a task id are used as file names.
var (
	runID      = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*$`)
	taskID     = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$`)
	policyName = regexp.MustCompile(`^[a-z]{1,20}(\+[a-z]{1,20})?$`)
	// taken are the names of other files, how files of a run end, and the devices of Windows,
	// which are no file names there, also with an extension.
	taken = regexp.MustCompile(`^(?i:latest|readme|history|changes|.*\.(canonical|schema|jsonl?|md|html|xml|txt)|(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?)$`)
)

// CheckRunID returns an error if id cannot be the name of a run.
func CheckRunID(id string) error {
	if len(id) > 100 || !runID.MatchString(id) || taken.MatchString(id) {
		return fmt.Errorf("is %q, want up to 100 letters, digits, underscores, hyphens and single dots between them, and not latest, readme, history, changes, an ending of a file such as .json, or a device of Windows such as con or nul", id)
	}
	return nil
}

// Under says which task a row of a plan runs, and under which policy. The zero value is no policy: the
// id of the row is then the id of the task.
type Under struct {
	Of     string `json:"of,omitempty"`     // the id of the task
	Policy string `json:"policy,omitempty"` // such as form+check
}

// PolicyID returns the id of a row that runs a task under a policy, such as example-h1@form+check. It
// only names the row, and so its episodes; [Under] says what the row runs.
func PolicyID(task, policy string) string { return task + "@" + policy }

// Check returns an error if id cannot be the id of such a row in a log. The id of its task is then
// a file name too.
func (u Under) Check(id string) error {
	switch {
	case u == Under{}:
		u.Of = id
	case !policyName.MatchString(u.Policy) || id != PolicyID(u.Of, u.Policy):
		return fmt.Errorf("task is %q, want the id of the task, %q, then @ and the policy, %q", id, u.Of, u.Policy)
	}
	if !taskID.MatchString(u.Of) {
		return fmt.Errorf("task is %q, want up to 100 letters, digits, hyphens, underscores and dots, "+
			"beginning with a letter or digit, and maybe @ and a policy, if the field policy says so", id)
	}
	return nil
}

// EpisodeName returns the name of an episode, such as example-h1#1.
func EpisodeName(task string, repetition int) string {
	return task + "#" + strconv.Itoa(repetition)
}

// Names collects episodes, so that a list of many is short. The zero value is empty.
type Names struct {
	tasks []string
	of    [][]int // repetitions, by index in tasks
}

// Add adds an episode. The episodes of a task follow each other, in ascending order.
func (n *Names) Add(task string, repetition int) {
	if last := len(n.tasks) - 1; last < 0 || n.tasks[last] != task {
		n.tasks, n.of = append(n.tasks, task), append(n.of, nil)
	}
	last := len(n.of) - 1
	n.of[last] = append(n.of[last], repetition)
}

// List returns a text for each task, such as example-h1#1-3,5; nil if there is none.
func (n *Names) List() (list []string) {
	for i, task := range n.tasks {
		list = append(list, task+"#"+Ranges(n.of[i]))
	}
	return list
}

// Ranges writes ascending numbers as 1-3,5.
func Ranges(numbers []int) string {
	var b strings.Builder
	for i := 0; i < len(numbers); {
		end := i
		for end+1 < len(numbers) && numbers[end+1] == numbers[end]+1 {
			end++
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(numbers[i]))
		if end > i {
			b.WriteString("-" + strconv.Itoa(numbers[end]))
		}
		i = end + 1
	}
	return b.String()
}
