package regular_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/text/regular"
)

func TestRead(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"file": "text", "large": "large text"} {
		need.Write(t, filepath.Join(dir, name), text)
	}
	pipe := mkfifo(t, filepath.Join(dir, "pipe"))
	links := true
	for link, to := range map[string]string{"link": "file", "link to a pipe": "pipe"} {
		links = os.Symlink(to, filepath.Join(dir, link)) == nil && links
	}
	root, err := os.OpenRoot(dir)
	need.OK(t, err)
	defer root.Close()
	for _, tt := range []struct {
		name, want, err string
		skip            bool
	}{
		{name: "file", want: "text"},
		{name: "large", err: "it is larger than 4 bytes"},
		{name: "none", err: fs.ErrNotExist.Error()},
		{name: ".", err: "it is not a regular file"},
		{name: "link", want: "text", skip: !links},
		{name: "link to a pipe", err: "it is not a regular file", skip: !links || !pipe},
		{name: "pipe", err: "it is not a regular file", skip: !pipe}, // this would wait forever
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.skip {
				t.Skip("not on this machine")
			}
			check := func(how string, raw []byte, err error, wantErr string) {
				t.Helper()
				var cause string
				if err != nil {
					cause = err.Error()
					if inner := errors.Unwrap(err); inner != nil {
						cause = inner.Error()
					}
				}
				if errors.Is(err, fs.ErrNotExist) {
					cause = fs.ErrNotExist.Error()
				}
				if cause != wantErr || wantErr == "" && string(raw) != tt.want {
					t.Errorf("%s: %q, %v; want %q, %s", how, raw, err, tt.want, wantErr)
				}
			}
			raw, err := regular.Read(filepath.Join(dir, tt.name), 4)
			check("Read", raw, err, tt.err)
			raw, err = regular.ReadFS(os.DirFS(dir), tt.name, 4)
			check("ReadFS", raw, err, tt.err)
			raw, err = regular.ReadIn(root, tt.name, 4)
			if tt.name == "link" {
				tt.err = "it is not a regular file"
			}
			check("ReadIn", raw, err, tt.err)
			if err != nil && !strings.HasPrefix(err.Error(), tt.name+": ") {
				t.Errorf("ReadIn: %v does not begin with the name", err)
			}
		})
	}
}

// A device has no end.
func TestDevice(t *testing.T) {
	name := "/dev/zero"
	if runtime.GOOS == "windows" {
		name = "NUL"
	}
	if f, err := regular.Open(name); err == nil {
		f.Close()
		t.Errorf("%s was opened", name)
	}
}
