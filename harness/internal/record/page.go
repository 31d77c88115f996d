package record

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"

	"github.com/openchrome/bench/harness/internal/text/regular"
)

// The files in the folder of a page, see [Page], and their largest sizes in bytes.
const (
	PageFile = "page.json"
	ShotFile = "page.png"

	MaxPage = 2 << 20
	MaxShot = 32 << 20
)

// StepShot is the file in the folder of a page with the picture after a step.
func StepShot(step int) string { return fmt.Sprintf("step-%d.png", step) }

var stepShot = regexp.MustCompile(`^step-\d{1,6}\.png$`)

// PageFiles returns the files in the folder of a page that are its own, with their largest sizes.
func PageFiles(folder fs.FS) (map[string]int, error) {
	entries, err := fs.ReadDir(folder, ".")
	sizes := map[string]int{}
	for _, e := range entries {
		switch name := e.Name(); {
		case name == PageFile:
			sizes[name] = MaxPage
		case name == ShotFile, stepShot.MatchString(name):
			sizes[name] = MaxShot
		}
	}
	return sizes, err
}

// RemovePage removes the folder of a page, and nothing else that may be in it: then it fails.
func RemovePage(in *os.Root, name string) error {
	folder, err := in.OpenRoot(name)
	if err != nil {
		return err
	}
	files, err := PageFiles(folder.FS())
	for file := range files {
		err = errors.Join(err, folder.Remove(file))
	}
	return cmp.Or(errors.Join(err, folder.Close()), in.Remove(name))
}

// OpenPage opens the folder of a page. logs is the folder of the run's log. The folders below
// it may not be links, because a log can come from anywhere.
func OpenPage(logs, page string) (*os.Root, error) {
	return regular.OpenFolder(logs, path.Join(path.Base(path.Dir(page)), path.Base(page)))
}

// OpenPages opens the folder that holds all pages of a run, like [OpenPage].
func OpenPages(logs, runID string) (*os.Root, error) {
	return regular.OpenFolder(logs, runID)
}
