package launch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/drive/facts"
	"github.com/openchrome/bench/harness/internal/drive/process"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/read/server"
)

// A session that exceeds the quota of its folder ends, and is to blame for its end.
func TestQuota(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	node := filepath.Join(t.TempDir(), "node")
	write(t, node, "#!/bin/sh\nexec "+line("plain")+"\n")
	set, ca := testWeb(t)
	l := &localLauncher{
		LocalOptions: LocalOptions{Server: server.OpenChrome(), Sites: set, CA: ca},
		tools:        LocalTools{Chromium: needChromium(t), Node: node}, quota: 64 << 20,
	}
	for _, test := range []struct {
		tool string
		n    int
		want string // "" if the session may go on
	}{
		{"fill", 8 << 20, ""},
		{"fill", 80 << 20, "OpenChrome and Chromium were stopped: they wrote more than our limit of 64 MiB into their folder"},
		{"fill and delete", 160 << 20, "OpenChrome and Chromium were stopped: they wrote more than our limit of 64 MiB into their folder"},
	} {
		t.Run(fmt.Sprint(test.tool, test.n>>20), func(t *testing.T) {
			if test.tool == "fill and delete" && runtime.GOOS != "linux" {
				t.Skip("only Linux shows deleted files")
			}
			s := launch(t, l).(*localSession)
			if test.want == "" {
				call(t, s, test.tool, fmt.Sprint(test.n))
				need.OK(t, s.quota.Exceeded())
				call(t, s, "echo", "x")
				return
			}
			// It may end before its answer.
			s.Call(t.Context(), adapter.Call{Tool: test.tool, Args: args(map[string]any{"text": fmt.Sprint(test.n)})})
			ctx := need.Within(t, 20*time.Second)
			_, err := s.Call(ctx, adapter.Call{Tool: "hang"})
			if isOutage(err) || err == nil || !strings.HasSuffix(err.Error(), test.want) {
				t.Errorf("a call: %v, want %s", err, test.want)
			}
			if t.Failed() {
				return
			}
			<-s.Observer().Done()
			err = s.Ping(t.Context())
			if none, ok := errors.AsType[*facts.NoPage](err); !ok || none.Why != test.want {
				t.Errorf("Ping: %v, want %s", err, test.want)
			}
		})
	}
}

// The measuring ends at either limit, however much there is.
func TestMeasure(t *testing.T) {
	dir := t.TempDir()
	for i := range 20 {
		write(t, filepath.Join(dir, fmt.Sprint(i)), strings.Repeat("x", 8<<10))
	}
	if runtime.GOOS != "windows" {
		need.OK(t, os.Symlink("/", filepath.Join(dir, "everything")))
		if err := os.Truncate(filepath.Join(dir, "0"), 1<<40); err != nil { // takes no more room
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		bytes    int64
		files    int
		over     string
		measured bool
	}{
		{1 << 20, 100, "", true},
		{1 << 20, 10, "files", false},
		{64 << 10, 100, "bytes", false},
	} {
		bytes, files, err := process.Measure(dir, test.bytes, test.files)
		over := ""
		switch {
		case bytes > test.bytes:
			over = "bytes"
		case files > test.files:
			over = "files"
		}
		if err != nil || over != test.over || (files >= 21) != test.measured {
			t.Errorf("%+v: %d bytes, %d files, %v", test, bytes, files, err)
		}
	}
}

// Folders below a path that is too long for the system cannot hide what is in them.
func TestDeepFolder(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("it refuses such paths")
	}
	dir := t.TempDir()
	t.Chdir(dir) // and back at the end
	for range 30 {
		name := strings.Repeat("x", 200)
		need.OK(t, os.Mkdir(name, 0o700))
		need.OK(t, os.Chdir(name))
	}
	q := process.WatchQuota(dir, 0, "Toy and Chromium")
	defer q.Stop()
	need.Fails(t, q.Exceeded(), "cannot be measured")
}

// A folder that nobody can look into cannot hide what is in it.
func TestUnreadableFolder(t *testing.T) {
	if os.Geteuid() == 0 || runtime.GOOS == "windows" {
		t.Skip("everything is readable")
	}
	dir := t.TempDir()
	closed := filepath.Join(dir, "closed")
	need.OK(t, os.Mkdir(closed, 0o300))
	defer os.Chmod(closed, 0o700)
	q := process.WatchQuota(dir, 0, "Toy and Chromium")
	defer q.Stop()
	need.Fails(t, q.Exceeded(), "cannot be measured")
}
