package run

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/format"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/text/regular"
)

// tidy removes what a kill left of files that were being written. Nobody else writes them,
// because this process holds the lock of the log. It removes nothing that has another name,
// and follows no link.
func (r *runner) tidy() error {
	return errors.Join(r.tidyReports(), r.tidyPages())
}

func (r *runner) tidyReports() error {
	root, err := regular.OpenFolder(r.Out, report.ReportsDir)
	if err != nil {
		return unlessGone(err)
	}
	defer root.Close()
	return removeEach(root, fs.FileMode.IsRegular, func(name string) bool { return format.IsTemporary(r.RunID, name) }, root.Remove)
}

// temporaryPage matches the folder of a page that was being written, see package episode.
var temporaryPage = regexp.MustCompile(`^\.(.+-\d+(?:\.\d+)?)\.\d+$`)

func (r *runner) tidyPages() error {
	root, err := record.OpenPages(filepath.Join(r.Out, report.EventsDir), r.RunID)
	if err != nil {
		return unlessGone(err)
	}
	defer root.Close()
	planned := r.pages()
	isOurs := func(name string) bool {
		m := temporaryPage.FindStringSubmatch(name)
		return m != nil && planned[m[1]]
	}
	return removeEach(root, fs.FileMode.IsDir, isOurs, func(name string) error { return record.RemovePage(root, name) })
}

// pages are the names of the folders of pages of all attempts that the log has.
func (r *runner) pages() map[string]bool {
	names := map[string]bool{}
	r.ledger.Start.Each(func(t record.Planned, n int) bool {
		for attempt := range r.ledger.Attempts(record.EpisodeName(t.ID, n)) {
			names[filepath.Base(record.Page(r.RunID, t.ID, n, attempt+1))] = true
		}
		return true
	})
	return names
}

// removeEach removes the entries of a folder that are ours.
func removeEach(root *os.Root, kind func(fs.FileMode) bool, isOurs func(name string) bool, remove func(name string) error) error {
	entries, err := fs.ReadDir(root.FS(), ".")
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return !kind(e.Type()) || !isOurs(e.Name()) })
	for _, e := range entries {
		err = errors.Join(err, remove(e.Name()))
	}
	return err
}

func unlessGone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
