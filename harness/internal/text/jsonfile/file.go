// Package jsonfile reads JSON with positions and exact text: files that people
// write, contracts, and facts of pages.
//
//  1. [New] and [Read] are for files that a person wrote, [Loose] for files that a program
//     wrote.
//  2. [File.Value] (one value) or [File.Lines] (one value per line) makes trees of
//     [Node] in one pass. Nodes have their place, the order of keys, and texts
//     and numbers as JavaScript has them. Syntax errors, duplicate keys, invalid
//     UTF-8, lone surrogates, a byte order mark, data after the end and too deep
//     nesting become faults; a loose file accepts everything that JSON.parse accepts.
//  3. [File.Fields], [File.Text], [File.Int] and the like read a tree: unknown
//     and missing fields, keys in another case and wrong types become faults.
//  4. [File.Faults] has every [Fault] of the file, each at its line and column.
//
// A syntax error is a fault at the first byte that is not allowed there. It ends the reading of
// the value. What stands before it is kept, so that its faults are reported too.
// Messages escape text from the file.
package jsonfile

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/internal/text/display"
	"github.com/openchrome/bench/harness/internal/text/regular"
)

// MaxSize is the size in bytes of the largest file that [Read] accepts.
const MaxSize = 1 << 20

// maxFaults bounds the faults of a file. A file of [MaxSize] could have a million.
const maxFaults = 200

// File is a file that is being read. Only one goroutine may use it.
type File struct {
	Name   string // shown in faults
	Faults Faults // in the order in which they were found; at most 200, and one that says that there are more
	// Halves says that half of a surrogate pair is not a fault, because JavaScript strings
	// may contain one.
	Halves bool
	// Edit replaces strings before Value or Lines read the file, unless it is nil. It is
	// called with the value of the file or of each line, and returns the changes: at most
	// one for each string. Faults keep their places in the original file. If the file
	// cannot be read without faults, Edit is not called.
	Edit func(*Node) []Change

	data    string
	written string // data before Edit
	edits   []edit // in the order of the file
	loose   bool   // see Loose
	failed  bool   // Read found a fault, so there is no content
}

// New returns a file with this content.
func New(name string, data []byte) *File {
	return &File{Name: name, data: string(data), written: string(data)}
}

// Loose returns a file that accepts everything that JSON.parse accepts, and values nested
// as deep as encoding/json allows. Halves of surrogate pairs and duplicate keys are not
// faults, and bytes that are not UTF-8 become U+FFFD.
func Loose(name string, data []byte) *File {
	f := New(name, data)
	f.Halves, f.loose = true, true
	return f
}

// Read returns the file path of fsys, called name in faults. A file that cannot be read is
// a fault. absent is the advice if the file does not exist.
func Read(fsys fs.FS, path, name, absent string) *File {
	data, err := regular.ReadFS(fsys, path, MaxSize)
	f := New(name, data)
	if err == nil {
		return f
	}
	f.failed = true
	if errors.Is(err, fs.ErrNotExist) {
		f.Fault(0, "", "the file does not exist; %s", absent)
		return f
	}
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		err = pe.Err // the fault names the path
	}
	f.Fault(0, "", "cannot be read: %s", display.Short(err.Error()))
	return f
}

// Clone returns a copy of a file whose value or lines nobody has asked for yet. Another
// goroutine may use the copy.
func (f *File) Clone() *File {
	c := *f
	c.Faults = slices.Clip(c.Faults)
	return &c
}

// Content returns the text of the file; empty if it cannot be read.
func (f *File) Content() string { return f.data }

// Fault adds a fault at a byte offset. If the message contains text from a file, quote or
// escape that text with package display.
func (f *File) Fault(offset int, pointer, format string, args ...any) {
	switch {
	case f.Full():
		return
	case len(f.Faults) == maxFaults:
		format, args = "more faults follow; only the first %d are listed", []any{maxFaults}
	}
	f.Faults = append(f.Faults, f.at(offset, pointer, fmt.Sprintf(format, args...)))
}

// Full reports whether the file has so many faults that no more are added.
func (f *File) Full() bool { return len(f.Faults) > maxFaults }

// Remark returns a fault at n without adding it to the file.
func (f *File) Remark(n *Node, msg string) Fault {
	return f.at(n.Offset, n.Pointer(), msg)
}

func (f *File) at(offset int, pointer, msg string) Fault {
	before := f.written[:f.original(offset)]
	line, col := strings.Count(before, "\n")+1, len(before)-strings.LastIndexByte(before, '\n')
	return Fault{File: f.Name, Line: line, Col: col, Pointer: pointer, Msg: msg}
}

// FaultAt adds a fault at a node.
func (f *File) FaultAt(n *Node, format string, args ...any) {
	f.Fault(n.Offset, n.Pointer(), format, args...)
}

// FollowsAt adds a fault at a node whose cause may be a fault of another file.
func (f *File) FollowsAt(n *Node, format string, args ...any) {
	before := len(f.Faults)
	f.FaultAt(n, format, args...)
	for i := range f.Faults[before:] { // none, if the file is full of faults
		f.Faults[before+i].Follows = true
	}
}

// Raw returns the JSON of a node as it is in the file, after Edit.
func (f *File) Raw(n *Node) string { return f.data[n.Offset:n.End] }

// Value reads the file as one JSON value. It returns nil if there is none.
func (f *File) Value() *Node {
	f.applyEdit(func(first *File) []*Node { return []*Node{first.Value()} })
	start := f.skipBOM()
	if f.failed {
		return nil
	}
	if len(strings.TrimSpace(f.data[start:])) == 0 {
		f.Fault(0, "", "the file is empty, want a JSON object")
		return nil
	}
	return f.scan(start, len(f.data), "file")
}

// Lines reads each line of a JSON Lines file as a JSON value. It skips blank lines and
// lines that it cannot read.
func (f *File) Lines() []*Node {
	f.applyEdit((*File).Lines)
	start := f.skipBOM()
	if f.failed {
		return nil
	}
	var nodes []*Node
	for line := range strings.Lines(f.data[start:]) {
		begin := start
		start += len(line)
		line = strings.TrimSuffix(line, "\n")
		if strings.TrimSpace(line) == "" {
			continue
		}
		if n := f.scan(begin, begin+len(line), "line"); n != nil {
			nodes = append(nodes, n)
		}
	}
	if len(nodes) == 0 && len(f.Faults) == 0 {
		f.Fault(0, "", "the file is empty, want one JSON object per line")
	}
	return nodes
}

func (f *File) skipBOM() int {
	const bom = "\xef\xbb\xbf"
	if !strings.HasPrefix(f.data, bom) {
		return 0
	}
	f.Fault(0, "", "the file begins with a byte order mark; save it as UTF-8 without one")
	return len(bom)
}
