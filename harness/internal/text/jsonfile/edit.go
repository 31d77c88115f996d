package jsonfile

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// A Change replaces a string of a file, see [File].Edit: the value of Node, or its key if
// Key is true.
type Change struct {
	Node *Node
	Key  bool
	Text string // the new content
}

// An edit replaces a string of the original file, from begin to end.
type edit struct {
	begin, end int
	text       string // the new string, as JSON
}

// applyEdit calls Edit and makes the changes that it returns. read reads the values of the
// file. A file with faults is not changed.
func (f *File) applyEdit(read func(*File) []*Node) {
	change := f.Edit
	if change == nil || f.failed {
		return
	}
	f.Edit = nil
	first := *f
	first.Faults = nil
	values := read(&first)
	if len(first.Faults) > 0 {
		return // the caller finds them again
	}
	var edits []edit
	size := 0
	for _, n := range values {
		for _, c := range change(n) {
			if size += len(c.Text); size > MaxSize {
				f.FaultAt(c.Node, "with the values filled in, the file is larger than %d bytes; use fewer or shorter values", MaxSize)
				return
			}
			if !utf8.ValidString(c.Text) {
				f.FaultAt(c.Node, "has half of a surrogate pair beside a placeholder; write the character itself")
				continue
			}
			text, _ := jsontext.AppendQuote(nil, c.Text) // it is UTF-8
			e := edit{c.Node.Offset, c.Node.End, string(text)}
			if c.Key {
				e.begin, e.end = c.Node.place, c.Node.keyEnd
			}
			edits = append(edits, e)
		}
	}
	slices.SortFunc(edits, func(a, b edit) int { return cmp.Compare(a.begin, b.begin) })
	var data strings.Builder
	done := 0
	for _, e := range edits {
		data.WriteString(f.data[done:e.begin] + e.text)
		done = e.end
	}
	f.data, f.edits = data.String()+f.data[done:], edits
}

// original returns the place in the original file of an offset in data. For a place inside
// a replaced string, that is the beginning of the string.
func (f *File) original(offset int) int {
	for _, e := range f.edits {
		switch {
		case offset < e.begin:
			return offset
		case offset < e.begin+len(e.text):
			return e.begin
		}
		offset += e.end - e.begin - len(e.text)
	}
	return offset
}
