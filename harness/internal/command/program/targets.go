package program

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"unicode"
)

// target is a mage target, read from its source.
type target struct {
	Name    string // as people type it, such as bench:mock
	Summary string // what it does: "runs the built-in tasks …"
	Options []option
}

// option is one -name=value of a target.
type option struct {
	Name string // as people type it
	Type string // string, bool, int or time.Duration
	Doc  string // its meaning, with the default in brackets
}

// parseTargets reads the targets from Go source in mage's form. Targets are exported
// methods of namespaces. Their parameters are the options, and each has a comment.
func parseTargets(source string) ([]target, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "targets.go", source, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	remarks := map[int]string{} // comments by line number
	for _, c := range file.Comments {
		remarks[files.Position(c.Pos()).Line] = strings.TrimSpace(c.Text())
	}
	var targets []target
	for _, decl := range file.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok || !f.Name.IsExported() {
			continue
		}
		t := target{Name: lowerFirst(f.Name.Name), Summary: strings.TrimPrefix(f.Doc.Text(), f.Name.Name+" ")}
		if f.Recv != nil {
			t.Name = strings.ToLower(fmt.Sprint(f.Recv.List[0].Type)) + ":" + t.Name
		}
		for _, p := range f.Type.Params.List {
			of, optional := p.Type.(*ast.StarExpr)
			if !optional {
				continue // skip the context
			}
			t.Options = append(t.Options, option{
				Name: lowerFirst(p.Names[0].Name), Type: typeName(of.X), Doc: remarks[files.Position(p.End()).Line],
			})
		}
		targets = append(targets, t)
	}
	return targets, nil
}

func typeName(e ast.Expr) string {
	if s, ok := e.(*ast.SelectorExpr); ok {
		return fmt.Sprint(s.X) + "." + s.Sel.Name
	}
	return fmt.Sprint(e)
}

func lowerFirst(s string) string {
	r := []rune(s)
	r[0] = unicode.ToLower(r[0])
	return string(r)
}
