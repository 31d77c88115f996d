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
func (v Values) Fill(f *jsonfile.File, n *jsonfile.Node, patterns ...string) []jsonfile.Change {
	filler := filler{values: v, file: f, patterns: patterns}
	filler.fill(n, nil)
	return filler.changes
}

type filler struct {
	values   Values
	file     *jsonfile.File
	patterns []string
	changes  []jsonfile.Change
	size     int // bytes of the changes
}

func (f *filler) fill(n *jsonfile.Node, escape func(string) string) {
	if Uses(n.Key) {
		f.change(jsonfile.Change{Node: n, Key: true, Text: n.Key}, nil)
	}
	if slices.Contains(f.patterns, n.Key) {
		escape = regexp.QuoteMeta
	}
	if n.Kind == jsonfile.String && Uses(n.Text) {
		f.change(jsonfile.Change{Node: n, Text: n.Text}, escape)
	}
	for _, child := range n.Items {
		f.fill(child, escape)
	}
}

func (f *filler) change(c jsonfile.Change, escape func(string) string) {
	full := f.size > jsonfile.MaxSize // has a fault
	f.size += len(c.Text)
	for _, path := range Paths(c.Text) {
		if text, ok := f.values.Text(path); ok {
			f.size += len(text)
			continue
		}
		if f.file.Full() {
			break
		}
		if len(f.values) == 0 {
			f.file.FollowsAt(c.Node, "has {{param.%s}}, but %s is missing or has no valid values; add it or correct it, or write the value here", display.Visible(path), FileName)
		} else {
			f.file.FollowsAt(c.Node, "has {{param.%s}}, which is not in %s%s", display.Visible(path), FileName, f.values.near(path))
		}
	}
	if Uses(placeholder.ReplaceAllString(c.Text, "")) {
		f.file.FaultAt(c.Node, "has an incomplete placeholder; write {{param.NAME}}")
	}
	switch {
	case full:
		return
	case f.size > jsonfile.MaxSize: // before the text is made
		f.file.FaultAt(c.Node, "with the values filled in, the file is larger than %d bytes; use fewer or shorter values", jsonfile.MaxSize)
		return
	}
	c.Text = f.values.replace(c.Text, escape)
	f.changes = append(f.changes, c)
}
