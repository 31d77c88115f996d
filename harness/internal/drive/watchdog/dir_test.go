//go:build unix

package watchdog

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/openchrome/bench/harness/internal/need"
)

func setTemp(t *testing.T) string {
	t.Helper()
	dir := need.ShortTemp(t)
	t.Setenv("TMPDIR", dir)
	return dir
}

func TestTempDir(t *testing.T) {
	tmp := setTemp(t)
	a, removeA, err := TempDir()
	need.OK(t, err)
	b, removeB, err := TempDir()
	need.OK(t, err)
	if a == b || !strings.HasPrefix(a, tmp+"/") {
		t.Errorf("folders %s and %s in %s", a, b, tmp)
	}
	if info, _ := os.Stat(a); info.Mode().Perm() != 0o700 {
		t.Errorf("permissions %v, want rwx for the owner only", info.Mode())
	}
	if entries, _ := os.ReadDir(a); len(entries) > 0 {
		t.Errorf("it is not empty: %v", entries)
	}
	os.MkdirAll(filepath.Join(a, "x", "y"), 0o755)
	for range 2 {
		need.OK(t, removeA())
	}
	if exists(filepath.Dir(a)) || !exists(b) {
		t.Errorf("after removing the first: first there %t, second there %t", exists(a), exists(b))
	}
	removeB()
	need.Gone(t, filepath.Join(tmp, "*"))

	t.Setenv("TMPDIR", filepath.Join(tmp, "missing"))
	if dir, _, err := TempDir(); err == nil {
		t.Errorf("made %s in a folder that is not there", dir)
	}
}

// A brief folder starts no watchdog, and carries the proof by which a later run may remove it.
func TestBriefDir(t *testing.T) {
	setTemp(t)
	before := guards.last
	dir, remove, err := BriefDir()
	need.OK(t, err)
	need.Is(t, "guards", before, guards.last)
	p, err := readProof(filepath.Dir(dir))
	need.OK(t, err)
	need.Is(t, fmt.Sprintf("proof %+v", p), os.Getpid(), p.Pid)
	if err := remove(); err != nil || exists(filepath.Dir(dir)) {
		t.Errorf("removed: %v, still there %t", err, exists(filepath.Dir(dir)))
	}
}

// A socket of Chromium's fits, however long TMPDIR is.
func TestTempDirIsShort(t *testing.T) {
	tmp := setTemp(t)
	for _, name := range []string{"", "/" + strings.Repeat("x", 12), "/" + strings.Repeat("x", 13), "/" + strings.Repeat("x", 100)} {
		os.MkdirAll(tmp+name, 0o755)
		t.Setenv("TMPDIR", tmp+name)
		dir, remove, err := TempDir()
		need.OK(t, err)
		socket := dir + "/t/org.chromium.Chromium.XXXXXX/SingletonSocket"
		if len(socket) > 103 {
			t.Errorf("TMPDIR of %d bytes: %s has %d", len(tmp+name), socket, len(socket))
		}
		need.OK(t, remove())
	}
	t.Chdir(tmp)
	t.Setenv("TMPDIR", ".")
	dir, remove, err := TempDir()
	if err != nil || !filepath.IsAbs(dir) {
		t.Errorf("TMPDIR=.: %s, %v", dir, err)
	}
	remove()
}

// sweepIn sweeps, and returns what was in tmp: /tmp may hold what others left.
func sweepIn(tmp string) []string {
	return slices.DeleteFunc(Sweep(), func(dir string) bool { return filepath.Dir(dir) != tmp })
}

// put makes a folder with a proof in it, which is a JSON text, and a file inside.
func put(t *testing.T, top, proof string) {
	t.Helper()
	need.OK(t, os.MkdirAll(filepath.Join(top, innerDir, "profile"), 0o755))
	if proof == "" {
		return
	}
	need.Write(t, filepath.Join(top, proofFile), proof)
}

func text(t *testing.T, p proof) string {
	t.Helper()
	raw, err := json.Marshal(p)
	need.OK(t, err)
	return string(raw)
}

func TestSweep(t *testing.T) {
	tmp := setTemp(t)
	gone := exec.Command("true")
	need.OK(t, gone.Run())
	me, _ := FindProcess(os.Getpid())
	here, dead := Machine(), gone.Process.Pid
	const elsewhere = "3f9b0d1c-0000-4000-8000-000000000000.4026531836"
	const old = 25 * time.Hour
	name := func(n int) string { return fmt.Sprint("openchrome-bench-", n) }
	tests := []struct {
		reason string
		dir    string
		proof  string
		age    time.Duration
		swept  bool
	}{
		{"the owner has ended", name(1), text(t, proof{name(1), Owner{Pid: dead, Start: 5, Machine: here}}), 0, true},
		{"the owner lives", name(2), text(t, proof{name(2), Owner{Pid: me.Pid, Start: me.Start, Machine: here}}), old, false},
		{"the owner's number was used again", name(3), text(t, proof{name(3), Owner{Pid: me.Pid, Start: me.Start + 1, Machine: here}}), 0, true},
		{"an owner elsewhere may live", name(4), text(t, proof{name(4), Owner{Pid: dead, Start: 5, Machine: elsewhere}}), 23 * time.Hour, false},
		{"an owner elsewhere, long ago", name(5), text(t, proof{name(5), Owner{Pid: dead, Start: 5, Machine: elsewhere}}), old, true},
		{"nobody knows where the owner is", name(6), text(t, proof{name(6), Owner{Pid: dead, Start: 5}}), time.Hour, false},
		{"a person's results", "openchrome-bench-results-2026-11-20", "", old, false},
		{"a person's results of an older form", fmt.Sprintf("openchrome-bench-%d-5-ffffffff-1", dead), "", old, false},
		{"the name is as ours, and there is no proof", name(7), "", old, false},
		{"the proof is of another folder", name(8), text(t, proof{name(1), Owner{Pid: dead, Start: 5, Machine: here}}), old, false},
		{"the name is longer", name(9) + "-copy", text(t, proof{name(9) + "-copy", Owner{Pid: dead, Start: 5, Machine: here}}), old, false},
		{"the proof is torn", name(10), `{"name":"` + name(10), old, false},
		{"the proof is empty", name(11), " ", old, false},
	}
	var want []string
	for _, tt := range tests {
		dir := filepath.Join(tmp, tt.dir)
		put(t, dir, tt.proof)
		then := time.Now().Add(-tt.age)
		os.Chtimes(filepath.Join(dir, innerDir), then, then)
		os.Chtimes(dir, then, then)
		if tt.swept {
			want = append(want, dir)
		}
	}
	// Neither a link to a proof nor a link to a folder is one.
	linked, pointing, file := filepath.Join(tmp, name(12)), filepath.Join(tmp, name(13)), filepath.Join(tmp, name(14))
	put(t, linked, "")
	valid := filepath.Join(tmp, "valid")
	put(t, valid, text(t, proof{name(12), Owner{Pid: dead, Start: 5, Machine: here}}))
	os.Symlink(filepath.Join(valid, proofFile), filepath.Join(linked, proofFile))
	os.Symlink(valid, pointing)
	os.WriteFile(file, nil, 0o600)

	// A process that is killed while it makes or removes a folder leaves it empty.
	for n, age := range map[int]time.Duration{15: 2 * time.Minute, 16: 0, 17: 2 * time.Minute} {
		dir, then := filepath.Join(tmp, name(n)), time.Now().Add(-age)
		need.OK(t, os.Mkdir(dir, 0o700))
		if n == 17 {
			need.Write(t, filepath.Join(dir, proofFile), "")
		}
		need.OK(t, os.Chtimes(dir, then, then))
		if age > 0 {
			want = append(want, dir)
		}
	}

	got := sweepIn(tmp)
	slices.Sort(want)
	slices.Sort(got)
	need.Equal(t, "Sweep", want, got)
	for _, tt := range tests {
		if there := exists(filepath.Join(tmp, tt.dir)); there == tt.swept {
			t.Errorf("%s: folder there %t", tt.reason, there)
		}
		// Neither does the watchdog remove what has no proof.
		if removeDir(filepath.Join(tmp, tt.dir)); tt.proof == "" && !exists(filepath.Join(tmp, tt.dir, innerDir)) {
			t.Errorf("%s: removeDir removed it", tt.reason)
		}
	}
	for _, path := range []string{filepath.Join(linked, innerDir), pointing, valid, file} {
		if removeDir(path); !exists(path) {
			t.Errorf("removed %s", path)
		}
	}
	// The watchdog does not wait: it knows that the owner is dead.
	if err := removeDir(filepath.Join(tmp, name(16))); err != nil {
		t.Errorf("an empty folder stayed: %v", err)
	}
	if again := sweepIn(tmp); len(again) != 0 {
		t.Errorf("the second Sweep found %v", again)
	}
}

// A folder of a name of ours does not go without a proof.
func TestRemoveDirRefuses(t *testing.T) {
	tmp := setTemp(t)
	t.Chdir(tmp)
	const ours = "openchrome-bench-10"
	for _, dir := range []string{
		filepath.Join(tmp, "notes"), filepath.Join(tmp, "openchrome-bench-results"), filepath.Join(tmp, ours), ours, tmp + "/" + ours + "/../notes",
	} {
		os.MkdirAll(dir, 0o755)
		os.WriteFile(filepath.Join(dir, "mine"), nil, 0o600)
		if err := removeDir(dir); err == nil || !exists(filepath.Join(dir, "mine")) {
			t.Errorf("removed %s", dir)
		}
	}
	empty := filepath.Join(tmp, "empty")
	os.Mkdir(empty, 0o700)
	if err := removeDir(empty); err == nil || !exists(empty) {
		t.Error("removed an empty folder of another name")
	}
}

// A confined program cannot make folders that stay: neither so many below each other that a process
// may not have them all open, nor one that its owner cannot read.
func TestStubbornFolders(t *testing.T) {
	tmp := setTemp(t)
	var limit syscall.Rlimit
	need.OK(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit))
	low := limit
	low.Cur = 200
	need.OK(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &low))
	defer syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit)
	dir, remove, err := TempDir()
	need.OK(t, err)
	deep := filepath.Join(dir, strings.Repeat("d/", 500))
	need.OK(t, os.MkdirAll(deep, 0o700))
	need.OK(t, os.WriteFile(filepath.Join(deep, "file"), nil, 0o400))
	outside := filepath.Join(tmp, "outside")
	need.OK(t, os.Mkdir(outside, 0o500))
	need.OK(t, os.Symlink(outside, filepath.Join(dir, "link")))
	need.OK(t, os.Chmod(filepath.Dir(filepath.Clean(deep)), 0))
	need.OK(t, remove())
	if entries, _ := os.ReadDir(tmp); len(entries) != 1 {
		t.Errorf("left: %v", entries)
	}
	if info, err := os.Stat(outside); err != nil || info.Mode().Perm() != 0o500 {
		t.Errorf("outside of it: %v, %v", info, err)
	}
}
