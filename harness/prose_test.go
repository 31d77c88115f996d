package harness_test

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

// prose are the names of fields, variables and methods that hold words for a person.
var prose = []string{"reason", "note", "notes", "verdict", "failure", "outage", "nopage", "serverended", "inconclusivereason", "why", "fault", "sentence", "message", "problem", "doubt", "error"}

// readers are the functions that look into a text.
var readers = []string{
	"HasPrefix", "HasSuffix", "Contains", "ContainsAny", "Cut", "CutPrefix", "CutSuffix", "TrimPrefix", "TrimSuffix", "Index", "LastIndex", "Split", "SplitN", "SplitSeq", "Fields", "EqualFold", "Sscanf",
	"MatchString", "FindString", "FindStringSubmatch", "FindStringIndex", "FindAllString", "FindAllStringSubmatch",
}

// proseOfOthers are the files that look into words which this project does not write.
var proseOfOthers = map[string]string{
	"harness/internal/record/words.go":                "canonical reports",
	"harness/internal/drive/facts/nopage.go":          "an error of OpenChrome",
	"harness/internal/drive/containers/engine.go":     "an error of testcontainers",
	"harness/internal/drive/standin/browser/page.go":  "an error of the HTML parser",
	"harness/internal/judge/evidence/console_fact.go": "a message of a page",
	"harness/internal/text/jsonfile/pattern.go":       "an error of the regexp parser",
}

// What happened is a value, such as a cause. No code finds it out from the words that describe it.
func TestNoProseAsData(t *testing.T) {
	used := map[string]bool{}
	eachSource(t, func(name string, set *token.FileSet, file *ast.File) {
		for _, found := range proseRead(file) {
			if proseOfOthers[name] == "" {
				t.Errorf("%s:%d looks into words: use a value, such as record.Cause; if others write these words, say whose in proseOfOthers", name, set.Position(found.Pos()).Line)
			}
			used[name] = true
		}
	})
	for name := range proseOfOthers {
		if !used[name] {
			t.Errorf("%s looks into no words any more: remove it from proseOfOthers", name)
		}
	}
}

// eachSource calls see for each file of Go that is no test.
func eachSource(t *testing.T, see func(name string, set *token.FileSet, file *ast.File)) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(root(), func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(root(), path)
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
		if err == nil {
			see(name, set, file)
		}
		return err
	})
	if err != nil || files < 300 {
		t.Errorf("%d files, %v", files, err)
	}
}

func TestProseRead(t *testing.T) {
	for code, want := range map[string]int{
		`strings.HasPrefix(e.Reason, "x")`:      1,
		`strings.Cut(t.Verdict(), ": ")`:        1,
		`slices.Contains(r.Notes, "x")`:         1,
		`pattern.MatchString(problem)`:          1,
		`strings.TrimPrefix(reason+"; ", "; ")`: 1,
		`e.Reason == "x"`:                       1,
		`e.Reason == ""`:                        0,
		`strings.HasPrefix(name, reason)`:       0,
		`strings.ReplaceAll(e.Reason, "x", "")`: 0,
	} {
		e, err := parser.ParseExpr(code)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(proseRead(e)); got != want {
			t.Errorf("%s: found %d, want %d", code, got, want)
		}
	}
}

// proseRead returns the expressions that look into words.
func proseRead(in ast.Node) (found []ast.Node) {
	ast.Inspect(in, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			f, ok := n.Fun.(*ast.SelectorExpr)
			if !ok || len(n.Args) == 0 || !slices.Contains(readers, f.Sel.Name) {
				return true
			}
			if of, ok := f.X.(*ast.Ident); !(ok && of.Name == "display") && holdsProse(n.Args[0]) { // display.Cut shortens
				found = append(found, n)
			}
		case *ast.BinaryExpr:
			text, ok := n.Y.(*ast.BasicLit)
			if ok && text.Kind == token.STRING && text.Value != `""` && (n.Op == token.EQL || n.Op == token.NEQ) && holdsProse(n.X) {
				found = append(found, n)
			}
		}
		return true
	})
	return found
}

func holdsProse(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return slices.Contains(prose, strings.ToLower(e.Name))
	case *ast.SelectorExpr:
		return holdsProse(e.Sel)
	case *ast.CallExpr:
		return holdsProse(e.Fun)
	case *ast.BinaryExpr:
		return holdsProse(e.X) || holdsProse(e.Y)
	}
	return false
}
