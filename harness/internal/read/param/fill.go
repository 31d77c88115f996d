package param

import (
	"regexp"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/internal/text/display"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
)

// placeholder matches a part of a text that a value replaces.
var placeholder = regexp.MustCompile(`\{\{param\.([^{}]*)\}\}`)

// Uses reports whether text has a placeholder.
func Uses(text string) bool { return strings.Contains(text, "{{param.") }

// Paths returns the paths of the placeholders in a text, in order.
func Paths(text string) []string {
	var paths []string
	for _, m := range placeholder.FindAllStringSubmatch(text, -1) {
		paths = append(paths, m[1])
	}
	return paths
}

// replace replaces the placeholders in text. It applies escape to each value, unless escape
// is nil. A placeholder without a value stays.
func (v Values) replace(text string, escape func(string) string) string {
	return placeholder.ReplaceAllStringFunc(text, func(mark string) string {
		value, ok := v.Text(placeholder.FindStringSubmatch(mark)[1])
		switch {
		case !ok:
			return mark
		case escape != nil:
			return escape(value)
		}
		return value
	})
}

// Fill returns the changes that replace the placeholders in the strings and keys of n, for
// [jsonfile.File].Edit. Below the keys in patterns, values are escaped so that a pattern
// matches them literally. A placeholder without a value is a fault of f.
func (v Values) Fill(f *jsonfile.File, n *jsonfile.Node, patterns ...string) (changes []jsonfile.Change) {
	var fill func(n *jsonfile.Node, escape func(string) string)
	fill = func(n *jsonfile.Node, escape func(string) string) {
		if Uses(n.Key) {
			v.check(f, n, n.Key)
			changes = append(changes, jsonfile.Change{Node: n, Key: true, Text: v.replace(n.Key, nil)})
		}
		if slices.Contains(patterns, n.Key) {
			escape = regexp.QuoteMeta
		}
		if n.Kind == jsonfile.String && Uses(n.Text) {
			v.check(f, n, n.Text)
			changes = append(changes, jsonfile.Change{Node: n, Text: v.replace(n.Text, escape)})
		}
		for _, child := range n.Items {
			fill(child, escape)
		}
	}
	fill(n, nil)
	return changes
}

// check adds a fault for each placeholder in a text that has no value.
func (v Values) check(f *jsonfile.File, n *jsonfile.Node, text string) {
	for _, path := range Paths(text) {
		_, ok := v.Text(path)
		switch {
		case ok || f.Full():
		case len(v) == 0:
			f.FollowsAt(n, "has {{param.%s}}, but %s is missing or has no valid values; "+
				"add it or correct it, or write the value here", display.Visible(path), FileName)
		default:
			f.FollowsAt(n, "has {{param.%s}}, which is not in %s%s", display.Visible(path), FileName, v.near(path))
		}
	}
	if Uses(placeholder.ReplaceAllString(text, "")) {
		f.FaultAt(n, "has an incomplete placeholder; write {{param.NAME}}")
	}
}
