package targets_test

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"
	"unicode"

	"github.com/openchrome/bench/harness"
	"github.com/openchrome/bench/harness/internal/option"
	"github.com/openchrome/bench/harness/targets"
)

// A magefile imports the targets, calls harness.Main in its init, and can call a target from one
// of its own.
func Example() {
	// mage:import
	// _ "github.com/openchrome/bench/harness/targets"

	_ = func() { harness.Main() } // func init

	nightly := func(ctx context.Context) error { // func Nightly
		return targets.Suite{}.Check(ctx)
	}
	_ = nightly
}

// Mage lists the doc comments of the functions. They are the ones of the table, which the help
// shows, and each function calls its target by its name there.
func TestTargetsAreTheTable(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "targets.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || !f.Name.IsExported() {
			continue
		}
		found++
		name := string(unicode.ToLower(rune(f.Name.Name[0]))) + f.Name.Name[1:]
		if f.Recv != nil {
			name = strings.ToLower(f.Recv.List[0].Type.(*ast.Ident).Name) + ":" + name
		}
		target, ok := option.Find(name)
		if want := f.Name.Name + " " + target.Doc; !ok || strings.Join(strings.Fields(f.Doc.Text()), " ") != want {
			t.Errorf("%s: its comment is\n%s\nwant\n%s", name, f.Doc.Text(), want)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if text, ok := n.(*ast.BasicLit); ok && text.Value != `"`+name+`"` {
				t.Errorf("%s calls %s", name, text.Value)
			}
			return true
		})
	}
	if found != len(option.Targets) {
		t.Errorf("%d targets, want %d", found, len(option.Targets))
	}
}
