package task

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
)

// A task's files are listed, and the placeholders in its goal name them.
func TestUploads(t *testing.T) {
	drawn := `{"values":{"month":{"oneOf":["May","June"]}}}`
	s := load(t, Options{}, map[string]string{
		"a/task.json":              strings.Replace(with(`"tags":["scripts"]`), `"G"`, `"Send {{upload.report {{param.month}}.pdf}} and {{upload.b.csv}}"`, 1),
		"a/params.json":            drawn,
		"a/upload/b.csv":           "1,2\n",
		"a/upload/report May.pdf":  "M",
		"a/upload/report June.pdf": "J",
	})[0]
	need.Equal(t, "Uploads", map[string][]byte{"b.csv": []byte("1,2\n"), "report June.pdf": []byte("J"), "report May.pdf": []byte("M")}, s.Uploads)
	month, _ := s.Values.Text("month")
	paths := map[string]string{"b.csv": "/f/b.csv", "report May.pdf": "/f/report May.pdf", "report June.pdf": "/f/report June.pdf"}
	if got, want := FillUploads(s.Goal, paths), "Send /f/report "+month+".pdf and /f/b.csv"; got != want {
		t.Errorf("goal = %q, want %q", got, want)
	}
}

func TestUploadFaults(t *testing.T) {
	const tagged = `"tags":["scripts"]`
	for _, row := range []struct {
		name, task string
		files      map[string]string
		want       string
	}{
		{"without the tag", minimal, map[string]string{"x": ""}, `tasks/a/task.json:1:1: /: the task has files in upload/, which the stand-in cannot upload; add the tag scripts`},
		{"unknown file", strings.Replace(with(tagged), `"G"`, `"{{upload.repot.pdf}}"`, 1), map[string]string{"report.pdf": ""},
			`tasks/a/task.json:1:63: /goal: has {{upload.repot.pdf}}, but the task has no file "upload/repot.pdf"; did you mean "report.pdf"?`},
		{"elsewhere", strings.Replace(with(tagged), `"T"`, `"{{upload.x}}"`, 1), map[string]string{"x": ""},
			`tasks/a/task.json:1:19: /title: has {{upload.x}}, which is replaced only in "goal"`},
		{"a name", with(tagged), map[string]string{"a'b": ""}, `tasks/a/upload/a'b: the name must begin with a letter or digit, and have only letters, digits, spaces and . _ ( ) + -; rename the file`},
		{"hidden", with(tagged), map[string]string{".x": "", "y": ""}, `tasks/a/upload/.x: the name must begin with a letter or digit, and have only letters, digits, spaces and . _ ( ) + -; rename the file`},
		{"too large", with(tagged), map[string]string{"x": strings.Repeat("x", 300<<10), "y": strings.Repeat("x", 300<<10)},
			`tasks/a/upload: the files have 614400 bytes in total; the limit is 524288`},
		{"a folder", with(tagged), map[string]string{"x/y": ""}, `tasks/a/upload/x: it is not a regular file`},
	} {
		t.Run(row.name, func(t *testing.T) {
			files := map[string]string{"a/task.json": row.task}
			for name, data := range row.files {
				files["a/upload/"+name] = data
			}
			_, err := read(source(files), Options{})
			faults, _ := err.(jsonfile.Faults)
			need.Equal(t, "", row.want, faults.Error())
		})
	}
	for _, row := range []struct{ link, want string }{
		{"a/upload/link", `tasks/a/upload/link: it is a link; copy the file here instead`},
		{"a/upload", `tasks/a/upload: it is a link; copy the folder here instead`},
	} {
		dir := t.TempDir()
		err := errors.Join(
			os.CopyFS(dir, fstest.MapFS{"a/task.json": {Data: []byte(with(tagged))}, ".outside/secret": {Data: []byte("x")}}),
			os.MkdirAll(filepath.Join(dir, filepath.Dir(row.link)), 0o755))
		need.OK(t, err)
		to := filepath.Join(dir, ".outside")
		if row.link != "a/upload" {
			to = filepath.Join(to, "secret")
		}
		if err := os.Symlink(to, filepath.Join(dir, row.link)); err != nil {
			t.Skip(err)
		}
		tasks, err := os.OpenRoot(dir)
		need.OK(t, err)
		for _, fsys := range []fs.FS{os.DirFS(dir), tasks.FS()} {
			_, err = read(Source{"tasks", fsys}, Options{})
			need.Is(t, "", row.want, fmt.Sprint(err))
		}
		tasks.Close()
	}
	need.Fails(t, need.Err(read(source(map[string]string{"a/task.json": minimal, "a/upload": "x"}), Options{})), "tasks/a/upload: is not a folder")
}
