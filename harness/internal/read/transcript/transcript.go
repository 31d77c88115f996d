// Package transcript reads the transcripts of a task and replays them as the adapter mock. It
// also finds the adapter of a name, among the built-in and the registered ones.
package transcript

import (
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"slices"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/read/param"
	"github.com/openchrome/bench/harness/internal/read/task"
	"github.com/openchrome/bench/harness/internal/text/display"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
)

// OracleFile is the name of the file that mock replays on OpenChrome.
const OracleFile = "transcript.jsonl"

// A mark is a placeholder in an argument. With a file, it stands for the path of this file of the
// task. With a name, it stands for the text that an earlier line saved under the name. The zero
// value stands for the current tab.
type mark struct{ name, file string }

// Marks are written in double braces.
var (
	anyMark   = regexp.MustCompile(`\{\{[^{}]*\}\}`)
	savedMark = regexp.MustCompile(`^\{\{saved\.([a-zA-Z]\w*)\}\}$`)
)

const (
	tabMark = "{{tabId}}"
	marks   = tabMark + ", {{saved.NAME}}, {{param.NAME}} or {{upload.NAME}}"
)

// Two fields of a line: the arguments, and the patterns of the texts to save.
const (
	argsField = "args"
	saveField = "save"
)

// Line is one call of a transcript, and the answer that it expects.
type Line struct {
	Tool   string
	Expect adapter.Expect
	// Optional marks a call that only reads or waits.
	Optional    bool
	Unsupported string // instead of a call: why the server cannot do the task
	// Change changes the call before it is made, unless it is nil.
	Change func(adapter.Call) adapter.Call

	// args is the JSON of the arguments, split at each of the marks.
	args  []string
	marks []mark
	save  []save
}

// Saves reports whether the line saves a text of its answer.
func (l Line) Saves() bool { return len(l.save) > 0 }

// Saved returns the texts that the line saves of its answer, by name, where the pattern matches.
func (l Line) Saved(answer string) map[string]string {
	texts := make(map[string]string)
	for _, s := range l.save {
		if m := s.pattern.FindStringSubmatch(answer); m != nil {
			texts[s.name] = m[min(1, len(m)-1)]
		}
	}
	return texts
}

// call returns the call with each mark replaced by the text that fill returns for it. It
// returns the first error of fill.
func (l Line) call(fill func(mark) (string, error)) (adapter.Call, error) {
	args := l.args[0]
	for i, m := range l.marks {
		text, err := fill(m)
		if err != nil {
			return adapter.Call{}, err
		}
		args += jsonfile.Escape(text) + l.args[i+1]
	}
	call := adapter.Call{Tool: l.Tool, Args: json.RawMessage(args)}
	if l.Change != nil {
		call = l.Change(call)
	}
	return call, nil
}

// save says which text of an answer is saved under a name: the match of the pattern's first
// group, or the whole match if the pattern has no group.
type save struct {
	name    string
	pattern *regexp.Regexp
}

// readTranscript reads one call per line. It adds faults to f.
func readTranscript(f *jsonfile.File) []Line {
	var lines []Line
	for _, n := range f.Lines() {
		if len(lines) == task.LimitMaxSteps {
			f.FaultAt(n, "more than %d calls; an episode can make no more", task.LimitMaxSteps)
			break
		}
		if len(lines) > 0 && lines[len(lines)-1].Unsupported != "" {
			f.FaultAt(n, "the line before this one says unsupported, which ends the episode; remove this line")
		}
		l := Line{Expect: adapter.Expect{At: fmt.Sprintf("%s:%d", path.Base(f.Name), f.Remark(n, "").Line)}}
		if n.Get("unsupported") != nil {
			f.Fields(n, jsonfile.Field{Name: "unsupported", Read: func(n *jsonfile.Node) { l.Unsupported = f.Text(n) }})
			lines = append(lines, l)
			continue
		}
		f.Fields(n,
			jsonfile.Field{Name: "tool", Required: true, Read: func(n *jsonfile.Node) { l.Tool = f.Text(n) }},
			jsonfile.Field{Name: argsField, Required: true, Read: func(n *jsonfile.Node) { l.readArgs(f, n) }},
			jsonfile.Field{Name: "expect", Read: func(n *jsonfile.Node) {
				f.Fields(n,
					jsonfile.Field{Name: "isError", Read: func(n *jsonfile.Node) { l.Expect.IsError = new(f.Bool(n)) }},
					jsonfile.Field{Name: "contains", Read: func(n *jsonfile.Node) {
						f.Array(n, "strings", func(n *jsonfile.Node) { l.Expect.Contains = append(l.Expect.Contains, f.Text(n)) })
					}},
				)
			}},
			jsonfile.Field{Name: saveField, Read: func(n *jsonfile.Node) { l.readSave(f, n) }},
			jsonfile.Field{Name: "optional", Read: func(n *jsonfile.Node) { l.Optional = f.Bool(n) }},
		)
		for _, m := range l.marks {
			if m.name != "" && !slices.ContainsFunc(lines, func(l Line) bool { return l.saves(m.name) }) {
				f.FaultAt(n.Get(argsField), "has {{saved.%s}}, but no line before this one saves it", m.name)
			}
		}
		lines = append(lines, l)
	}
	return lines
}

func (l Line) saves(name string) bool {
	return slices.ContainsFunc(l.save, func(s save) bool { return s.name == name })
}

func (l *Line) readSave(f *jsonfile.File, n *jsonfile.Node) {
	if !f.Want(n, jsonfile.Object, "an object with a pattern for each name") {
		return
	}
	for _, m := range n.Items {
		if !savedMark.MatchString("{{saved." + m.Key + "}}") {
			f.FaultAt(m, "the name %s must begin with a letter, and have only letters, digits and _", display.Quote(m.Key))
		}
		f.Text(m)
		if re := f.Pattern(m); re != nil {
			l.save = append(l.save, save{m.Key, re})
			l.Expect.Matches = append(l.Expect.Matches, re)
		}
	}
}

// parseMark reads a text in double braces. It reports false if the text is not a mark.
func parseMark(text string) (mark, bool) {
	if text == tabMark {
		return mark{}, true
	}
	if file, ok := task.UploadMark(text); ok {
		return mark{file: file}, true
	}
	if m := savedMark.FindStringSubmatch(text); m != nil {
		return mark{name: m[1]}, true
	}
	return mark{}, false
}

// readArgs reads the JSON of the arguments and cuts it at each mark in a string value. Other
// text in double braces is a fault, because it would not be replaced.
func (l *Line) readArgs(f *jsonfile.File, n *jsonfile.Node) {
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
			m, ok := parseMark(text)
			if !ok {
				if !param.Uses(text) { // an unfilled value has a fault already
					f.FaultAt(s, "has %s, want %s", display.Quote(text), marks)
				}
				continue
			}
			l.marks = append(l.marks, m)
			l.args = append(l.args, part+jsonfile.Escape(s.Text[end:place[0]]))
			part, end = "", place[1]
		}
		part += jsonfile.Escape(s.Text[end:]) + `"`
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
