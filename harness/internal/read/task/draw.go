package task

import (
	"cmp"
	"errors"
	"io/fs"
	"path"
	"slices"

	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/read/param"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
)

// draw draws the task's values, if it has a params.json, and returns the faults of that file.
func (s *Spec) draw(o Options) jsonfile.Faults {
	name := path.Join(s.Dir, param.FileName)
	if _, err := fs.Stat(s.Source.FS, name); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	f := jsonfile.Read(s.Source.FS, name, s.Path(param.FileName), "")
	rules := param.Read(f, o.Draws)
	s.Sites = rules.Sites
	s.Values = rules.Draw(o.Seed, s.Dir, s.peekRevision())
	return f.Faults
}

// Values returns the values of a task that is only a folder, and the faults of its
// params.json.
func Values(s Source, dir string, seed param.Seed) (param.Values, jsonfile.Faults) {
	spec := Spec{Source: s, Dir: dir}
	faults := spec.draw(Options{Seed: seed})
	return spec.Values, faults
}

// peekRevision reads the revision in task.json, because values depend on it. The file is read
// and checked later, when its placeholders are filled in.
func (s *Spec) peekRevision() int {
	f := jsonfile.Read(s.Source.FS, path.Join(s.Dir, FileName), FileName, "")
	if n := f.Value().Get("revision"); n != nil {
		return cmp.Or(f.Int(n, 1, maxRevision), 1)
	}
	return 1
}

// drawn are the fields that may have placeholders. Reports of private draws show all other
// fields.
var drawn = []string{"startUrl", "goal", "success"}

// fill fills in the placeholders of task.json.
func (r *reader) fill(root *jsonfile.Node) []jsonfile.Change {
	var all []jsonfile.Change
	r.spec.checkMarks(r.file, root, "goal", false)
	for _, n := range root.Items {
		changes := r.spec.Values.Fill(r.file, n, judge.Patterns...)
		for _, c := range changes {
			if !slices.Contains(drawn, n.Key) {
				r.file.FaultAt(c.Node, "has a placeholder; only startUrl, goal and success may have one")
			}
		}
		all = append(all, changes...)
	}
	return all
}
