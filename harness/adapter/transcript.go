package adapter

import (
	"encoding/json"
	"fmt"
	"path"
	"regexp"

	"github.com/openchrome/bench/harness/display"
	"github.com/openchrome/bench/harness/event"
	"github.com/openchrome/bench/harness/internal/task"
	"github.com/openchrome/bench/harness/jsonfile"
)

// transcriptFile is the name of the file that mock replays.
const transcriptFile = "transcript.jsonl"

// A mark is a placeholder in an argument. It stands for the tab last opened or navigated
// if it has no role, and otherwise for the ref of the element with this role and name in
// the last snapshot.
type mark struct{ role, name string }

// Marks are written in double braces.
var (
	anyMark = regexp.MustCompile(`\{\{[^{}]*\}\}`)
	refMark = regexp.MustCompile(`^\{\{ref (\w+) "(.*)"\}\}$`)
)

const (
	tabMark = "{{tabId}}"
	marks   = tabMark + ` or {{ref ROLE "NAME"}}`
)

// line is one call of a transcript, and the answer that it expects.
type line struct {
	tool string
	// args is the JSON of the arguments, split at each of the marks.
	args   []string
	marks  []mark
	expect Expect

	unsupported string // instead of a call: why the server cannot do the task
}

// call returns the call with each mark replaced by the text that fill returns for it. It
// returns the first error of fill.
func (l line) call(fill func(mark) (string, error)) (event.Call, error) {
	args := l.args[0]
	for i, m := range l.marks {
		text, err := fill(m)
		if err != nil {
			return event.Call{}, err
		}
		args += inString(text) + l.args[i+1]
	}
	return event.Call{Tool: l.tool, Args: json.RawMessage(args)}, nil
}

// inString returns text escaped for use inside a JSON string.
func inString(text string) string {
	quoted, _ := json.Marshal(text) // encoding a string cannot fail
	return string(quoted[1 : len(quoted)-1])
}

// readTranscript reads one call per line. It adds faults to f.
func readTranscript(f *jsonfile.File) []line {
	var lines []line
	for _, n := range f.Lines() {
		if len(lines) == task.LimitMaxSteps {
			f.FaultAt(n, "more than %d calls; an episode can make no more", task.LimitMaxSteps)
			break
		}
		if len(lines) > 0 && lines[len(lines)-1].unsupported != "" {
			f.FaultAt(n, "the line before this one says unsupported, which ends the episode; remove this line")
		}
		l := line{expect: Expect{At: fmt.Sprintf("%s:%d", path.Base(f.Name), f.Remark(n, "").Line)}}
		if n.Get("unsupported") != nil {
			f.Fields(n, jsonfile.Field{Name: "unsupported", Read: func(n *jsonfile.Node) { l.unsupported = f.Text(n) }})
			lines = append(lines, l)
			continue
		}
		f.Fields(n,
			jsonfile.Field{Name: "tool", Required: true, Read: func(n *jsonfile.Node) { l.tool = f.Text(n) }},
			jsonfile.Field{Name: "args", Required: true, Read: func(n *jsonfile.Node) { l.readArgs(f, n) }},
			jsonfile.Field{Name: "expect", Read: func(n *jsonfile.Node) {
				f.Fields(n,
					jsonfile.Field{Name: "isError", Read: func(n *jsonfile.Node) { l.expect.IsError = new(f.Bool(n)) }},
					jsonfile.Field{Name: "contains", Read: func(n *jsonfile.Node) {
						f.Array(n, "strings", func(n *jsonfile.Node) { l.expect.Contains = append(l.expect.Contains, f.Text(n)) })
					}},
				)
			}},
		)
		lines = append(lines, l)
	}
	return lines
}

// readArgs reads the JSON of the arguments and cuts it at each mark in a string value. An
// unknown mark is a fault, because it would not be replaced.
func (l *line) readArgs(f *jsonfile.File, n *jsonfile.Node) {
	if !f.Want(n, jsonfile.Object, "an object") {
		return
	}
	raw, from := f.Raw(n), 0
	part := ""
	for _, s := range stringsOf(n, nil) {
		places := anyMark.FindAllStringIndex(s.Text, -1)
		if places == nil {
			continue
		}
		// Encoded again, because a mark in the file may contain escapes.
		part += raw[from:s.Offset-n.Offset] + `"`
		end := 0
		for _, place := range places {
			text := s.Text[place[0]:place[1]]
			m := refMark.FindStringSubmatch(text)
			switch {
			case m != nil:
				l.marks = append(l.marks, mark{m[1], m[2]})
			case text == tabMark:
				l.marks = append(l.marks, mark{})
			default:
				f.FaultAt(s, "has %s, want %s", display.Quote(text), marks)
				continue
			}
			l.args = append(l.args, part+inString(s.Text[end:place[0]]))
			part, end = "", place[1]
		}
		part += inString(s.Text[end:]) + `"`
		from = s.End - n.Offset
	}
	l.args = append(l.args, part+raw[from:])
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
