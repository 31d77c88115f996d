package suitecheck

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/internal/read/task"
	"github.com/openchrome/bench/harness/internal/text/display"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
)

// SignedFile is the file in a task's folder that signs off faults that cannot be fixed.
const SignedFile = "checks.json"

// signedOff is the content of a [SignedFile]. The zero value signs off nothing. The values
// of the maps are the reasons.
type signedOff struct {
	exempt    map[string]string // checks that the task need not pass
	survivors map[string]string // mutants after which the contract may hold
	then      map[string]string // what may be sent after the transcript, such as buttons of forms
	unsaid    map[string]string // lines with values that neither the goal nor an answer says
}

// needed are the checks that no task may be exempt from. Survivors of mutants, forms and lines
// with values that nothing says are signed off one by one.
var needed = []string{"oracle", "cut", "mutants", "goal", "forbidden", "then", "defect", "steps"}

// readSigned reads the file of a task, and returns its faults. A task without the file signs
// off nothing.
func readSigned(from *task.Folder) (signedOff, jsonfile.Faults) {
	var out signedOff
	if !slices.Contains(from.Files, SignedFile) {
		return out, nil
	}
	f := from.File(SignedFile, "")
	reasons := func(of *map[string]string, allowed []string) func(*jsonfile.Node) {
		return func(n *jsonfile.Node) {
			*of = make(map[string]string)
			if !f.Want(n, jsonfile.Object, "an object with a reason for each name") {
				return
			}
			for _, m := range n.Items {
				if allowed != nil && !slices.Contains(allowed, m.Key) {
					f.Unknown(m, allowed)
				}
				(*of)[m.Key] = f.Text(m)
			}
		}
	}
	exemptible := slices.DeleteFunc(names(), func(name string) bool { return slices.Contains(needed, name) })
	f.Fields(f.Value(),
		jsonfile.Field{Name: "exempt", Read: reasons(&out.exempt, exemptible)},
		jsonfile.Field{Name: "survivors", Read: reasons(&out.survivors, nil)},
		jsonfile.Field{Name: "then", Read: reasons(&out.then, nil)},
		jsonfile.Field{Name: "unsaid", Read: reasons(&out.unsaid, nil)},
	)
	return out, f.Faults
}

// unsign returns the problems that no part of a name signs off, and a remark for each part that
// signs off none. verb is what the signed lines do, such as "survive".
func unsign(problems []problem, signed map[string]string, verb string) (unsigned []problem, remarks []string) {
	unused := maps.Clone(signed)
	for _, p := range problems {
		found := false
		for part := range signed {
			if partOf(p.text, part) {
				found = true
				delete(unused, part)
			}
		}
		if !found {
			unsigned = append(unsigned, p)
		}
	}
	for _, part := range slices.Sorted(maps.Keys(unused)) {
		remarks = append(remarks, fmt.Sprintf("%s signs off %s, which does not %s here; remove it", SignedFile, display.Quote(part), verb))
	}
	return unsigned, remarks
}

// partOf reports whether a name, such as "line 1 fields Name: left out", belongs to a part of
// the transcript, such as "line 1" or "line 1 fields Name".
func partOf(name, part string) bool {
	rest, ok := strings.CutPrefix(name, part)
	return ok && (rest == "" || rest[0] == ' ' || rest[0] == ':')
}
