package stored

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/openchrome/bench/harness/internal/drive/facts"
	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/judge/evidence"
	"github.com/openchrome/bench/harness/internal/read/param"
	"github.com/openchrome/bench/harness/internal/read/task"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/text/display"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
)

// readContract reads a contract, or the contract in a task file, which it recognises by the
// field success. Only task:check checks the rest of a task file. It fills in the values of
// the task's draw, and reports whether the contract has any. A placeholder without a value is
// a fault.
func readContract(name string, data []byte, seed param.Seed) (c *judge.Contract, drawn bool, faults jsonfile.Faults) {
	f := jsonfile.New(name, data)
	f.Edit = func(root *jsonfile.Node) []jsonfile.Change {
		n := contractIn(root)
		if !param.Uses(f.Raw(n)) {
			return nil
		}
		drawn = true
		var values param.Values
		if filepath.Base(name) == task.FileName {
			values, faults = valuesBeside(name, seed)
		}
		return values.Fill(f, n, judge.Patterns...)
	}
	if n := f.Value(); n != nil {
		c = judge.Read(f, contractIn(n))
	}
	faults = append(faults, f.Faults...)
	faults.Sort()
	return c, drawn, faults
}

// contractIn returns the contract in a file that holds a contract or a task.
func contractIn(root *jsonfile.Node) *jsonfile.Node {
	if success := root.Get("success"); success != nil && root.Get("kind") == nil {
		return success
	}
	return root
}

// valuesBeside draws the values of the task whose task.json this is.
func valuesBeside(name string, seed param.Seed) (param.Values, jsonfile.Faults) {
	dir, err := filepath.Abs(filepath.Dir(name))
	if err != nil {
		return nil, jsonfile.Faults{jsonfile.Whole(name, "%s", display.Visible(err.Error()))}
	}
	tasks := filepath.Dir(dir)
	return task.Values(task.Source{FS: os.DirFS(tasks), Name: tasks}, filepath.Base(dir), seed)
}

// readFacts reads a snapshot or a facts event. It ignores fields of a snapshot that it
// does not know.
func readFacts(name string, data []byte) (in judge.Input, faults jsonfile.Faults) {
	f := jsonfile.New(name, data)
	f.Halves = true // a page's text may contain anything
	if n := f.Value(); n != nil {
		in = input(f, n)
	}
	f.Faults.Sort()
	return in, f.Faults
}

func input(f *jsonfile.File, n *jsonfile.Node) judge.Input {
	if typ := n.Get("type"); typ != nil && n.Get("ts") != nil {
		if typ.Text != string(record.TypeFacts) {
			f.FaultAt(typ, `want "facts"; only a facts event can be judged`)
		}
		if facts := n.Get("facts"); facts != nil && facts.Kind != jsonfile.Null {
			readSnapshot(f, facts)
		}
		if len(f.Faults) > 0 {
			return judge.Input{}
		}
		var e record.Event
		if err := json.Unmarshal([]byte(f.Raw(n)), &e); err != nil {
			f.FaultAt(n, "%s", display.VisibleTo(err.Error(), 200))
			return judge.Input{}
		}
		return judgedOn(e.Body.(*record.Facts))
	}
	return judge.Input{Facts: readSnapshot(f, n), SessionID: facts.SessionID, Now: time.Now(), ClassesDir: facts.ClassesDir()}
}

// readSnapshot reads facts. A file without any fact is a fault, because it must be some
// other file.
func readSnapshot(f *jsonfile.File, n *jsonfile.Node) *evidence.Facts {
	isFact := func(m *jsonfile.Node) bool { return slices.Contains(evidence.FactNames, m.Key) }
	if n.Kind == jsonfile.Object && len(n.Items) > 0 && !n.Cut && !slices.ContainsFunc(n.Items, isFact) {
		f.FaultAt(n, "none of its fields is a fact; the facts are %s", strings.Join(evidence.FactNames, ", "))
	}
	return evidence.ReadFacts(f, n)
}
