// Package need is for tests that need more than Go and the tools of a small Debian. A test starts
// another program only after asking here.
package need

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/shirou/gopsutil/v4/process"
)

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
