package template

import (
	"maps"
	"slices"
	"strings"
	"text/template/parse"

	"github.com/openchrome/bench/harness/internal/read/param"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// paramNames checks that a template uses only drawn values that exist. Executing the template
// does not find the others, because a missing key of a map gives empty text.
type paramNames struct {
	values param.Values
	tree   *parse.Tree
	fault  func(error) // called for each name without a value
}

// check looks for names without a value below n. row is the dot if the dot is a row, and nil
// otherwise.
func (p *paramNames) check(n parse.Node, row param.Row) {
	switch n := n.(type) {
	case *parse.FieldNode:
		p.field(n, n.Ident, row)
	case *parse.VariableNode:
		if n.Ident[0] == "$" {
			p.field(n, n.Ident[1:], nil)
		}
	}
	for i, part := range children(n) {
		inner := row
		switch n := n.(type) {
		case *parse.WithNode:
			if i == 1 {
				inner = nil
			}
		case *parse.RangeNode:
			if i == 1 {
				inner = p.ranged(n.Pipe)
			}
		}
		p.check(part, inner)
	}
}

// ranged returns the first row of the drawn list that a range goes through; nil if it goes
// through something else.
func (p *paramNames) ranged(n *parse.PipeNode) param.Row {
	name, _ := strings.CutPrefix(strings.TrimPrefix(n.Cmds[0].String(), "$"), ".Param.")
	if rows, ok := p.values[name].([]param.Row); ok && len(n.Cmds) == 1 {
		return rows[0]
	}
	return nil
}

// field checks the names of a field such as .Param.person.name, or .name in a row.
func (p *paramNames) field(n parse.Node, names []string, row param.Row) {
	if len(names) == 0 { // $ alone
		return
	}
	if row != nil {
		if _, ok := row[names[0]]; !ok {
			p.unknown(n, names[0], slices.Collect(maps.Keys(row)))
		}
		return
	}
	if names[0] != "Param" || len(names) == 1 {
		return
	}
	value, ok := p.values[names[1]]
	if !ok {
		p.unknown(n, names[1], slices.Collect(maps.Keys(p.values)))
	}
	if row, ok := value.(param.Row); ok && len(names) > 2 {
		p.field(n, names[2:], row)
	}
}

func (p *paramNames) unknown(n parse.Node, name string, known []string) {
	_, context := p.tree.ErrorContext(n)
	p.fault(faultIn(p.tree, n, "<"+context+">: "+name+" is not in "+param.FileName+display.DidYouMean(name, known)))
}
