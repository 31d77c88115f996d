// Package build says which build of the harness this program is, and what a folder has checked
// out.
//
// Mage compiles a list of files, and Go stamps no commit into such a program. So the commit is
// read from the checkout that the program was compiled in, if nothing there changed since. The
// package never guesses: what it cannot know is unknown.
package build

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/openchrome/bench/harness/internal/option"
	"github.com/openchrome/bench/harness/internal/record"
)

// Version is the version of the harness. CHANGELOG.md says what changed in it.
const Version = "0.1.0"

// module is the path of the harness's module.
const module = "github.com/openchrome/bench"

// This returns this build. It asks git once, which takes about 25 ms.
var This = sync.OnceValue(func() record.Harness {
	info, _ := debug.ReadBuildInfo()
	commit := stamped(info)
	if commit == "" {
		commit = compiledIn()
	}
	return record.Harness{Version: Version, Commit: cmp.Or(commit, record.Unknown)}
})

// stamped returns the commit that Go stamped into the program; empty if there is none.
func stamped(info *debug.BuildInfo) string {
	if info == nil {
		return ""
	}
	if info.Main.Path == module { // else the stamp is of another module's checkout
		set := make(map[string]string)
		for _, s := range info.Settings {
			set[s.Key] = s.Value
		}
		if commit := set["vcs.revision"]; commit != "" {
			return marked(commit, set["vcs.modified"] == "true")
		}
	}
	for _, dep := range append(info.Deps, &info.Main) { // the program itself: go install PROGRAM@VERSION
		if dep.Path == module && dep.Replace == nil {
			if m := pseudo.FindStringSubmatch(dep.Version); m != nil {
				return m[1]
			}
		}
	}
	return ""
}

// pseudo matches a version that Go makes of a commit, such as
// v0.1.1-0.20261121120000-0123456789ab.
var pseudo = regexp.MustCompile(`[.-]\d{14}-([0-9a-f]{12})$`)

func marked(commit string, dirty bool) string {
	if commit != "" && dirty {
		commit += record.Dirty
	}
	return commit
}

// compiledIn returns the commit of the checkout that this program was compiled in; empty if it
// cannot be known.
func compiledIn() string {
	_, file, _, _ := runtime.Caller(0)
	program, err := os.Executable()
	if err != nil {
		return ""
	}
	return commitOf(filepath.Join(filepath.Dir(file), "..", "..", "..", ".."), program)
}

// sources are what a program is compiled of, in the module's folder.
var sources = []string{"containers", "fixtures", "harness", "servers", "sites", "go.mod", "go.sum", "magefile.go"}

// commitOf returns the commit in root, the module's folder, that a program was compiled of. It
// is empty if a source or the commit changed after the program was written: it is then not
// known what they were. A program that was copied after such a change is believed to be newer.
func commitOf(root, program string) string {
	built, err := os.Stat(program)
	if err != nil || !filepath.IsAbs(root) { // with -trimpath, root is no folder
		return ""
	}
	// A vendored copy, and one in the module cache, is in another checkout or in none.
	if _, err := os.Lstat(filepath.Join(root, ".git")); err != nil {
		return ""
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*gitTimeout)
	defer cancel()
	c, err := find(ctx, root)
	if err != nil || !same(c.top, root) {
		return ""
	}
	moved, err := os.Stat(c.log) // git writes a line there whenever HEAD moves
	if err != nil || moved.ModTime().After(built.ModTime()) || changedAfter(root, built.ModTime()) {
		return ""
	}
	dirty, err := c.dirty(ctx, append([]string{"--untracked-files=normal", "--"}, sources...)...)
	if err != nil {
		return ""
	}
	return marked(c.commit, dirty)
}

// same reports whether two paths are of one folder.
func same(a, b string) bool {
	x, err := os.Stat(a)
	y, err2 := os.Stat(b)
	return err == nil && err2 == nil && os.SameFile(x, y)
}

// changedAfter reports whether a source may have changed after a time.
func changedAfter(root string, built time.Time) bool {
	for _, source := range sources {
		err := filepath.WalkDir(filepath.Join(root, source), func(_ string, e fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if e.Name() == "testdata" {
				return fs.SkipDir
			}
			if strings.HasSuffix(e.Name(), "_test.go") {
				return nil
			}
			info, err := e.Info()
			if err == nil && info.ModTime().After(built) {
				err = fs.ErrExist
			}
			return err
		})
		if err != nil {
			return true
		}
	}
	return false
}

// Print prints which build this is, in a line.
func Print(_ context.Context, v option.Values) error {
	_, err := fmt.Fprintf(v.WithDefaults().Stdout, "openchrome-bench %s, %s %s/%s\n", This(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}
