package episode

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/openchrome/bench/harness/display"
	"github.com/openchrome/bench/harness/event"
	"github.com/openchrome/bench/harness/observer"
)

// sceneTimeout bounds the last look at the page, which decides nothing.
const sceneTimeout = 2 * time.Second

// keepPage shows a person the page after the verdict: it writes page.json and page.png
// below Options.Out and names their folder in s. Without an observer there is nothing to
// show. An episode that passed is kept only with Options.KeepAll, and none when the run
// was stopped.
func (r *run) keepPage(ctx context.Context, s *event.Stop) {
	if r.source == nil || r.Page == "" || s.Status.Class() == event.Pass && !r.KeepAll || ctx.Err() != nil {
		return
	}
	limited, cancel := context.WithTimeout(ctx, sceneTimeout)
	defer cancel()
	scene, ok := r.source.Scene(limited, r.tab)
	if !ok {
		return
	}
	if err := writePage(filepath.Join(r.Out, filepath.FromSlash(r.Page)), scene); err != nil {
		s.PageMissing = fmt.Sprintf("the page could not be kept: %v", err)
		return
	}
	s.Page = r.Page
}

// writePage writes the folder under a temporary name first, so that it is whole or not
// there.
func writePage(dir string, scene observer.Scene) error {
	var page bytes.Buffer
	enc := json.NewEncoder(&page)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(scene); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	temp, err := os.MkdirTemp(filepath.Dir(dir), "."+filepath.Base(dir)+".*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp) // gone already if it was renamed
	err = errors.Join(os.Chmod(temp, 0o755), os.WriteFile(filepath.Join(temp, "page.json"), display.JSON(page.Bytes()), 0o644))
	if len(scene.PNG) > 0 {
		err = errors.Join(err, os.WriteFile(filepath.Join(temp, "page.png"), scene.PNG, 0o644))
	}
	if err != nil {
		return err
	}
	return os.Rename(temp, dir)
}
