package sites

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/openchrome/bench/harness/display"
	"github.com/openchrome/bench/harness/jsonfile"
)

// maxTotal bounds what is read from the user's folders, in bytes.
const maxTotal = 64 << 20

// budget counts the bytes that were read; its zero value has none used.
type budget struct{ used int }

// full reports whether more was read than may be.
func (b *budget) full() bool { return b.used > maxTotal }

// readTree reads a folder of host folders. at turns a name inside fsys into
// one for faults. What has a fault is in the tree too, as far as it could be
// read, so that what else is wrong with it can be told.
func readTree(fsys fs.FS, at func(string) string, b *budget) (tree, jsonfile.Faults) {
	entries, err := fs.ReadDir(fsys, ".")
	if err != nil {
		return nil, jsonfile.Faults{jsonfile.Whole(at("."), "%s; name a folder that holds one folder a host", because(cause(err)))}
	}
	t := make(tree)
	var faults jsonfile.Faults
	for _, e := range entries {
		name := e.Name()
		if skipped(name) {
			continue
		}
		if !e.IsDir() {
			faults = append(faults, jsonfile.Whole(at(name), "not a folder; move it into the folder of a host"))
			continue
		}
		if err := checkHost(name); err != nil {
			faults = append(faults, jsonfile.Whole(at(name), "%s", because(err)))
		}
		files := make(map[string][]byte)
		more := readFolder(fsys, name, name, files, at, b)
		if len(files) == 0 && len(more) == 0 {
			more = append(more, jsonfile.Whole(at(name), "no file in it; add an index.html"))
		}
		faults = append(faults, more...)
		t[name] = files
		if b.full() {
			break
		}
	}
	return t, faults
}

// because is the text of an error, which may hold a file's name.
func because(err error) string { return display.VisibleTo(err.Error(), 200) }

func skipped(name string) bool {
	return strings.HasPrefix(name, ".") || name == "README.md"
}

// readFolder puts the files below dir into files, named relative to root; nil
// stands for one that cannot be read.
func readFolder(fsys fs.FS, root, dir string, files map[string][]byte, at func(string) string, b *budget) (faults jsonfile.Faults) {
	entries, err := fs.ReadDir(fsys, dir)
	if err != nil {
		return jsonfile.Faults{jsonfile.Whole(at(dir), "%s", because(cause(err)))}
	}
	for _, e := range entries {
		if skipped(e.Name()) {
			continue
		}
		name := path.Join(dir, e.Name())
		if e.IsDir() {
			faults = append(faults, readFolder(fsys, root, name, files, at, b)...)
		} else {
			data, err := b.read(fsys, name)
			if err != nil {
				faults = append(faults, jsonfile.Whole(at(name), "%s", because(err)))
			}
			files[strings.TrimPrefix(name, root+"/")] = data
		}
		if b.full() {
			break
		}
	}
	return faults
}

// read returns a regular file's content. It follows symlinks and believes no
// size, since files of /proc say 0.
func (b *budget) read(fsys fs.FS, name string) ([]byte, error) {
	// Asked before opening: opening a named pipe would wait for a writer.
	info, err := fs.Stat(fsys, name)
	if err != nil {
		return nil, cause(err)
	}
	if info.IsDir() {
		return nil, errors.New("a symlink to a folder is not followed; copy the folder here")
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("not a regular file (%s); remove it", info.Mode().Type())
	}
	f, err := fsys.Open(name)
	if err != nil {
		return nil, cause(err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, int64(maxTotal-b.used)+1))
	if err != nil {
		return nil, cause(err)
	}
	b.used += len(data)
	if b.full() {
		return nil, fmt.Errorf("with this file the sites hold more than %d MB; make them smaller", maxTotal>>20)
	}
	return data, nil
}

// cause strips the path that fs errors repeat.
func cause(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// checkHost says why name cannot be a fixture host: a DNS name in lower case
// (RFC 1123 labels), that no browser resolves by itself.
func checkHost(name string) error {
	if len(name) > 253 {
		return errors.New("not a host name: longer than 253 characters; shorten it")
	}
	labels := strings.Split(name, ".")
	for _, l := range labels {
		switch {
		case l == "":
			return errors.New("not a host name: an empty part between dots; rename the folder")
		case len(l) > 63:
			return errors.New("not a host name: a part longer than 63 characters; rename the folder")
		case l[0] == '-' || l[len(l)-1] == '-':
			return errors.New("not a host name: a part begins or ends with a hyphen; rename the folder")
		}
		for _, c := range l {
			switch {
			case c >= 'A' && c <= 'Z':
				return fmt.Errorf("not a host name: host folders are in lower case; rename it to %s", strings.ToLower(name))
			case c > 0x7f:
				return errors.New("not a host name: not ASCII; rename the folder to the xn-- form of the name")
			case !(c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-'):
				return fmt.Errorf("not a host name: %q cannot stand in one; use letters, digits, hyphens and dots", c)
			}
		}
	}
	switch last := labels[len(labels)-1]; {
	case strings.Trim(last, "0123456789") == "" || strings.HasPrefix(last, "0x"):
		return errors.New("not a host name: it ends in a number, as an IP address does; use a name such as mysite.test")
	case last == "localhost":
		return errors.New("browsers resolve localhost by themselves; use a name such as mysite.test")
	}
	return nil
}
