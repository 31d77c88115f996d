package task

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/openchrome/bench/harness/internal/read/param"
	"github.com/openchrome/bench/harness/internal/text/display"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
	"github.com/openchrome/bench/harness/internal/text/regular"
)

// FileName is the file that makes a folder a task.
const FileName = "task.json"

// Options are requirements on tasks, in addition to the format.
type Options struct {
	// Hosts are the fixture hosts that a startUrl may name; nil means any.
	Hosts []string
	// Draws are the fixture hosts that show drawn values; nil means any. A task must list
	// those that it uses in its params.json.
	Draws []string
	// LiveWeb also allows hosts and ports of the real web.
	LiveWeb bool
	// MaxSteps and MaxDuration replace the caps of every task; 0 keeps them. Load does
	// not check them: the caller uses [CheckMaxSteps] and [CheckMaxDuration].
	MaxSteps    int
	MaxDuration time.Duration
	// Only selects the tasks that Load reads; the zero value selects all.
	Only Selection
	// Seed selects the values of tasks that have a params.json.
	Seed param.Seed
	// Check returns faults of a task's other files, such as the transcript; it may be nil.
	// Load calls it once for each task folder, even if task.json has faults. So Check can
	// rely only on Dir, Source, Sites, Uploads and Values.
	Check func(Spec) jsonfile.Faults
}

// Load reads the selected tasks of a source and returns them sorted by ID. If files have faults, it
// returns no spec, and the error is [jsonfile.Faults]: every fault of every file, sorted.
// It skips folders whose names begin with a dot, and files that are not in a task's folder.
func Load(s Source, o Options) ([]Spec, error) {
	l := &loader{options: o}
	l.source(s)
	if err := l.faults.Err(); err != nil {
		return nil, err
	}
	slices.SortFunc(l.specs, func(a, b Spec) int { return cmp.Compare(a.ID, b.ID) })
	return l.specs, nil
}

func (s Source) path(elem ...string) string {
	return path.Join(append([]string{s.Name}, elem...)...)
}

type loader struct {
	options Options
	specs   []Spec
	faults  jsonfile.Faults
}

func (l *loader) source(s Source) {
	fault := func(name, format string, args ...any) {
		l.faults = append(l.faults, jsonfile.Fault{File: name, Line: 1, Col: 1, Msg: fmt.Sprintf(format, args...)})
	}
	entries, err := fs.ReadDir(s.FS, ".")
	if err != nil {
		if pe, ok := errors.AsType[*fs.PathError](err); ok {
			err = pe.Err // the fault names the path
		}
		fault(s.Name, "the folder of tasks cannot be read: %s", display.VisibleTo(err.Error(), 100))
		return
	}
	found := false
	for _, e := range entries {
		name := e.Name()
		switch {
		case name == FileName:
			fault(s.path(name), "this is the folder of a single task; name the folder above it")
			found = true
		case !strings.HasPrefix(name, ".") && isDir(s.FS, e):
			l.task(Spec{Source: s, Dir: name})
			found = true
		}
	}
	if !found {
		fault(s.Name, "no task in this folder; make a folder in it for each task, with a %s", FileName)
	}
}

// isDir follows links, which [fs.DirEntry] does not.
func isDir(fsys fs.FS, e fs.DirEntry) bool {
	info, err := fs.Stat(fsys, e.Name())
	return e.IsDir() || err == nil && info.IsDir()
}

// head returns the spec with what a [Selection] looks at. Faults are found later, in the
// tasks that are selected.
func (s Spec) head() Spec {
	s.ID = s.Dir
	if raw, err := regular.ReadFS(s.Source.FS, path.Join(s.Dir, FileName), jsonfile.MaxSize); err == nil {
		_ = json.Unmarshal(raw, &struct {
			Tags *[]string `json:"tags"`
		}{&s.Tags})
	}
	return s
}

// task reads one task folder, if it is selected.
func (l *loader) task(s Spec) {
	if !l.options.Only.Has(s.head()) {
		return
	}
	file := jsonfile.Read(s.Source.FS, path.Join(s.Dir, FileName), s.Path(FileName),
		"every folder here is a task and needs this file; add it or move the folder away")
	l.faults = append(l.faults, s.uploads()...)
	r := reader{file: file, spec: &s, options: l.options}
	l.faults = append(l.faults, s.draw(l.options)...)
	file.Edit = r.fill
	root := file.Value()
	r.read(root)
	if len(s.Uploads) > 0 && root != nil && !s.NeedsScripts() {
		file.FaultAt(root, "the task has files in %s/, which the stand-in cannot upload; add the tag %s", UploadDir, ScriptsTag)
	}
	l.faults = append(l.faults, file.Faults...)
	if l.options.Check != nil {
		l.faults = append(l.faults, l.options.Check(s)...)
	}
	l.specs = append(l.specs, s)
}
