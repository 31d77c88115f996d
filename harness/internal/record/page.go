package record

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
)

// The files in the folder of a page, see [Page], and their largest sizes in bytes.
const (
	PageFile = "page.json"
	ShotFile = "page.png"
	// TraceFile has the traces of the episode, whole.
	TraceFile = "trace.json"

	MaxPage   = 2 << 20
	MaxShot   = 32 << 20
	MaxTraces = 64 << 20
)

// OpenPage opens the folder of a page. logs is the folder of the run's log. The folders below
// it may not be links, because a log can come from anywhere.
func OpenPage(logs, page string) (*os.Root, error) {
	run, err := OpenPages(logs, path.Base(path.Dir(page)))
	if err != nil {
		return nil, err
	}
	defer run.Close()
	return openFolder(run, path.Base(page))
}

// OpenPages opens the folder that holds all pages of a run, like [OpenPage].
func OpenPages(logs, runID string) (*os.Root, error) {
	all, err := os.OpenRoot(logs)
	if err != nil {
		return nil, err
	}
	defer all.Close()
	return openFolder(all, runID)
}

// openFolder opens a folder that is not a link.
func openFolder(in *os.Root, name string) (*os.Root, error) {
	info, err := in.Lstat(name)
	if err != nil {
		return nil, err
	}
	at := filepath.Join(in.Name(), name)
	if !info.IsDir() {
		return nil, fmt.Errorf("%s is not a folder", at)
	}
	below, err := in.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	if is, err := below.Stat("."); err != nil || !os.SameFile(info, is) {
		below.Close()
		return nil, fmt.Errorf("%s was replaced", at)
	}
	return below, nil
}
