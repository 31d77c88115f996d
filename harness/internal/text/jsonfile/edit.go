package jsonfile

import (
	"cmp"
	"encoding/json"
	"slices"
	"unicode/utf8"
)

// A Change replaces a string of a file, see [File].Edit: the value of Node, or its key if
// Key is true.
type Change struct {
	Node *Node
	Key  bool
	Text string // the new content
}

// An edit is a string that is replaced.
type edit struct {
	was, is span   // where it is in the original file and in the edited one
	text    string // the new string, as JSON
}

type span struct{ offset, end int }

// applyEdit calls Edit and makes the changes that it returns. read reads the values of the
// file. A file with faults is not changed.
func (f *File) applyEdit(read func(*File) []*Node) {
	change := f.Edit
	if change == nil || f.failed {
		return
	}
	f.Edit = nil
	f.lines() // counted in the original
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
			text, _ := json.Marshal(c.Text) // a string can always be encoded
			edits = append(edits, edit{was: f.spanOf(c), text: string(text)})
		}
	}
	slices.SortFunc(edits, func(a, b edit) int { return cmp.Compare(a.was.offset, b.was.offset) })
	var data []byte
	done := 0
	for i := range edits {
		e := &edits[i]
		data = append(data, f.data[done:e.was.offset]...)
		e.is.offset = len(data)
		data = append(data, e.text...)
		e.is.end, done = len(data), e.was.end
	}
	f.data, f.edits = string(append(data, f.data[done:]...)), edits
}

// spanOf returns the place of the string that c replaces.
func (f *File) spanOf(c Change) span {
	if !c.Key {
		return span{c.Node.Offset, c.Node.End}
	}
	s := &scanner{file: f, data: f.data, pos: c.Node.place}
	s.str(c.Node)
	return span{c.Node.place, s.pos}
}

// original returns the place in the original file of an offset in data. For a place inside
// a replaced string, that is the beginning of the string.
func (f *File) original(offset int) int {
	for _, e := range slices.Backward(f.edits) {
		switch {
		case offset >= e.is.end:
			return offset - e.is.end + e.was.end
		case offset >= e.is.offset:
			return e.was.offset
		}
	}
	return offset
}
