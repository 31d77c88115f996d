package jsonfile

import (
	"encoding/json"
	"slices"
)

// edited is a string that Edit replaced: its bytes before and after.
type edited struct{ offset, end, newOffset, newEnd int }

// edit calls Edit, and reads the file again with the changed strings. A file with syntax
// errors stays as it is.
func (f *File) edit(read func(*File) []*Node) {
	change := f.Edit
	if change == nil || f.failed {
		return
	}
	f.Edit = nil
	f.lines() // lines are counted in the original
	first := *f
	first.Faults = nil
	values := read(&first)
	if len(first.Faults) > 0 {
		return
	}
	var changed []*Node
	for _, n := range values {
		changed = append(changed, change(f, n)...)
	}
	slices.SortFunc(changed, func(a, b *Node) int { return a.Offset - b.Offset })
	var data []byte
	done := 0
	for _, n := range changed {
		data = append(data, f.data[done:n.Offset]...)
		e := edited{offset: n.Offset, end: n.End, newOffset: len(data)}
		text, _ := json.Marshal(n.Text) // a string can always be encoded
		data = append(data, text...)
		e.newEnd, done = len(data), n.End
		f.edits = append(f.edits, e)
	}
	f.data = string(append(data, f.data[done:]...))
}

// original returns the offset in the original file.
func (f *File) original(offset int) int {
	for _, e := range slices.Backward(f.edits) {
		switch {
		case offset >= e.newEnd:
			return offset - e.newEnd + e.end
		case offset >= e.newOffset:
			return e.offset
		}
	}
	return offset
}
