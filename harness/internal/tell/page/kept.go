package page

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"

	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/text/regular"
)

// few is how many lines of a kind are shown in brief.
const few = 3

// kept is what is known of the page at the end of an episode, and the screenshots after its steps.
func (v View) kept(e *report.Episode) (f Facts, shots map[int]string) {
	f.add("not kept", e.PageMissing)
	if e.Page == "" {
		return f, nil
	}
	folder := path.Clean(e.Page)
	shown := filepath.Join(v.Out, filepath.FromSlash(folder))
	f.add("folder", Part{Text: shown, Tone: Code, Link: beside(folder + "/")})
	if v.Pages == "" {
		return f, nil
	}
	root, err := record.OpenPage(filepath.Join(v.Pages, report.EventsDir), folder)
	if err != nil {
		f.add("missing", fmt.Sprintf("%s cannot be read: %v", filepath.Join(shown, record.PageFile), err))
		return f, nil
	}
	defer root.Close()
	var page struct { // as harness/internal/drive/observer writes it
		URL, Title, Text  string
		Dialogs           []record.Dialog
		Console, Requests []string
		Missing           string
	}
	raw, err := regular.ReadIn(root, record.PageFile, record.MaxPage)
	if err = cmp.Or(err, json.Unmarshal(raw, &page)); err != nil {
		f.add("missing", fmt.Sprintf("%s cannot be read: %v", filepath.Join(shown, record.PageFile), err))
	}
	f.add("address", in(Code, page.URL))
	f.add("title", in(Code, page.Title))
	var dialogs []string
	for _, d := range page.Dialogs {
		dialogs = append(dialogs, d.Kind+": "+d.Message)
	}
	lines := func(name string, all []string) {
		for i, line := range all {
			f = append(f, Fact{name, say(in(Code, line)), i >= few})
		}
	}
	lines("dialog", dialogs)
	lines("console", page.Console)
	lines("request", page.Requests)
	f.add("missing", page.Missing)
	shots = map[int]string{}
	for _, c := range e.Calls {
		if isPicture(root, record.StepShot(c.Step)) {
			shots[c.Step] = folder + "/" + record.StepShot(c.Step)
		}
	}
	if isPicture(root, record.ShotFile) {
		name := folder + "/" + record.ShotFile
		f.add("screenshot", Part{Text: filepath.Join(shown, record.ShotFile), Link: beside(name), Image: name})
	}
	f.add("text", in(Box, page.Text))
	return f, shots
}

// beside is the address of a file of the run, from the folder of its reports.
func beside(name string) string { return "../" + (&url.URL{Path: name}).EscapedPath() }

func isPicture(root *os.Root, name string) bool {
	info, err := root.Lstat(name)
	return err == nil && info.Size() > 0 && info.Mode().IsRegular()
}
