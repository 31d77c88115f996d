// Package task reads task files.
//
//  1. [Open] finds the folders of tasks, and [Select] picks the requested ones.
//  2. [Folder.Read] returns the [Spec] of a task with the values of a seed, or every fault of
//     its files at its line and column. It can be called again for other seeds.
//
// The format is described in fixtures/README.md and, for editors, in
// fixtures/task.schema.json. Package transcript reads the transcripts in the same folder.
package task

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"sync"

	"github.com/openchrome/bench/harness/internal/text/display"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
)

// FileName is the file that makes a folder a task.
const FileName = "task.json"

// Source is a folder of tasks. Each task is a folder with a task.json.
type Source struct {
	Name string // the folder's name in faults, such as "fixtures"
	FS   fs.FS
}

// Folder is the folder of a task. It reads each file when it is first needed, and keeps it in
// memory: whatever draws, checks, plays or digests the task sees the same files. Several
// goroutines may use it.
type Folder struct {
	Source Source
	Name   string   // of the folder, which is the task's id
	Files  []string // names of the files and folders in it, sorted

	mu      sync.Mutex
	files   map[string]*jsonfile.File
	uploads func() (map[string][]byte, jsonfile.Faults)
}

// Open returns the task folders of a source, sorted by name. It skips folders whose names
// begin with a dot, and files that are not in a task's folder. The error is
// [jsonfile.Faults].
func Open(s Source) ([]*Folder, error) {
	fault := func(name, format string, args ...any) jsonfile.Faults {
		return jsonfile.Faults{{File: name, Line: 1, Col: 1, Msg: fmt.Sprintf(format, args...)}}
	}
	entries, err := fs.ReadDir(s.FS, ".")
	if err != nil {
		if pe, ok := errors.AsType[*fs.PathError](err); ok {
			err = pe.Err // the fault names the path
		}
		return nil, fault(s.Name, "the folder of tasks cannot be read: %s", display.VisibleTo(err.Error(), 100))
	}
	var folders []*Folder
	var faults jsonfile.Faults
	for _, e := range entries {
		name := e.Name()
		switch {
		case name == FileName:
			faults = append(faults, fault(path.Join(s.Name, name), "this is the folder of a single task; name the folder above it")...)
		case !strings.HasPrefix(name, ".") && isDir(s.FS, e):
			folders = append(folders, s.Folder(name))
		}
	}
	if folders == nil && faults == nil {
		faults = fault(s.Name, "no task in this folder; make a folder in it for each task, with a %s", FileName)
	}
	return folders, faults.Err()
}

// isDir follows links, which [fs.DirEntry] does not.
func isDir(fsys fs.FS, e fs.DirEntry) bool {
	info, err := fs.Stat(fsys, e.Name())
	return e.IsDir() || err == nil && info.IsDir()
}

// Folder returns a task's folder.
func (s Source) Folder(name string) *Folder {
	f := &Folder{Source: s, Name: name, files: make(map[string]*jsonfile.File)}
	entries, _ := fs.ReadDir(s.FS, name) // if this fails, reading task.json fails too
	for _, e := range entries {
		f.Files = append(f.Files, e.Name())
	}
	f.uploads = sync.OnceValues(f.readUploads)
	return f
}

// Path returns the path of a file in the folder as people know it, such as
// "fixtures/example-h1/transcript.jsonl". Of a nil folder, which a test may have, it is the name.
func (f *Folder) Path(name string) string {
	if f == nil {
		return name
	}
	return path.Join(f.Source.Name, f.Name, name)
}

// File returns a file of the folder. absent is the advice if the file does not exist.
func (f *Folder) File(name, absent string) *jsonfile.File {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.files[name] == nil {
		f.files[name] = jsonfile.Read(f.Source.FS, path.Join(f.Name, name), f.Path(name), absent)
	}
	return f.files[name].Clone()
}

func (f *Folder) taskFile() *jsonfile.File {
	return f.File(FileName, "every folder here is a task and needs this file; add it or move the folder away")
}

// tags returns the tags in task.json. [Folder.Read] finds faults in them later, if the task
// is selected.
func (f *Folder) tags() (tags []string) {
	_ = json.Unmarshal([]byte(f.taskFile().Content()), &struct {
		Tags *[]string `json:"tags"`
	}{&tags})
	return tags
}
