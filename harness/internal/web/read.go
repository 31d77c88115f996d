package web

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strings"

	"github.com/openchrome/bench/harness/internal/text/display"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
	"github.com/openchrome/bench/harness/internal/text/regular"
)

// maxTotal bounds how many bytes are read from the user's folders.
const maxTotal = 64 << 20

// budget counts the bytes that were read; its zero value has none used.
type budget struct{ used int }

// full reports whether more was read than is allowed.
func (b *budget) full() bool { return b.used > maxTotal }

// within returns the files of a folder. A symlink cannot lead out of it, because a page shows
// its file to the server, and the folder may come with a change from a stranger.
func within(dir string) fs.FS {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return os.DirFS(dir) // reading it gives the error
	}
	return root.FS()
}

// readTree reads a folder of host folders. at turns a name inside fsys into the name for
// faults. A file that cannot be read is nil in the tree, so that later checks still report
// every other fault.
func readTree(fsys fs.FS, at func(string) string, b *budget) (tree, jsonfile.Faults) {
	t := make(tree)
	var faults jsonfile.Faults
	fault := func(name string, err error, advice string) {
		faults = append(faults, jsonfile.Whole(at(name), "%s%s", because(regular.Cause(err)), advice))
	}
	fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		host, file, below := strings.Cut(name, "/")
		switch {
		case err != nil && name == ".":
			fault(name, err, "; name a folder that holds one folder for each host")
		case err != nil:
			fault(name, err, "")
			delete(t, name) // we do not know that it is empty
		case name == ".":
		case skipped(d.Name()) && d.IsDir():
			return fs.SkipDir
		case skipped(d.Name()), d.IsDir() && below:
		case d.IsDir():
			t[host] = make(map[string][]byte)
			if err := checkHost(host); err != nil {
				fault(host, err, "")
			}
		case !below:
			faults = append(faults, jsonfile.Whole(at(name), "not a folder; move it into the folder of a host"))
		default:
			if t[host][file], err = b.read(fsys, name); err != nil {
				fault(name, err, "")
			}
			if b.full() {
				return fs.SkipAll
			}
		}
		return nil
	})
	for host, files := range t {
		if len(files) == 0 {
			faults = append(faults, jsonfile.Whole(at(host), "no file in it; add an index.html"))
		}
	}
	return t, faults
}

// because returns the text of an error, made safe to show, because it may contain a file's
// name.
func because(err error) string { return display.VisibleTo(err.Error(), 200) }

func skipped(name string) bool {
	return strings.HasPrefix(name, ".") || name == "README.md"
}

// read returns the content of a regular file. It follows symlinks within fsys.
func (b *budget) read(fsys fs.FS, name string) ([]byte, error) {
	data, err := regular.ReadFS(fsys, name, maxTotal)
	b.used += len(data)
	switch {
	case err != nil:
		return nil, regular.Cause(err)
	case b.full():
		return nil, fmt.Errorf("with this file the sites hold more than %d MB; make them smaller", maxTotal>>20)
	}
	return data, nil
}

var hostName = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$`)

// checkHost reports why name cannot be a fixture host: a DNS name in lower case
// (RFC 1123 labels) that no browser resolves by itself.
func checkHost(name string) error {
	last := name[strings.LastIndexByte(name, '.')+1:]
	switch {
	case len(name) > 253 || !hostName.MatchString(name):
		return errors.New("not a host name; use lower-case letters, digits, hyphens and dots, such as mysite.test")
	case strings.Trim(last, "0123456789") == "" || strings.HasPrefix(last, "0x"):
		return errors.New("not a host name: it ends in a number, as an IP address does; use a name such as mysite.test")
	case last == "localhost":
		return errors.New("browsers resolve localhost by themselves; use a name such as mysite.test")
	}
	return nil
}
