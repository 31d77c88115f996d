package transcript

import (
	"fmt"
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/read/task"
)

// The files of a task are opened once, whatever is drawn, digested and played.
func TestFilesAreReadOnce(t *testing.T) {
	const call = `{"tool":"find","args":{"q":"{{param.x}}"}}`
	fsys := make(fstest.MapFS)
	want := make(map[string]int)
	for name, data := range map[string]string{
		"a/task.json": `{"id":"a","title":"T","startUrl":"https://a.test/","goal":"{{param.x}} {{upload.f}}",
			"success":{"kind":"no_dialog"},"tags":["core","scripts"]}`,
		"a/params.json": `{"values":{"x":{"int":[1,1000000]}}}`, "a/upload/f": "x", "a/transcript.jsonl": call,
		"a/transcript.playwright-mcp.jsonl": call, "a/forbidden.x.jsonl": call, "b/task.json": "{}",
	} {
		fsys[name], want[name] = &fstest.MapFile{Data: []byte(data)}, 1
	}
	counted := &countingFS{FS: fsys, opens: make(map[string]int)}
	folders, err := task.Open(task.Source{Name: "tasks", FS: counted})
	need.OK(t, err)
	chosen, err := task.Select(folders, task.Selection{Suite: "core"})
	if err != nil || len(chosen) != 1 {
		t.Fatal(chosen, err)
	}
	seen := make(map[string]bool)
	for n := range 3 {
		r := mockReader()
		r.Options.Seed = n
		p, err := r.Read(chosen[0])
		if err != nil || len(p.Lines) != 1 || len(p.Forbidden) != 1 || string(p.Uploads["f"]) != "x" {
			t.Fatalf("seed %d: %+v, %v", n, p, err)
		}
		seen[p.Lines[0].args[0]] = true
	}
	need.Is(t, fmt.Sprintf("three seeds replay the calls %v", seen), 3, len(seen))
	need.Equal(t, "opened files", want, counted.opens)
}

// countingFS counts how often each file is opened, but not folders.
type countingFS struct {
	fs.FS
	opens map[string]int
}

// Open implements [fs.FS].
func (c *countingFS) Open(name string) (fs.File, error) {
	if info, err := fs.Stat(c.FS, name); err == nil && !info.IsDir() {
		c.opens[name]++
	}
	return c.FS.Open(name)
}

// Stat implements [fs.StatFS].
func (c *countingFS) Stat(name string) (fs.FileInfo, error) { return fs.Stat(c.FS, name) }
