package task

import (
	"errors"
	"io/fs"
	"path"

	"github.com/openchrome/bench/harness/internal/judge/phash"
	"github.com/openchrome/bench/harness/internal/text/display"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
)

// ClassDir is the folder of a task with its own screenshot classes, each in a folder as
// OpenChrome lays it out: see [phash.LoadClass].
const ClassDir = "classes"

// readClasses reads the task's screenshot classes, and returns the faults of their folder.
func (s *Spec) readClasses() (faults jsonfile.Faults) {
	f := s.Folder
	fault := func(name, why string) {
		faults = append(faults, jsonfile.Whole(f.Path(path.Join(ClassDir, name)), "%s", display.Short(why)))
	}
	dir := path.Join(f.Name, ClassDir)
	entries, err := fs.ReadDir(f.Source.FS, dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		fault("", "is not a folder of screenshot classes")
	}
	s.Classes = map[string]phash.Class{}
	for _, e := range entries {
		id := e.Name()
		if !phash.ValidID(id) || !e.IsDir() {
			fault(id, "is not the folder of a screenshot class, whose name has only letters, digits and . _ -")
			continue
		}
		sub, err := fs.Sub(f.Source.FS, path.Join(dir, id))
		if err == nil {
			s.Classes[id], err = phash.ReadClass(sub, id)
		}
		if err != nil {
			fault(id, err.Error())
		}
	}
	return faults
}
