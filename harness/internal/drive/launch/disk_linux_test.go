package launch

import (
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/openchrome/bench/harness/internal/drive/process"
	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/need"
)

// A temporary folder without room is no failure of OpenChrome, whether bytes or
// files have run out.
func TestFullDisk(t *testing.T) {
	dir, folder := t.TempDir(), t.TempDir()
	need.Write(t, filepath.Join(folder, "x"), make([]byte, 2<<20))
	s := launch(t, newCommand(t, "plain")).(*session.Base)
	runtime.LockOSThread() // and never unlocked: the thread, which alone sees the mounts, ends with the test
	if err := unix.Unshare(unix.CLONE_FS | unix.CLONE_NEWNS); err != nil {
		t.Skip("cannot mount:", err)
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		t.Skip("cannot mount:", err)
	}
	for _, test := range []struct {
		name, options string
		fill          int // bytes
		want          string
	}{
		{"room", "size=8m", 1 << 20, ""},
		{"no bytes", "size=8m", 6 << 20, "is full: 2048 KiB free"},
		{"no files", "size=8m,nr_inodes=8", 1 << 10, "can hold no more files"},
	} {
		if err := unix.Mount("tmpfs", dir, "tmpfs", 0, test.options); err != nil {
			t.Skip("cannot mount:", err)
		}
		need.Write(t, filepath.Join(dir, "x"), make([]byte, test.fill))
		s.Temp = dir
		if err := s.Outage(t.Context()); test.want == "" && err != nil || test.want != "" && (!isOutage(err) || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: %v", test.name, err)
		}
		// A session is to blame for the disk if it exceeded its own quota.
		for own, blamed := range map[int64]bool{1 << 20: true, 4 << 20: false} {
			local := &localSession{Base: s, browser: new(chromium), quota: process.WatchQuota(folder, own, "Toy and Chromium")}
			if err := local.Outage(t.Context()); isOutage(err) != (test.want != "" && !blamed) {
				t.Errorf("%s, with a quota of %d MiB: %v", test.name, own>>20, err)
			}
			local.quota.Stop()
		}
		need.OK(t, unix.Unmount(dir, unix.MNT_DETACH))
	}
}
