// Package need has what tests of several packages need. A test that starts another program than Go
// and the tools of a small Debian asks here for it.
package need

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/shirou/gopsutil/v4/process"
)

// Update says that tests rewrite their golden files.
var Update = flag.Bool("update", false, "rewrite golden files")

// Missing skips a test that lacks something. In CI on Linux, which installs everything, it fails.
func Missing(t testing.TB, what any) {
	t.Helper()
	if os.Getenv("CI") == "true" && runtime.GOOS == "linux" {
		t.Fatal(what)
	}
	t.Skip(what)
}

// Program returns the path of the first of these programs that is here.
func Program(t testing.TB, names ...string) string {
	t.Helper()
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	Missing(t, "needs "+strings.Join(names, " or "))
	return ""
}

// Chromium returns the path of the one that CHROME_PATH names, or of any.
func Chromium(t testing.TB) string {
	t.Helper()
	if path := os.Getenv("CHROME_PATH"); path != "" {
		return path
	}
	return Program(t, "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
}

// Peers returns the node_modules folder with the pinned peers. The test is skipped with -short.
func Peers(t testing.TB) (modules string) {
	t.Helper()
	if testing.Short() {
		t.Skip("needs the peers, so only mage testAll runs it")
	}
	if modules = os.Getenv("OPENCHROME_BENCH_PEERS"); modules == "" {
		Missing(t, "needs the peers: install them with .ci/peers.sh and set OPENCHROME_BENCH_PEERS")
	}
	return modules
}

// Running reports whether the process with this id runs. A zombie does not.
func Running(t testing.TB, pid string) bool {
	t.Helper()
	n, err := strconv.ParseInt(strings.TrimSpace(pid), 10, 32)
	if err != nil {
		t.Fatal(err)
	}
	p, err := process.NewProcess(int32(n))
	if errors.Is(err, process.ErrorProcessNotRunning) {
		return false
	}
	var status []string
	if err == nil {
		status, err = p.Status()
	}
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ESRCH) { // it has just ended
		return false
	}
	if err != nil {
		t.Fatal(err)
	}
	return !slices.Contains(status, process.Zombie)
}

// Write writes a file, and makes its folder.
func Write[T string | []byte](t testing.TB, name string, content T) {
	t.Helper()
	OK(t, errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(content), 0o644)))
}

// Read returns the content of a file.
func Read(t testing.TB, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(name)
	OK(t, err)
	return content
}

// Until waits until what is waited for is there, for at most 30 seconds.
func Until(t testing.TB, what string, there func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !there() {
		select {
		case <-ctx.Done():
			t.Fatalf("%s did not come", what)
		case <-tick.C:
		}
	}
}

// OK ends a test that has an error.
func OK(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Equal fails a test whose values differ. What says what they are.
func Equal(t testing.TB, what string, want, got any, options ...cmp.Option) {
	t.Helper()
	if diff := cmp.Diff(want, got, options...); diff != "" {
		t.Error(strings.TrimLeft(what+" (-want +got):\n", " ") + diff)
	}
}

// Is fails a test whose value is another one.
func Is[T comparable](t testing.TB, what string, want, got T) {
	t.Helper()
	if got != want {
		t.Error(strings.TrimPrefix(fmt.Sprintf("%s: got %+v, want %+v", what, got, want), ": "))
	}
}

// Has fails a test whose text lacks one of these parts.
func Has[T string | []byte](t testing.TB, text T, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(string(text), part) {
			t.Errorf("no %q in\n%s", part, text)
		}
	}
}

// Fails fails a test without an error that says this.
func Fails(t testing.TB, err error, says string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), says) {
		t.Errorf("error %v, want %s", err, says)
	}
}

// Run runs a program that must succeed, and returns what it prints.
func Run(t testing.TB, cmd *exec.Cmd) []byte {
	t.Helper()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return out
}

// Cases runs a test for each folder of testdata/NAME.txtar. What see makes of the other files of the folder is
// its last one, want.
func Cases(t *testing.T, name string, see func(t *testing.T, files map[string]string) string) {
	t.Helper()
	name = filepath.Join("testdata", name+".txtar")
	archive, err := txtar.ParseFile(name)
	OK(t, err)
	files := map[string]string{}
	for i, f := range archive.Files {
		folder, file, _ := strings.Cut(f.Name, "/")
		if file != "want" {
			files[file] = strings.TrimSuffix(string(f.Data), "\n")
			continue
		}
		t.Run(folder, func(t *testing.T) {
			got := see(t, files)
			if *Update {
				archive.Files[i].Data = []byte(got + "\n")
			}
			Equal(t, name, strings.TrimSuffix(string(archive.Files[i].Data), "\n"), got)
		})
		files = map[string]string{}
	}
	if len(archive.Files) == 0 || len(files) > 0 {
		t.Errorf("%s: it ends without a want", name)
	}
	if *Update {
		Write(t, name, txtar.Format(archive))
	}
}

// Err leaves the value of a call away, for [OK].
func Err[T any](_ T, err error) error { return err }

// Begins fails a test whose text begins with something else.
func Begins(t testing.TB, text, with string) {
	t.Helper()
	if !strings.HasPrefix(text, with) {
		t.Errorf("got  %s\nwant %s", text, with)
	}
}

// Self is the path of the test binary, which some tests start as another program.
func Self(t testing.TB) string {
	t.Helper()
	self, err := os.Executable()
	OK(t, err)
	return self
}

// None ends a test that has faults.
func None[T any](t testing.TB, faults []T) {
	t.Helper()
	if len(faults) > 0 {
		t.Fatal(faults)
	}
}

// Gone fails a test when a pattern still matches files.
func Gone(t testing.TB, pattern string) {
	t.Helper()
	if left, _ := filepath.Glob(pattern); left != nil {
		t.Errorf("left: %q", left)
	}
}

// Within is a context that ends with the test, or after this time.
func Within(t testing.TB, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

// OpenChrome is the dist/index.js of a real OpenChrome, without which the test is skipped.
func OpenChrome(t testing.TB) string {
	t.Helper()
	dist := os.Getenv("OPENCHROME_DIST")
	if dist == "" {
		t.Skip("needs a real OpenChrome: set OPENCHROME_DIST to its dist/index.js")
	}
	return dist
}

// ShortTemp is a folder that is short enough for TMPDIR, and for a socket in it.
func ShortTemp(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "t")
	OK(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// Below returns the arguments of the processes below a process.
func Below(top int) map[int]string {
	found := map[int]string{}
	p, err := process.NewProcess(int32(top))
	if err != nil {
		return found
	}
	children, _ := p.Children() // an error means that there are none
	for _, c := range children {
		if args, _ := c.CmdlineSlice(); args != nil { // a zombie has none
			found[int(c.Pid)] = strings.Join(args, "\x00") + "\x00"
		}
		maps.Copy(found, Below(int(c.Pid)))
	}
	return found
}
