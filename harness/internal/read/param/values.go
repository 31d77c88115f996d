package param

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/openchrome/bench/harness/internal/text/display"
)

// Values are drawn values by name. Each is a string, a [Row], or a list of one of the two:
// []string or []Row. No list is empty.
type Values map[string]any

// A Row has a text for each column.
type Row = map[string]string

// UnmarshalJSON implements [json.Unmarshaler]. It reads the output of [json.Marshal].
func (v *Values) UnmarshalJSON(data []byte) error {
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		return err
	}
	*v = make(Values, len(raw))
	for name, value := range raw {
		var text string
		var row Row
		var texts []string
		var rows []Row
		switch {
		case json.Unmarshal(value, &text) == nil:
			(*v)[name] = text
		case json.Unmarshal(value, &row) == nil:
			(*v)[name] = row
		case json.Unmarshal(value, &texts) == nil:
			(*v)[name] = texts
		case json.Unmarshal(value, &rows) == nil:
			(*v)[name] = rows
		default:
			return fmt.Errorf("value %q is not a text, a row or a list", name)
		}
	}
	return nil
}

// number writes n with a decimal point: 1250 with 2 decimals is 12.50.
func number(n, decimals int) string {
	return strconv.FormatFloat(float64(n)/math.Pow10(decimals), 'f', decimals, 64)
}

// units reads the output of number, without the point.
func units(text string) int {
	n, _ := strconv.Atoi(strings.ReplaceAll(text, ".", "")) // number wrote it
	return n
}

// Text returns the text at a path: NAME, NAME.COLUMN of a row, NAME.3 of a list, whose
// first item is 1, or NAME.3.COLUMN. It reports whether there is one.
func (v Values) Text(path string) (string, bool) {
	parts := strings.Split(path, ".")
	value, ok := v[parts[0]]
	for _, part := range parts[1:] {
		switch of := value.(type) {
		case Row:
			value, ok = of[part]
		case []string:
			value, ok = item(of, part)
		case []Row:
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

// item returns the item at a position, which counts from 1.
func item[T any](list []T, position string) (any, bool) {
	n, err := strconv.Atoi(position)
	if err != nil || n < 1 || n > len(list) || position != strconv.Itoa(n) {
		return nil, false
	}
	return list[n-1], true
}

// Paths returns the paths of all texts, sorted.
func (v Values) Paths() []string {
	var out []string
	row := func(prefix string, r Row) {
		for column := range r {
			out = append(out, prefix+"."+column)
		}
	}
	for name, value := range v {
		switch value := value.(type) {
		case string:
			out = append(out, name)
		case Row:
			row(name, value)
		case []string:
			for i := range value {
				out = append(out, fmt.Sprintf("%s.%d", name, i+1))
			}
		case []Row:
			for i, r := range value {
				row(fmt.Sprintf("%s.%d", name, i+1), r)
			}
		}
	}
	slices.Sort(out)
	return out
}

// Lists returns the drawn lists of texts, and each column of the lists of rows, sorted by
// name.
func (v Values) Lists() (lists [][]string) {
	for _, name := range v.listNames() {
		switch value := v[name].(type) {
		case []string:
			lists = append(lists, value)
		case []Row:
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

// near suggests a path for one that leads to no text; "" if none is similar, or if there are
// too many to compare.
func (v Values) near(path string) string {
	paths := v.Paths()
	if len(paths) > 2*maxCount {
		return ""
	}
	if i := slices.IndexFunc(paths, func(p string) bool { return strings.HasPrefix(p, path+".") }); i >= 0 {
		return fmt.Sprintf("; did you mean %q?", paths[i])
	}
	return display.DidYouMean(path, paths)
}

// listNames returns the names of the lists, sorted.
func (v Values) listNames() []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(v)) {
		switch v[name].(type) {
		case []string, []Row:
			out = append(out, name)
		}
	}
	return out
}

// All returns every drawn text, sorted and without repetitions.
func (v Values) All() []string {
	texts := make(map[string]bool)
	for _, path := range v.Paths() {
		text, _ := v.Text(path)
		texts[text] = true
	}
	return slices.Sorted(maps.Keys(texts))
}
