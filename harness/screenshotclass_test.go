package harness_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/openchrome/bench/harness"
	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/judge/evidence"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/report"
)

// On a real OpenChrome a page belongs to the class that was made from a screenshot of it,
// and to no other. It needs OPENCHROME_DIST.
func TestScreenshotClass(t *testing.T) {
	dist := need.OpenChrome(t)
	set, classes := t.TempDir(), t.TempDir()
	t.Setenv("OPENCHROME_SCREENSHOT_CLASSES_DIR", classes)
	pages := map[string]string{
		"cart": `<body style="margin:0"><div style="height:500px;background:navy"></div><h1>Cart</h1><table border=9 width=600 height=300><tr><td>1<td>2</table>`,
		"done": `<body style="margin:0"><div style="width:900px;height:1000px;background:teal;float:right"></div><h1>Thank you</h1>`,
	}
	need.OK(t, os.Mkdir(filepath.Join(set, "seen.test"), 0o755))
	for name, body := range pages {
		html := `<!doctype html><meta charset=utf-8><title>T</title><link rel=icon href="data:,">` + body
		need.Write(t, filepath.Join(set, "seen.test", name+".html"), html)
	}
	type task struct{ name, page, contract string }
	run := func(tasks ...task) (string, map[string]*report.Episode) {
		t.Helper()
		dir, out := t.TempDir(), t.TempDir()
		for _, task := range tasks {
			writeTask(t, filepath.Join(dir, task.name), "https://seen.test/"+task.page, task.contract, `{"tool":"read_page","args":{"tabId":"{{tabId}}"}}`)
		}
		o := onStandin(out)
		o.Server, o.Package, o.Sites, o.Tasks, o.Parallel = "local", dist, set, dir, 1
		if err := harness.Run(t.Context(), o); err != nil {
			if _, ok := errors.AsType[*harness.ExitError](err); !ok {
				t.Fatal(err)
			}
		}
		r := reportOf(t, out)
		got := map[string]*report.Episode{}
		for _, e := range r.Episodes.All() {
			got[e.TaskID] = e
		}
		return out, got
	}

	out, first := run(task{"look", "cart", `{"kind":"dom_text","selector":"h1","contains":"never"}`})
	png := need.Read(t, filepath.Join(out, filepath.FromSlash(first["look"].Page), "page.png"))
	writeClass(t, classes, "cart", hashOf(t, png))

	_, second := run(
		task{"alike", "cart", `{"kind":"screenshot_class","class_id":"cart","distance_max":8}`},
		task{"other", "done", `{"kind":"screenshot_class","class_id":"cart","distance_max":8}`},
		task{"not-other", "done", `{"kind":"not","child":{"kind":"screenshot_class","class_id":"cart","distance_max":8}}`},
	)
	for name, want := range map[string]record.Status{"alike": record.Passed, "other": record.Failed, "not-other": record.Passed} {
		if e := second[name]; e.Status != want {
			t.Errorf("%s: got %s (%s), want %s", name, e.Status, e.Reason, want)
		}
	}
}

func writeClass(t *testing.T, root, id string, hash uint64) {
	t.Helper()
	dir := filepath.Join(root, id, "exemplars")
	need.OK(t, os.MkdirAll(dir, 0o755))
	need.OK(t, os.WriteFile(filepath.Join(dir, "a.hash"), fmt.Appendf(nil, "%016x", hash), 0o644))
}

// hashOf learns the hash of an image from its distances: an exemplar of one bit is nearer
// than zero is, if the hash has that bit.
func hashOf(t *testing.T, png []byte) (hash uint64) {
	t.Helper()
	root := t.TempDir()
	distance := func(exemplar uint64) float64 {
		writeClass(t, root, "probe", exemplar)
		c, faults := judge.Parse([]byte(`{"kind":"screenshot_class","class_id":"probe","distance_max":64}`))
		need.None(t, faults)
		j := judge.Judge(c, judge.Input{Facts: &evidence.Facts{ScreenshotPNG: base64.StdEncoding.EncodeToString(png)}, ClassesDir: root})
		d, ok := j.Evidence.Details.Get("distance")
		if !ok {
			t.Fatalf("no distance: %+v", j)
		}
		return d.(float64)
	}
	zero := distance(0)
	for bit := range 64 {
		if distance(1<<bit) < zero {
			hash |= 1 << bit
		}
	}
	return hash
}
