package html

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"path"
	"strings"

	"github.com/openchrome/bench/harness/event"
	"github.com/openchrome/bench/harness/report"
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
	root  *os.Root // nil: there is none
	room  int
	shots map[[sha256.Size]byte]string // ids of blocks
	queue []shot                       // not written yet
	used  map[string]bool              // folders of pages
}

type shot struct{ id, png string }

func openKept(out string) *kept {
	k := &kept{room: maxShots, shots: map[[sha256.Size]byte]string{}, used: map[string]bool{}}
	if out != "" {
		k.root, _ = os.OpenRoot(out) // without it nothing was kept
	}
	return k
}

func (k *kept) close() {
	if k.root != nil {
		k.root.Close()
	}
}

// page returns the page of an episode, nil if none was kept.
func (k *kept) page(e *report.Episode, text func(string) int) *page {
	if e.Page == "" {
		return nil
	}
	folder := path.Clean(e.Page)
	if k.used[folder] { // a log could name one large page for thousands of episodes
		return &page{Missing: text("another episode has its page in " + folder)}
	}
	k.used[folder] = true
	if k.root == nil {
		return &page{Missing: text("the page is in " + folder)}
	}
	var scene struct { // as harness/observer writes it
		URL, Title, Text  string
		Dialogs           []event.Dialog
		Console, Requests []string
		Missing           string
	}
	raw, err := k.read(folder+"/page.json", 2<<20)
	if err == nil {
		err = json.Unmarshal(raw, &scene)
	}
	if err != nil {
		return &page{Missing: text(fmt.Sprintf("%s/page.json cannot be read: %v", folder, err))}
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
	p.Shot, p.File = k.screenshot(folder + "/page.png")
	return p
}

// screenshot returns the block that holds a screenshot, or its file if there is no room.
func (k *kept) screenshot(name string) (id, file string) {
	info, err := k.root.Stat(name)
	if err != nil || info.Size() == 0 {
		return "", ""
	}
	file = "../" + escapePath(name)
	if base64.StdEncoding.EncodedLen(int(info.Size())) > k.room {
		return "", file
	}
	png, err := k.read(name, info.Size())
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

// read reads at most limit bytes of a file.
func (k *kept) read(name string, limit int64) ([]byte, error) {
	f, err := k.root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, limit))
}

// writeShots writes the screenshots of the last chunk.
func (k *kept) writeShots(w *bufio.Writer) error {
	for _, s := range k.queue {
		if err := raw(w, s.id, s.png); err != nil {
			return err
		}
	}
	k.queue = nil
	return nil
}

func escapePath(name string) string {
	parts := strings.Split(name, "/")
	for i := range parts {
		parts[i] = url.PathEscape(parts[i])
	}
	return strings.Join(parts, "/")
}
