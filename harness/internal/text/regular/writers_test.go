package regular_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// writers are the functions and methods that make or replace files and folders. They follow links.
var writers = []string{"OpenFile", "WriteFile", "CreateTemp", "Mkdir", "MkdirAll", "MkdirTemp", "CopyFS", "Rename", "Symlink"}

// otherWriters are the files that write without package regular, and by what.
var otherWriters = map[string]string{
	"harness/internal/text/regular/regular.go OpenFile":            "it is the package",
	"harness/internal/text/regular/write.go MkdirAll":              "the folder that the user named",
	"harness/internal/text/regular/write.go Mkdir":                 "it is the package",
	"harness/internal/text/regular/write.go OpenFile":              "it is the package",
	"harness/internal/text/regular/write.go Rename":                "it is the package",
	"harness/internal/drive/episode/page.go Rename":                "in a folder that regular opened; it replaces no link",
	"harness/internal/drive/watchdog/dir.go Mkdir":                 "a new temporary folder, whose name nobody can guess",
	"harness/internal/drive/watchdog/dir.go WriteFile":             "in that folder",
	"harness/internal/drive/watchdog/dir.go Rename":                "in that folder, which it opened as a root",
	"harness/internal/drive/watchdog/keeper_linux.go Open":         "/dev/null",
	"harness/internal/drive/launch/sessiondir.go Mkdir":            "a new temporary folder, before a program starts",
	"harness/internal/drive/agent/folder.go Mkdir":                 "a new temporary folder, before a program starts",
	"harness/internal/command/author/record.go CopyFS":             "a new temporary folder, before a program starts",
	"harness/internal/command/build/checkout.go Mkdir":             "a new temporary folder",
	"harness/internal/command/build/checkout.go WriteFile":         "a new temporary folder",
	"harness/internal/need/need.go MkdirAll":                       "for tests",
	"harness/internal/need/need.go WriteFile":                      "for tests",
	"harness/internal/need/need.go MkdirTemp":                      "for tests",
	"harness/internal/command/trials/verify.go MkdirTemp":          "a new temporary folder",
	"harness/internal/drive/confine/namespaces_linux.go Mkdir":     "a root of its own, which nobody else sees yet",
	"harness/internal/drive/confine/namespaces_linux.go MkdirAll":  "a root of its own, which nobody else sees yet",
	"harness/internal/drive/confine/namespaces_linux.go WriteFile": "a root of its own, which nobody else sees yet",
	"harness/internal/drive/confine/namespaces_linux.go Symlink":   "a root of its own, which nobody else sees yet",
	"harness/internal/drive/confine/network_linux.go OpenFile":     "/dev/null",
	"harness/internal/drive/containers/binary.go MkdirAll":         "the user's cache folder",
	"mage.go MkdirAll":  "the user's cache folder",
	"mage.go MkdirTemp": "the user's cache folder",
	"harness/internal/tell/format/github.go OpenFile": "GitHub names the file of the job summary",
}

// What a run keeps is below a folder that others may write to. Only package regular writes there,
// because it follows no link and waits for no pipe.
func TestWriters(t *testing.T) {
	root, used, files := filepath.Join("..", "..", "..", ".."), map[string]bool{}, 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(root, path)
		name = filepath.ToSlash(name)
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || name != "." && d.Name()[0] == '.'):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		files++
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		for _, found := range writes(file) {
			how := name + " " + found.Sel.Name
			if otherWriters[how] == "" {
				t.Errorf("%s:%d writes: use package regular; if nobody else can write there, say why in otherWriters", name, set.Position(found.Pos()).Line)
			}
			used[how] = true
		}
		return err
	})
	if err != nil || files < 300 {
		t.Errorf("%d files, %v", files, err)
	}
	for how := range otherWriters {
		if !used[how] {
			t.Errorf("%s: nothing does it any more: remove it from otherWriters", how)
		}
	}
}

// writes returns the names of writers in code.
func writes(in ast.Node) (found []*ast.SelectorExpr) {
	ast.Inspect(in, func(n ast.Node) bool {
		s, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		of := ""
		if x, ok := s.X.(*ast.Ident); ok {
			of = x.Name
		}
		switch name := s.Sel.Name; {
		case of == "regular":
		case slices.Contains(writers, name), of == "os" && slices.Contains([]string{"Create", "Link", "Truncate"}, name),
			(of == "unix" || of == "syscall" || of == "windows") && slices.Contains([]string{"Open", "Openat", "Openat2", "Creat"}, name):
			found = append(found, s)
		}
		return true
	})
	return found
}
