package jsonfile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/internal/text/display"
)

// Fault is one fault in a file, and its place. Line and Col count from 1, Col in bytes.
// Line 0 means the whole file, and Col 0 the whole line. Pointer is a JSON Pointer (RFC
// 6901), empty for the root, or [NoPointer].
type Fault struct {
	File      string
	Line, Col int
	Pointer   string
	Msg       string
	Follows   bool // the cause may be a fault of another file, on which this file depends
}

// NoPointer is the Pointer of a fault in text that is not JSON.
const NoPointer = "-"

// Whole returns a fault of a whole file or folder. If the message contains text from a
// file, quote or escape that text with package display.
func Whole(name, format string, args ...any) Fault {
	return Fault{File: name, Pointer: NoPointer, Msg: fmt.Sprintf(format, args...)}
}

// Error returns "file:line:col: /json/pointer: message", without the parts that
// the fault does not have. The root's pointer is shown as "/". File name and
// pointer are escaped, so that they cannot attack a terminal.
func (f Fault) Error() string {
	var b strings.Builder
	b.WriteString(display.VisibleTo(f.File, 300))
	if f.Line > 0 {
		fmt.Fprintf(&b, ":%d", f.Line)
		if f.Col > 0 {
			fmt.Fprintf(&b, ":%d", f.Col)
		}
	}
	switch f.Pointer {
	case NoPointer:
	case "":
		b.WriteString(": /")
	default:
		b.WriteString(": " + display.VisibleTo(f.Pointer, 200))
	}
	return b.String() + ": " + f.Msg
}

// Faults are the faults of any number of files. As an error it has one line per fault, in
// the order of the slice.
type Faults []Fault

// Error implements error.
func (fs Faults) Error() string {
	lines := make([]string, len(fs))
	for i, f := range fs {
		lines[i] = f.Error()
	}
	return strings.Join(lines, "\n")
}

// Sort orders the faults by file, line and column.
func (fs Faults) Sort() {
	slices.SortStableFunc(fs, func(a, b Fault) int {
		return cmp.Or(strings.Compare(a.File, b.File), a.Line-b.Line, a.Col-b.Col,
			strings.Compare(a.Pointer, b.Pointer), strings.Compare(a.Msg, b.Msg))
	})
}

// Err returns the faults, sorted, or nil if there are none.
func (fs Faults) Err() error {
	if len(fs) == 0 {
		return nil
	}
	fs.Sort()
	return fs
}

// Causes returns the faults without those that follow from the faults of a file, if it has any.
func (fs Faults) Causes(file string) Faults {
	causes := slices.DeleteFunc(slices.Clone(fs), func(f Fault) bool { return f.Follows })
	if slices.ContainsFunc(causes, func(f Fault) bool { return f.File == file }) {
		return causes
	}
	return fs
}
