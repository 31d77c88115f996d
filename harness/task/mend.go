package task

import (
	"encoding/json"
	"strconv"

	"github.com/openchrome/bench/harness/jsonfile"
)

// decode returns a node as encoding/json would, numbers as written, without
// the unknown fields.
func (r *reader) decode(n *jsonfile.Node) any {
	switch n.Kind {
	case jsonfile.Object:
		object := make(map[string]any)
		for _, m := range n.Members {
			if !r.unknown[jsonfile.Join(n.Pointer, m.Key)] {
				object[m.Key] = r.decode(m.Value)
			}
		}
		return object
	case jsonfile.Array:
		array := make([]any, len(n.Items))
		for i, item := range n.Items {
			array[i] = r.decode(item)
		}
		return array
	case jsonfile.Number:
		return json.Number(n.Text)
	case jsonfile.String:
		return n.Text
	case jsonfile.Bool:
		return n.Text == "true"
	}
	return nil
}

// valid returns a value that the contract takes in a field, or in an item of an
// array of that name; an assertion for names that are not here.
func valid(field string) any {
	switch field {
	case "pattern", "selector", "contains", "url_pattern", "class_id", "question",
		"expected_pattern", "metric", "message_pattern", "type":
		return "x"
	case "op":
		return "eq"
	case "since":
		return "contract_enter"
	case "unit":
		return "ms"
	case "value", "distance_max", "max_age_ms":
		return 0
	case "schema_version":
		return 1
	case "uncaught":
		return true
	case "status_in":
		return []any{valid("status")}
	case "status":
		return 200
	case "children":
		return []any{valid("")}
	}
	return map[string]any{"kind": "url", "pattern": "x"}
}

// mend returns value with something valid at path; in is the field that value
// itself stands in.
func mend(value any, path []string, in string) any {
	if len(path) == 0 || path[0] == "kind" {
		return valid(in)
	}
	switch value := value.(type) {
	case map[string]any:
		value[path[0]] = mend(value[path[0]], path[1:], path[0])
	case []any:
		i, err := strconv.Atoi(path[0])
		if err != nil || i >= len(value) {
			return valid(in)
		}
		item := ""
		if in == "status_in" {
			item = "status"
		}
		value[i] = mend(value[i], path[1:], item)
	default:
		return valid(in)
	}
	return value
}
