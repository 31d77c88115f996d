package episode

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/openchrome/bench/harness/internal/drive/observer"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/text/display"
	"github.com/openchrome/bench/harness/internal/text/regular"
)

// sceneTimeout bounds the last look at the page, which does not affect the status.
const sceneTimeout = 2 * time.Second

// maxEnded is how many characters of a page's text the log has.
const maxEnded = 100

// keepPage saves the page after the verdict, for a person to look at. It writes page.json and
// page.png below Options.Out and records their folder in s. Without an observer it
// saves nothing. It saves the page of a passed episode only with Options.KeepAll, and never
// after the run was stopped. It does not wait for a page that hangs: it saves only what the
// observer knows already.
func (r *run) keepPage(ctx context.Context, s *record.Stop) {
	defer func() {
		if err := r.keepLog(); err != nil {
			s.PageMissing = fmt.Sprintf("what the agent printed could not be saved: %v", err)
		}
	}()
	if r.source == nil || r.Page == "" || s.Status.Class() == record.Pass && !r.KeepAll || ctx.Err() != nil {
		return
	}
	timeout := sceneTimeout
	if r.hangs {
		timeout = 0
	}
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	scene, ok := r.source.Scene(limited, r.tab())
	if !ok {
		return
	}
	s.Ended = display.Cut(strings.Join(strings.Fields(scene.Text), " "), maxEnded)
	if err := r.writePage(scene); err != nil {
		s.PageMissing = fmt.Sprintf("the page could not be saved: %v", err)
		return
	}
	s.Page = r.Page
}

// writePage first writes the folder under a temporary name, so that the folder is never
// incomplete.
func (r *run) writePage(scene observer.Scene) error {
	var page bytes.Buffer
	enc := json.NewEncoder(&page)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(scene); err != nil {
		return err
	}
	text := r.hiddenFile(display.JSON(page.Bytes()))
	pages, err := regular.MakeFolder(r.Out, path.Dir(r.Page))
	if err != nil {
		return err
	}
	defer pages.Close()
	name := path.Base(r.Page)
	temp := regular.Temporary(name)
	defer pages.RemoveAll(temp) // does nothing if it was renamed
	in, err := regular.NewFolder(pages, temp)
	if err != nil {
		return err
	}
	defer in.Close()
	err = regular.Add(in, record.PageFile, text)
	if !r.hid { // a picture could show the secret
		if len(scene.PNG) > 0 {
			err = errors.Join(err, regular.Add(in, record.ShotFile, scene.PNG))
		}
		for step, png := range r.shots {
			err = errors.Join(err, regular.Add(in, record.StepShot(step), png))
		}
	}
	if err != nil {
		return err
	}
	return pages.Rename(temp, name)
}
