//go:build unix

package watchdog

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestTempDir(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	a, removeA, err := TempDir()
	if err != nil {
		t.Fatal(err)
	}
	b, removeB, err := TempDir()
	if err != nil {
		t.Fatal(err)
	}
	if a == b {
		t.Errorf("the same folder twice: %s", a)
	}
	if info, _ := os.Stat(a); info.Mode().Perm() != 0o700 {
		t.Errorf("permissions %v, want rwx for the owner only", info.Mode())
	}
	os.MkdirAll(filepath.Join(a, "x", "y"), 0o755)
	for range 2 {
		if err := removeA(); err != nil {
			t.Error(err)
		}
	}
	if exists(a) || !exists(b) {
		t.Errorf("after removing the first: first there %t, second there %t", exists(a), exists(b))
	}
	removeB()

	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "missing"))
	if dir, _, err := TempDir(); err == nil {
		t.Errorf("made %s in a folder that is not there", dir)
	}
}

func TestRemoveDirRefuses(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	for _, name := range []string{"notes", "x/" + prefix + "1", prefix + "1/.."} {
		dir := filepath.Join(tmp, name)
		os.MkdirAll(dir, 0o755)
		if err := removeDir(dir); err == nil {
			t.Errorf("removed %s", name)
		}
	}
	if err := removeDir(tmp + "/" + prefix + "1/../notes"); err == nil {
		t.Error("followed .. to another folder")
	}
}

func TestSweep(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	gone := exec.Command("true")
	if err := gone.Run(); err != nil {
		t.Fatal(err)
	}
	name := func(pid int, start uint64, machine string) string {
		return fmt.Sprintf("%s%d-%d-%s-1", prefix, pid, start, machine)
	}
	me, _ := FindProcess(os.Getpid())
	const elsewhere = "ffffffff"
	tests := []struct {
		reason string
		dir    string
		age    time.Duration
		swept  bool
	}{
		{"the owner has ended", name(gone.Process.Pid, 5, thisMachine()), 0, true},
		{"the owner lives", name(os.Getpid(), me.Start, thisMachine()), 48 * time.Hour, false},
		{"the owner's number was used again", name(os.Getpid(), me.Start+1, thisMachine()), 0, true},
		{"an owner elsewhere may live", name(gone.Process.Pid, 5, elsewhere), 23 * time.Hour, false},
		{"an owner elsewhere, long ago", name(gone.Process.Pid, 6, elsewhere), 25 * time.Hour, true},
		{"not named by us", prefix + "notes", 48 * time.Hour, false},
		{"not ours", "other-1-2-3-4", 48 * time.Hour, false},
	}
	var want []string
	for _, tt := range tests {
		dir := filepath.Join(tmp, tt.dir)
		os.MkdirAll(filepath.Join(dir, "profile"), 0o755)
		then := time.Now().Add(-tt.age)
		os.Chtimes(dir, then, then)
		if tt.swept {
			want = append(want, dir)
		}
	}
	file := filepath.Join(tmp, name(gone.Process.Pid, 7, thisMachine()))
	os.WriteFile(file, nil, 0o600)

	got := Sweep()
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Sweep mismatch (-want +got):\n%s", diff)
	}
	for _, tt := range tests {
		if there := exists(filepath.Join(tmp, tt.dir)); there == tt.swept {
			t.Errorf("%s: folder there %t", tt.reason, there)
		}
	}
	if !exists(file) {
		t.Error("swept a file")
	}
	if again := Sweep(); len(again) != 0 {
		t.Errorf("the second Sweep found %v", again)
	}
}

func TestMarked(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("environments are shown on Linux only")
	}
	t.Setenv("TMPDIR", t.TempDir())
	dir, remove, err := TempDir()
	if err != nil {
		t.Fatal(err)
	}
	start := func(entry string) *exec.Cmd {
		cmd := exec.Command("sleep", "1000")
		cmd.Env = []string{"A=1", entry, "Z=1"}
		cmd.SysProcAttr = detached() // out of every group of ours
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
		return cmd
	}
	marked, other := start(Mark(dir)), start(Mark(dir+"0"))
	if err := remove(); err != nil {
		t.Error(err)
	}
	marked.Wait()
	if got := marked.ProcessState.String(); got != "signal: killed" {
		t.Errorf("the marked process: %s", got)
	}
	if !running(fmt.Sprint(other.Process.Pid)) {
		t.Error("a process with another mark was killed")
	}
}

func BenchmarkTempDir(b *testing.B) {
	for b.Loop() {
		_, remove, err := TempDir()
		if err != nil {
			b.Fatal(err)
		}
		remove()
	}
}
