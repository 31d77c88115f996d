package server

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/text/display"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
)

// Call is a call with placeholders in its arguments.
type Call struct {
	Tool    string   `json:"tool"`
	Args    Template `json:"args"`
	Field   Template `json:"field,omitempty"`   // one field in the place of {{fields}}
	Join    bool     `json:"join,omitempty"`    // the fields are joined to one object; else they are a list
	Toggles bool     `json:"toggles,omitempty"` // it changes the state of a box, whatever it is
}

// Template is a JSON object with placeholders.
type Template string

// Values are those of placeholders, by name.
type Values map[string]string

var (
	placeholder = regexp.MustCompile(`"\{\{(?:int (\w+)|(fields))\}\}"|\{\{(?:(json) )?(\w+)\}\}`)
	allowed     = []string{"tab", "ref", "to", "id", "name", "value", "text", "type", "fields", "width", "height"}
)

// ReadJSON implements [jsonfile.Reader].
func (t *Template) ReadJSON(f *jsonfile.File, n *jsonfile.Node) {
	if !f.Want(n, jsonfile.Object, "an object") {
		return
	}
	*t = Template(f.Raw(n))
	for _, m := range placeholder.FindAllStringSubmatch(string(*t), -1) {
		if name := m[1] + m[2] + m[4]; !slices.Contains(allowed, name) {
			f.FaultAt(n, "has {{%s}}; allowed: %s%s",
				display.Visible(name), strings.Join(allowed, ", "), display.DidYouMean(name, allowed))
		}
	}
}

// Needs reports whether the call has this placeholder.
func (c Call) Needs(name string) bool {
	for _, m := range placeholder.FindAllStringSubmatch(string(c.Args+c.Field), -1) {
		if m[1]+m[2]+m[4] == name {
			return true
		}
	}
	return false
}

// With returns the call with the placeholders filled in.
func (c Call) With(v Values, fields []Values) adapter.Call {
	args := c.Args.fill(v, func() string {
		var all []string
		for _, field := range fields {
			one := c.Field.fill(field, nil)
			if c.Join {
				one = strings.Trim(one, "{}")
			}
			all = append(all, one)
		}
		if c.Join {
			return "{" + strings.Join(all, ",") + "}"
		}
		return "[" + strings.Join(all, ",") + "]"
	})
	return adapter.Call{Tool: c.Tool, Args: json.RawMessage(args)}
}

func (t Template) fill(v Values, fields func() string) string {
	return placeholder.ReplaceAllStringFunc(string(t), func(mark string) string {
		m := placeholder.FindStringSubmatch(mark)
		switch {
		case m[2] != "" && fields != nil:
			return fields()
		case m[1] != "": // a number, or 0 if it is none
			if digits := v[m[1]]; digits != "" && strings.Trim(digits, "0123456789") == "" {
				return digits
			}
			return "0"
		case m[3] == "json": // a string of JSON or JavaScript in a string
			return jsonfile.Escape(`"` + jsonfile.Escape(v[m[4]]) + `"`)
		}
		return jsonfile.Escape(v[m[4]])
	})
}
