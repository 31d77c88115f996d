package task

import (
	"cmp"
	"slices"
	"time"

	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/read/param"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
)

// Options are requirements on a task, in addition to the format.
type Options struct {
	// Hosts are the fixture hosts that a startUrl may name; nil means any.
	Hosts []string
	// Draws are the fixture hosts that show drawn values; nil means any. A task must list
	// those that it uses in its params.json.
	Draws []string
	// LiveWeb also allows hosts and ports of the real web.
	LiveWeb bool
	// MaxSteps and MaxDuration replace the caps of every task; 0 keeps them. The options are
	// checked already.
	MaxSteps    int
	MaxDuration time.Duration
	// Seed is the seed of the values of tasks that have a params.json.
	Seed int
}

// Read returns the task with the values of a seed, and every fault of task.json, params.json
// and the files for upload. If there are faults, only Folder, Sites, Uploads and Values of
// the spec can be relied on.
func (f *Folder) Read(o Options) (Spec, jsonfile.Faults) {
	s := Spec{Folder: f}
	var faults jsonfile.Faults
	s.Uploads, faults = f.uploads()
	faults = append(slices.Clip(faults), s.draw(o)...)
	faults = append(faults, s.readClasses()...)
	file := f.taskFile()
	r := reader{file: file, spec: &s, options: o}
	file.Edit = r.fill
	root := file.Value()
	r.read(root)
	if len(s.Uploads) > 0 && root != nil && !s.NeedsScripts() {
		file.FaultAt(root, "the task has files in %s/, which the stand-in cannot upload; add the tag %s", UploadDir, ScriptsTag)
	}
	return s, append(faults, file.Faults...)
}

// draw draws the task's values, if it has a params.json, and returns the faults of that file.
func (s *Spec) draw(o Options) jsonfile.Faults {
	if !slices.Contains(s.Folder.Files, param.FileName) {
		return nil
	}
	f := s.Folder.File(param.FileName, "")
	rules := param.Read(f, o.Draws)
	s.Sites = rules.Sites
	s.Values = rules.Draw(o.Seed, s.Folder.Name, s.peekRevision())
	return f.Faults
}

// peekRevision reads the revision in task.json, because values depend on it. The file is
// checked later, when its placeholders are filled in.
func (s *Spec) peekRevision() int {
	f := s.Folder.taskFile()
	if n := f.Value().Get("revision"); n != nil {
		return cmp.Or(f.Int(n, 1, maxRevision), 1)
	}
	return 1
}

// drawn are the fields that may have placeholders.
var drawn = []string{"startUrl", "goal", "success"}

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
