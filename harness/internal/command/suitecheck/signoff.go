package suitecheck

import (
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/internal/read/task"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
)

// SignedFile is the file in a task's folder that signs off faults that cannot be fixed.
const SignedFile = "checks.json"

// signedOff is the content of a [SignedFile]. The zero value signs off nothing. The values
// of the maps are the reasons.
type signedOff struct {
	Exempt    map[string]string `json:"exempt,omitempty"`    // checks that the task need not pass
	Survivors map[string]string `json:"survivors,omitempty"` // mutants after which the contract may hold
	Unsaid    map[string]string `json:"unsaid,omitempty"`    // lines with values that neither the goal nor an answer says
}

// needed are the checks that no task may be exempt from. Survivors of mutants and lines
// with values that nothing says are signed off one by one.
var needed = []string{"oracle", "cut", "mutants", "goal", "forbidden", "defect", "steps"}

// readSigned reads the file of a task, and returns its faults. A task without the file signs
// off nothing.
func readSigned(from *task.Folder) (signedOff, jsonfile.Faults) {
	var out signedOff
	if !slices.Contains(from.Files, SignedFile) {
		return out, nil
	}
	f := from.File(SignedFile, "")
	root := f.Value()
	f.Decode(root, &out)
	exemptible := slices.DeleteFunc(names(), func(name string) bool { return slices.Contains(needed, name) })
	if exempt := root.Get("exempt"); exempt != nil {
		for _, m := range exempt.Items {
			if !slices.Contains(exemptible, m.Key) {
				f.Unknown(m, exemptible)
			}
		}
	}
	return out, f.Faults
}

// unsign drops the problems that a part of a name signs off.
func (f *finding) unsign(signed map[string]string) {
	f.problems = slices.DeleteFunc(f.problems, func(problem string) bool {
		for part := range signed {
			if partOf(problem, part) {
				return true
			}
		}
		return false
	})
}

// partOf reports whether a name, such as "line 1 fields Name: left out", belongs to a part of
// the transcript, such as "line 1" or "line 1 fields Name".
func partOf(name, part string) bool {
	rest, ok := strings.CutPrefix(name, part)
	return ok && (rest == "" || rest[0] == ' ' || rest[0] == ':')
}
