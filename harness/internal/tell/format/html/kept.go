package html

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
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

// page is what was kept of the page at the end of an episode. Numbers stand for texts.
type page struct {
	URL      int    `json:"url,omitempty"`
	Title    int    `json:"title,omitempty"`
	Text     int    `json:"text,omitempty"`
	Dialogs  []int  `json:"dialogs,omitempty"`
	Console  []int  `json:"console,omitempty"`
	Requests []int  `json:"requests,omitempty"`
	Missing  int    `json:"missing,omitempty"`
	Shot     string `json:"shot,omitempty"` // id of the block that holds the screenshot
	File     string `json:"file,omitempty"` // of the screenshot, relative to the report
}

// maxShots bounds the screenshots that the file holds, in characters of base64. The page
// links to the others.
const maxShots = 5_000_000

// kept reads the pages that a run kept. It opens no file outside of the run's folder.
type kept struct {
	out   string // folder of the run; empty: there is none
	room  int
	shots map[[sha256.Size]byte]string // ids of blocks
	queue []shot                       // not written yet
	used  map[string]bool              // folders of pages
}

type shot struct{ id, png string }

func openKept(out string) *kept {
	return &kept{out: out, room: maxShots, shots: map[[sha256.Size]byte]string{}, used: map[string]bool{}}
}

// page returns the page of an episode, nil if none was kept. It adds screenshots to the calls.
func (k *kept) page(e *report.Episode, calls []call, text func(string) int) *page {
	if e.Page == "" {
		return nil
	}
	folder := path.Clean(e.Page)
	if k.used[folder] { // a log could name one large page for thousands of episodes
		return &page{Missing: text("another episode has its page in " + folder)}
	}
	k.used[folder] = true
	if k.out == "" {
		return &page{Missing: text("the page is in " + folder)}
	}
	var scene struct { // as harness/internal/drive/observer writes it
		URL, Title, Text  string
		Dialogs           []record.Dialog
		Console, Requests []string
		Missing           string
	}
	root, err := record.OpenPage(filepath.Join(k.out, report.EventsDir), folder)
	var raw []byte
	if err == nil {
		defer root.Close()
		raw, err = regular.ReadIn(root, record.PageFile, record.MaxPage)
	}
	if err == nil {
		err = json.Unmarshal(raw, &scene)
	}
	if err != nil {
		return &page{Missing: text(fmt.Sprintf("%s/%s cannot be read: %v", folder, record.PageFile, err))}
	}
	p := &page{URL: text(scene.URL), Title: text(scene.Title), Text: text(scene.Text), Missing: text(scene.Missing)}
	for _, d := range scene.Dialogs {
		p.Dialogs = append(p.Dialogs, text(d.Kind+": "+d.Message))
	}
	for _, line := range scene.Console {
		p.Console = append(p.Console, text(line))
	}
	for _, line := range scene.Requests {
		p.Requests = append(p.Requests, text(line))
	}
	p.Shot, p.File = k.screenshot(root, folder, record.ShotFile)
	for i := range calls {
		calls[i].Shot, calls[i].File = k.screenshot(root, folder, record.StepShot(calls[i].Step))
	}
	return p
}

// screenshot returns the block that holds a screenshot, or its file if there is no room.
func (k *kept) screenshot(root *os.Root, folder, name string) (id, file string) {
	info, err := root.Lstat(name)
	if err != nil || info.Size() == 0 || !info.Mode().IsRegular() {
		return "", ""
	}
	file = "../" + (&url.URL{Path: folder + "/" + name}).EscapedPath()
	if info.Size() > int64(k.room/4*3) { // as base64 it is longer
		return "", file
	}
	png, err := regular.ReadIn(root, name, k.room/4*3)
	if err != nil || !bytes.HasPrefix(png, []byte("\x89PNG\r\n")) {
		return "", file
	}
	sum := sha256.Sum256(png)
	id, ok := k.shots[sum]
	if !ok {
		id = fmt.Sprintf("shot-%d", len(k.shots))
		k.shots[sum] = id
		text := base64.StdEncoding.EncodeToString(png)
		k.room -= len(text)
		k.queue = append(k.queue, shot{id, text})
	}
	return id, file
}

func (k *kept) writeShots(w *bufio.Writer) error {
	for _, s := range k.queue {
		if err := raw(w, s.id, s.png); err != nil {
			return err
		}
	}
	k.queue = nil
	return nil
}
