package task

import (
	"errors"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"

	"github.com/openchrome/bench/harness/internal/text/display"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
	"github.com/openchrome/bench/harness/internal/text/regular"
)

// UploadDir is the folder of a task with the files that a session can upload.
const UploadDir = "upload"

// maxUpload bounds the total size of a task's files, in bytes. A fixture site accepts bodies
// of up to 1 MiB.
const maxUpload = 512 << 10

var (
	uploadName = regexp.MustCompile(`^[\p{L}\p{N}][\p{L}\p{N} ._()+-]*$`)
	uploadMark = regexp.MustCompile(`\{\{upload\.([^{}]*)\}\}`)
)

// upload reads a file for upload. It follows no link, because the file that it names could be
// any file of the user.
func (f *Folder) upload(name string) ([]byte, error) {
	name = path.Join(f.Name, UploadDir, name)
	info, err := fs.Lstat(f.Source.FS, name)
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return nil, errors.New("it is a link; copy the file here instead")
	}
	return regular.ReadFS(f.Source.FS, name, maxUpload)
}

// readUploads reads the files for upload, and returns the faults of their folder.
func (f *Folder) readUploads() (files map[string][]byte, faults jsonfile.Faults) {
	dir := path.Join(f.Name, UploadDir)
	if info, err := fs.Lstat(f.Source.FS, dir); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return nil, jsonfile.Faults{jsonfile.Whole(f.Path(UploadDir), "it is a link; copy the folder here instead")}
	}
	entries, err := fs.ReadDir(f.Source.FS, dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	fault := func(name, format string, args ...any) {
		faults = append(faults, jsonfile.Whole(f.Path(path.Join(UploadDir, name)), format, args...))
	}
	files = make(map[string][]byte)
	size := 0
	for _, e := range entries {
		data, err := f.upload(e.Name())
		size += len(data)
		switch {
		case err != nil:
			fault(e.Name(), "%s", display.Short(err.Error()))
		case !uploadName.MatchString(e.Name()):
			fault(e.Name(), "the name must begin with a letter or digit, and have only letters, digits, spaces and . _ ( ) + -; rename the file")
		}
		if files[e.Name()] = data; size > maxUpload {
			files[e.Name()] = nil
		}
	}
	switch {
	case err != nil:
		fault("", "is not a folder with the files to upload")
	case len(entries) == 0:
		fault("", "the folder is empty; add a file or remove the folder")
	case size > maxUpload:
		fault("", "the files have %d bytes in total; the limit is %d", size, maxUpload)
	}
	return files, faults
}

// Fill returns the changes that fill in the drawn values below n, like [param.Values.Fill].
// It also checks the placeholders of files: they must name a file of the task, and may occur
// only below the key where.
func (s Spec) Fill(f *jsonfile.File, n *jsonfile.Node, where string, patterns ...string) []jsonfile.Change {
	s.checkMarks(f, n, where, false)
	return s.Values.Fill(f, n, patterns...)
}

func (s Spec) checkMarks(f *jsonfile.File, n *jsonfile.Node, where string, allowed bool) {
	allowed = allowed || n.Key == where
	for _, m := range uploadMark.FindAllStringSubmatch(n.Text, -1) {
		_, has := s.Uploads[m[1]]
		switch {
		case !allowed:
			f.FaultAt(n, "has %s, which is replaced only in %q", display.Short(m[0]), where)
		case !has:
			f.FaultAt(n, "has %s, but the task has no file %s%s", display.Short(m[0]), display.Quote(path.Join(UploadDir, m[1])), display.DidYouMean(m[1], slices.Sorted(maps.Keys(s.Uploads))))
		}
	}
	for _, child := range n.Items {
		s.checkMarks(f, child, where, allowed)
	}
}

// UploadMark returns the name of the file in a placeholder such as {{upload.letter.txt}}. It
// reports false for any other text.
func UploadMark(text string) (name string, ok bool) {
	m := uploadMark.FindStringSubmatch(text)
	if m == nil || m[0] != text {
		return "", false
	}
	return m[1], true
}

// FillUploads replaces the placeholders of files in text with their paths.
func FillUploads(text string, paths map[string]string) string {
	return uploadMark.ReplaceAllStringFunc(text, func(mark string) string {
		if p, ok := paths[uploadMark.FindStringSubmatch(mark)[1]]; ok {
			return p
		}
		return mark
	})
}
