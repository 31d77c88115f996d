package selftest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// packages says where the tests are that [TestAll] runs.
type packages struct {
	containers string   // the tests that start containers
	observer   string   // code that works concurrently, but only on Chromium
	concurrent []string // code that works concurrently
	long       []string // tests that -short skips
}

var (
	concurrently = regexp.MustCompile(`(?m)^\s*go |sync\.(RW)?Mutex|sync\.WaitGroup|context\.AfterFunc`)
	skipsShort   = regexp.MustCompile(`testing\.Short\(\)`)
)

func find(ctx context.Context) (p packages, err error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-json=ImportPath,Dir,GoFiles,TestGoFiles,XTestGoFiles", "./...").Output()
	if err != nil {
		return p, fmt.Errorf("go list: %w", err)
	}
	for list := json.NewDecoder(strings.NewReader(string(out))); ; {
		var one struct {
			ImportPath, Dir                    string
			GoFiles, TestGoFiles, XTestGoFiles []string
		}
		if err := list.Decode(&one); errors.Is(err, io.EOF) {
			return p, nil
		} else if err != nil {
			return p, fmt.Errorf("go list: %w", err)
		}
		tests := slices.Concat(one.TestGoFiles, one.XTestGoFiles)
		has := func(files []string, what *regexp.Regexp) bool {
			return slices.ContainsFunc(files, func(name string) bool {
				source, readErr := os.ReadFile(filepath.Join(one.Dir, name))
				err = errors.Join(err, readErr)
				return what.Match(source)
			})
		}
		switch {
		case len(tests) == 0:
			continue
		case strings.HasSuffix(one.ImportPath, "/drive/containers"):
			p.containers = one.ImportPath
			continue
		case strings.HasSuffix(one.ImportPath, "/drive/observer"):
			p.observer = one.ImportPath
			continue
		case has(one.GoFiles, concurrently):
			p.concurrent = append(p.concurrent, one.ImportPath)
		}
		if has(tests, skipsShort) {
			p.long = append(p.long, one.ImportPath)
		}
		if err != nil {
			return p, err
		}
	}
}
