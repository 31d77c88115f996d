package policy

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/text/display"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
)

// call is a call with placeholders in its arguments.
type call struct {
	tool    string
	args    string // JSON
	field   string // JSON of one field in the place of {{fields}}
	join    bool   // the fields are joined to one object, else they are a list
	toggles bool   // it changes the state of a box, whatever it is
}

// values of placeholders, by name.
type values map[string]string

var (
	placeholder = regexp.MustCompile(`"\{\{(?:int (\w+)|(fields))\}\}"|\{\{(json )?(\w+)\}\}`)
	allowed     = []string{"tab", "ref", "to", "name", "value", "text", "type", "fields"}
)

// readCall reads a call. It adds faults to f.
func readCall(f *jsonfile.File, n *jsonfile.Node) (c call) {
	raw := func(to *string) func(*jsonfile.Node) {
		return func(n *jsonfile.Node) {
			if !f.Want(n, jsonfile.Object, "an object") {
				return
			}
			*to = f.Raw(n)
			for _, m := range placeholder.FindAllStringSubmatch(*to, -1) {
				if name := m[1] + m[2] + m[4]; !slices.Contains(allowed, name) {
					f.FaultAt(n, "has {{%s}}; allowed: %s%s", display.Visible(name), strings.Join(allowed, ", "), display.DidYouMean(name, allowed))
				}
			}
		}
	}
	f.Fields(n,
		jsonfile.Field{Name: "tool", Required: true, Read: func(n *jsonfile.Node) { c.tool = f.Text(n) }},
		jsonfile.Field{Name: "args", Required: true, Read: raw(&c.args)},
		jsonfile.Field{Name: "field", Read: raw(&c.field)},
		jsonfile.Field{Name: "join", Read: func(n *jsonfile.Node) { c.join = f.Bool(n) }},
		jsonfile.Field{Name: "toggles", Read: func(n *jsonfile.Node) { c.toggles = f.Bool(n) }},
	)
	return c
}

// needs reports whether the call has this placeholder.
func (c call) needs(name string) bool {
	for _, m := range placeholder.FindAllStringSubmatch(c.args+c.field, -1) {
		if m[1]+m[2]+m[4] == name {
			return true
		}
	}
	return false
}

// with returns the call with the placeholders filled in.
func (c call) with(v values, fields []values) adapter.Call {
	args := fill(c.args, v, func() string {
		var all []string
		for _, field := range fields {
			one := fill(c.field, field, nil)
			if c.join {
				one = strings.Trim(one, "{}")
			}
			all = append(all, one)
		}
		if c.join {
			return "{" + strings.Join(all, ",") + "}"
		}
		return "[" + strings.Join(all, ",") + "]"
	})
	return adapter.Call{Tool: c.tool, Args: json.RawMessage(args)}
}

func fill(text string, v values, fields func() string) string {
	return placeholder.ReplaceAllStringFunc(text, func(mark string) string {
		m := placeholder.FindStringSubmatch(mark)
		switch {
		case m[2] != "" && fields != nil:
			return fields()
		case m[1] != "": // a number, or 0 if it is none
			if digits := v[m[1]]; digits != "" && strings.Trim(digits, "0123456789") == "" {
				return digits
			}
			return "0"
		case m[3] != "": // a string of JSON or JavaScript in a string
			return inString(`"` + inString(v[m[4]]) + `"`)
		}
		return inString(v[m[4]])
	})
}

// inString returns text escaped for use inside a JSON string.
func inString(text string) string {
	quoted, _ := json.Marshal(text) // encoding a string cannot fail
	return string(quoted[1 : len(quoted)-1])
}
