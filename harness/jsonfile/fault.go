package jsonfile

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Fault is one thing that is wrong with a file, at its place. Line and Col
// count from 1, Col in bytes; 0 stands for the file as a whole, and for a line
// as a whole. Pointer is a JSON Pointer (RFC 6901), empty for the root, or
// [NoPointer].
type Fault struct {
	File      string
	Line, Col int
	Pointer   string
	Msg       string
}

// NoPointer stands in place of a pointer for what is no JSON.
const NoPointer = "-"

// Whole returns the fault of a file or folder as a whole. Text from a file that
// goes into the message must be quoted by [Quote] or [Plain].
func Whole(name, format string, args ...any) Fault {
	return Fault{File: name, Pointer: NoPointer, Msg: fmt.Sprintf(format, args...)}
}

// Error returns "file:line:col: /json/pointer: message", without what the fault
// has not. The root's pointer is shown as "/". File name and pointer are
// escaped: a terminal cannot be attacked through them.
func (f Fault) Error() string {
	var b strings.Builder
	b.WriteString(Plain(f.File, 300))
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
		b.WriteString(": " + Plain(f.Pointer, 200))
	}
	return b.String() + ": " + f.Msg
}

// Faults are the faults of any number of files. As an error it is one line a
// fault, in the order of the slice.
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

// Err returns the faults sorted, or nil when there are none.
func (fs Faults) Err() error {
	if len(fs) == 0 {
		return nil
	}
	fs.Sort()
	return fs
}

// maxQuoted is how many runes of a text from a file a message repeats.
const maxQuoted = 60

// Quote returns s in double quotes, escaped like %q and shortened to 60 runes.
func Quote(s string) string { return QuoteTo(s, maxQuoted) }

// QuoteTo is Quote for at most max runes.
func QuoteTo(s string, max int) string {
	short, cut := shorten(s, max)
	if cut {
		return strconv.Quote(short) + "…"
	}
	return strconv.Quote(s)
}

// Plain returns s with what of it does not print escaped like %q, and all else,
// backslashes too, as it is; at most max runes of it.
func Plain(s string, max int) string {
	short, cut := shorten(s, max)
	var b strings.Builder
	for i := 0; i < len(short); {
		r, size := utf8.DecodeRuneInString(short[i:])
		part := short[i : i+size]
		if r == utf8.RuneError && size == 1 || !unicode.IsPrint(r) {
			q := strconv.Quote(part)
			part = q[1 : len(q)-1]
		}
		b.WriteString(part)
		i += size
	}
	if cut {
		b.WriteString("…")
	}
	return b.String()
}

func shorten(s string, max int) (string, bool) {
	if len(s) <= max {
		return s, false
	}
	n := 0
	for i := range s {
		if n == max {
			return s[:i], true
		}
		n++
	}
	return s, false
}
