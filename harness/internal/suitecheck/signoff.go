package suitecheck

import (
	"errors"
	"io/fs"
	"path"
	"slices"

	"github.com/openchrome/bench/harness/internal/task"
	"github.com/openchrome/bench/harness/jsonfile"
)

// SignedFile is the file in a task's folder that signs off faults that cannot be fixed.
const SignedFile = "checks.json"

// signedOff is the content of a [SignedFile]. The zero value signs off nothing. The values
// of the maps are the reasons.
type signedOff struct {
	exempt    map[string]string // checks that the task need not pass
	survivors map[string]string // mutants after which the contract may hold
	facts     []string          // what readers of the suite's results should know, see [facts]
}

// needed are the checks that no task may be exempt from. Survivors of mutants are signed off
// one by one.
var needed = []string{"oracle", "cut", "mutants", "forbidden", "steps"}

// apiShortcut is the fact that a script reaches the goal if it sends the requests of the
// oracle.
const apiShortcut = "api-shortcut"

// facts are the facts that a file may state.
var facts = []string{apiShortcut}

// readSigned reads the file of a task. A task without the file signs off nothing. The error
// is a [jsonfile.Faults] if the file has faults.
func readSigned(s task.Spec) (signedOff, error) {
	var out signedOff
	name := path.Join(s.Dir, SignedFile)
	if _, err := fs.Stat(s.Source.FS, name); errors.Is(err, fs.ErrNotExist) {
		return out, nil
	}
	f := jsonfile.Read(s.Source.FS, name, s.Path(SignedFile), "")
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
		jsonfile.Field{Name: "facts", Read: func(n *jsonfile.Node) {
			f.Array(n, "strings", func(n *jsonfile.Node) { out.facts = append(out.facts, f.OneOf(n, facts)) })
		}},
	)
	return out, f.Faults.Err()
}
