package sites

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
)

// maxTotal bounds what is read from the user's folders, in bytes.
const maxTotal = 64 << 20

// budget counts the bytes that were read; its zero value has none used.
type budget struct{ used int }

// readTree reads a folder of host folders. at turns a name inside fsys into
// one for errors.
func readTree(fsys fs.FS, at func(string) string, b *budget) (tree, error) {
	entries, err := fs.ReadDir(fsys, ".")
	if err != nil {
		return nil, fmt.Errorf("%s: %w; name a folder that holds one folder a host", at("."), cause(err))
	}
	t := make(tree)
	var faults []error
	for _, e := range entries {
		name := e.Name()
		if skipped(name) {
			continue
		}
		if !e.IsDir() {
			faults = append(faults, fmt.Errorf("%s: not a folder; move it into the folder of a host", at(name)))
			continue
		}
		if err := checkHost(name); err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", at(name), err))
			continue
		}
		files := make(map[string][]byte)
		if err := readFolder(fsys, name, name, files, at, b); err != nil {
			faults = append(faults, err)
			continue
		}
		if len(files) == 0 {
			faults = append(faults, fmt.Errorf("%s: no file in it; add an index.html", at(name)))
		}
		t[name] = files
	}
	return t, errors.Join(faults...)
}

func skipped(name string) bool {
	return strings.HasPrefix(name, ".") || name == "README.md"
}

// readFolder puts the files below dir into files, named relative to root.
func readFolder(fsys fs.FS, root, dir string, files map[string][]byte, at func(string) string, b *budget) error {
	entries, err := fs.ReadDir(fsys, dir)
	if err != nil {
		return fmt.Errorf("%s: %w", at(dir), cause(err))
	}
	for _, e := range entries {
		if skipped(e.Name()) {
			continue
		}
		name := path.Join(dir, e.Name())
		if e.IsDir() {
			if err := readFolder(fsys, root, name, files, at, b); err != nil {
				return err
			}
			continue
		}
		data, err := b.read(fsys, name)
		if err != nil {
			return fmt.Errorf("%s: %w", at(name), err)
		}
		files[strings.TrimPrefix(name, root+"/")] = data
	}
	return nil
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
	if b.used > maxTotal {
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
