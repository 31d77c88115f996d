package template

import (
	"encoding/json"
	texttemplate "text/template"
	"text/template/parse"

	"github.com/openchrome/bench/harness/internal/read/param"
)

// asJSON is the function that encodes a value as JSON. insertAsJSON adds it to every action
// of a JSON template, so that no value can break out of its place.
const asJSON = "_json"

func newJSONTemplates(all texttemplate.FuncMap) *texttemplate.Template {
	all[asJSON] = func(v any) (string, error) {
		if rows, ok := v.([]param.Row); ok && rows == nil {
			return "[]", nil
		}
		data, err := json.Marshal(v)
		return string(data), err
	}
	return texttemplate.New("").Funcs(all).Option("missingkey=zero")
}

// insertAsJSON makes the templates insert every value as JSON: quoted strings, numbers and
// lists of rows.
func insertAsJSON(t *texttemplate.Template) {
	for _, t := range t.Templates() {
		if t.Tree != nil {
			endActions(t.Root)
		}
	}
}

// endActions appends asJSON to the pipeline of every action below n that inserts a value.
func endActions(n parse.Node) {
	for _, part := range children(n) {
		endActions(part)
	}
	if n, ok := n.(*parse.ActionNode); ok && len(n.Pipe.Decl) == 0 {
		name := parse.NewIdentifier(asJSON).SetPos(n.Pos)
		call := &parse.CommandNode{NodeType: parse.NodeCommand, Pos: n.Pos, Args: []parse.Node{name}}
		n.Pipe.Cmds = append(n.Pipe.Cmds, call)
	}
}
