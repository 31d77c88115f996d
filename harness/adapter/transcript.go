package adapter

import (
	"encoding/json"
	"regexp"
	"strings"

	"github.com/openchrome/bench/harness/display"
	"github.com/openchrome/bench/harness/event"
	"github.com/openchrome/bench/harness/internal/task"
	"github.com/openchrome/bench/harness/jsonfile"
)

// transcriptFile is what mock replays.
const transcriptFile = "transcript.jsonl"

// tabMark stands in a transcript for the tab last opened or navigated.
const tabMark = "{{tabId}}"

var almostTabMark = regexp.MustCompile(`(?i)\{\{\s*tab[_ -]?id\s*\}\}`)

// line is one call of a transcript, and what it is expected to answer.
type line struct {
	tool string
	// args is the JSON of the arguments, cut where the tab's id belongs.
	args     []string
	isError  *bool // nil: not checked
	contains []string
}

// call returns the call for a tab.
func (l line) call(tab string) event.Call {
	if len(l.args) == 1 {
		return event.Call{Tool: l.tool, Args: json.RawMessage(l.args[0])}
	}
	quoted, _ := json.Marshal(tab) // a string cannot fail
	inner := string(quoted[1 : len(quoted)-1])
	return event.Call{Tool: l.tool, Args: json.RawMessage(strings.Join(l.args, inner))}
}

// readTranscript reads one call per line. It adds faults to f.
func readTranscript(f *jsonfile.File) []line {
	var lines []line
	for _, n := range f.Lines() {
		if len(lines) == task.LimitMaxSteps {
			f.FaultAt(n, "more than %d calls, which no episode can make", task.LimitMaxSteps)
			break
		}
		var l line
		f.Fields(n,
			jsonfile.Field{Name: "tool", Required: true, Read: func(n *jsonfile.Node) { l.tool = f.Text(n) }},
			jsonfile.Field{Name: "args", Required: true, Read: func(n *jsonfile.Node) { l.args = readArgs(f, n) }},
			jsonfile.Field{Name: "expect", Read: func(n *jsonfile.Node) {
				f.Fields(n,
					jsonfile.Field{Name: "isError", Read: func(n *jsonfile.Node) { l.isError = new(f.Bool(n)) }},
					jsonfile.Field{Name: "contains", Read: func(n *jsonfile.Node) {
						f.Array(n, "strings", func(n *jsonfile.Node) { l.contains = append(l.contains, f.Text(n)) })
					}},
				)
			}},
		)
		lines = append(lines, l)
	}
	return lines
}

// readArgs returns the JSON of the arguments, cut at each [tabMark] in a string value.
// Similar spellings of the mark are faults, because they would not be replaced.
func readArgs(f *jsonfile.File, n *jsonfile.Node) []string {
	if !f.Want(n, jsonfile.Object, "an object") {
		return nil
	}
	raw, from := f.Raw(n), 0
	var parts []string
	part := ""
	for _, s := range stringsOf(n, nil) {
		for _, mark := range almostTabMark.FindAllString(s.Text, -1) {
			if mark != tabMark {
				f.FaultAt(s, "has %s, want %s", display.Quote(mark), tabMark)
			}
		}
		if !strings.Contains(s.Text, tabMark) {
			continue
		}
		// Written anew: in the file the mark may be spelled with escapes.
		text, _ := json.Marshal(s.Text)
		pieces := strings.Split(string(text), tabMark)
		parts = append(parts, part+raw[from:s.Offset-n.Offset]+pieces[0])
		parts = append(parts, pieces[1:len(pieces)-1]...)
		part, from = pieces[len(pieces)-1], s.End-n.Offset
	}
	return append(parts, part+raw[from:])
}

// stringsOf appends the string values in n, in the order of the file.
func stringsOf(n *jsonfile.Node, found []*jsonfile.Node) []*jsonfile.Node {
	if n.Kind == jsonfile.String {
		return append(found, n)
	}
	for _, i := range n.Items {
		found = stringsOf(i, found)
	}
	return found
}
