package param

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/openchrome/bench/harness/display"
	"github.com/openchrome/bench/harness/jsonfile"
)

// Values are drawn values by name. Each is a string, a row (map[string]string), or a list
// of one of the two ([]string or []map[string]string).
type Values map[string]any

// Draw draws the values of a task's revision.
func (s Spec) Draw(seed Seed, task string, revision int) Values {
	v := make(Values)
	for _, rule := range s.values {
		if rule.draw != nil {
			v[rule.name] = rule.draw(newStream(seed, task, revision, rule.name), v)
		}
	}
	return v
}

// typed gives a list its type.
func typed(items []any) any {
	var texts []string
	var rows []map[string]string
	for _, i := range items {
		switch i := i.(type) {
		case string:
			texts = append(texts, i)
		case map[string]string:
			rows = append(rows, i)
		case map[string]any: // from JSON
			row := make(map[string]string)
			for name, value := range i {
				row[name] = fmt.Sprint(value)
			}
			rows = append(rows, row)
		}
	}
	if rows != nil {
		return rows
	}
	return texts
}

// UnmarshalJSON implements [json.Unmarshaler].
func (v *Values) UnmarshalJSON(data []byte) error {
	var raw map[string]any
	if err := json.Unmarshal(data, &raw); err != nil {
		return err
	}
	*v = make(Values)
	for name, value := range raw {
		switch value := value.(type) {
		case []any:
			(*v)[name] = typed(value)
		case map[string]any:
			(*v)[name] = typed([]any{value}).([]map[string]string)[0]
		default:
			(*v)[name] = fmt.Sprint(value)
		}
	}
	return nil
}

// number writes n, which has this number of decimals: 1250 with 2 decimals is 12.50.
func number(n, decimals int) string {
	if decimals == 0 {
		return strconv.Itoa(n)
	}
	sign := ""
	if n < 0 {
		sign, n = "-", -n
	}
	digits := fmt.Sprintf("%0*d", decimals+1, n)
	return sign + digits[:len(digits)-decimals] + "." + digits[len(digits)-decimals:]
}

// units reads what number wrote, without the point.
func units(text string) int {
	n, _ := strconv.Atoi(strings.ReplaceAll(text, ".", ""))
	return n
}

// Text returns the string at a path: NAME, NAME.COLUMN of a row, NAME.3 of a list, where
// the first item is 1, or NAME.3.COLUMN. It reports whether there is one.
func (v Values) Text(path string) (string, bool) {
	parts := strings.Split(path, ".")
	value, ok := v[parts[0]]
	for _, part := range parts[1:] {
		switch of := value.(type) {
		case map[string]string:
			value, ok = of[part]
		case []string:
			value, ok = item(of, part)
		case []map[string]string:
			value, ok = item(of, part)
		default:
			ok = false
		}
		if !ok {
			return "", false
		}
	}
	text, isText := value.(string)
	return text, ok && isText
}

func item[T any](list []T, position string) (any, bool) {
	n, err := strconv.Atoi(position)
	if err != nil || n < 1 || n > len(list) {
		return nil, false
	}
	return list[n-1], true
}

// paths returns all paths that Text accepts.
func (v Values) paths() []string {
	var out []string
	row := func(prefix string, r map[string]string) {
		for column := range r {
			out = append(out, prefix+"."+column)
		}
	}
	for name, value := range v {
		switch value := value.(type) {
		case string:
			out = append(out, name)
		case map[string]string:
			row(name, value)
		case []string:
			for i := range value {
				out = append(out, fmt.Sprintf("%s.%d", name, i+1))
			}
		case []map[string]string:
			for i, r := range value {
				row(fmt.Sprintf("%s.%d", name, i+1), r)
			}
		}
	}
	slices.Sort(out)
	return out
}

// Lists returns the drawn lists, and the columns of lists of rows, in the order of their
// names.
func (v Values) Lists() (lists [][]string) {
	for _, name := range slices.Sorted(maps.Keys(v)) {
		switch value := v[name].(type) {
		case []string:
			lists = append(lists, value)
		case []map[string]string:
			for _, column := range slices.Sorted(maps.Keys(value[0])) {
				var texts []string
				for _, row := range value {
					texts = append(texts, row[column])
				}
				lists = append(lists, texts)
			}
		}
	}
	return lists
}

// placeholder is what Fill replaces.
var placeholder = regexp.MustCompile(`\{\{param\.([^{}]*)\}\}`)

// Uses reports whether text has a placeholder.
func Uses(text string) bool { return strings.Contains(text, "{{param.") }

// In returns the paths of the placeholders in a text, in order.
func In(text string) []string {
	var paths []string
	for _, m := range placeholder.FindAllStringSubmatch(text, -1) {
		paths = append(paths, m[1])
	}
	return paths
}

// replace replaces the placeholders in text. escape is applied to each value, unless it is
// nil. unknown is called for a name without a value, whose placeholder stays.
func (v Values) replace(text string, escape func(string) string, unknown func(name string)) string {
	return placeholder.ReplaceAllStringFunc(text, func(mark string) string {
		name := placeholder.FindStringSubmatch(mark)[1]
		value, ok := v.Text(name)
		if !ok {
			unknown(name)
			return mark
		}
		if escape != nil {
			value = escape(value)
		}
		return value
	})
}

// Fill replaces the placeholders in the strings below n. At and below the keys in patterns,
// values are escaped so that a pattern matches them literally. A name without a value is a
// fault of f. Fill returns the strings that it changed, as [jsonfile.File].Edit wants.
func (v Values) Fill(f *jsonfile.File, n *jsonfile.Node, patterns ...string) (changed []*jsonfile.Node) {
	return v.fill(f, n, nil, patterns)
}

func (v Values) fill(f *jsonfile.File, n *jsonfile.Node, escape func(string) string, patterns []string) (changed []*jsonfile.Node) {
	if slices.Contains(patterns, n.Key) {
		escape = regexp.QuoteMeta
	}
	if n.Kind == jsonfile.String && Uses(n.Text) {
		changed = append(changed, n)
		n.Text = v.replace(n.Text, escape, func(name string) {
			if len(v) == 0 {
				f.FaultAt(n, "has {{param.%s}}, but the task has no %s; add one or write the value here", display.Short(name), FileName)
				return
			}
			f.FaultAt(n, "has {{param.%s}}, which is not in %s%s", display.Short(name), FileName, display.DidYouMean(name, v.paths()))
		})
	}
	for _, child := range n.Items {
		changed = append(changed, v.fill(f, child, escape, patterns)...)
	}
	return changed
}

// All returns every drawn text, sorted and without repetitions.
func (v Values) All() []string {
	texts := make(map[string]bool)
	for _, path := range v.paths() {
		text, _ := v.Text(path)
		texts[text] = true
	}
	return slices.Sorted(maps.Keys(texts))
}
