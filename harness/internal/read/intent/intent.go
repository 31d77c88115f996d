// Package intent reads the intents of a task: what a user would do on its pages, in the words of
// the pages and one JSON object a line. They fit every server, because they name no tool. Package
// policy carries them out.
package intent

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/internal/read/param"
	"github.com/openchrome/bench/harness/internal/read/task"
	"github.com/openchrome/bench/harness/internal/text/display"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
)

// FileName is the file with a task's intents.
const FileName = "intents.jsonl"

// Verb is what an intent does. Each has the key of this name in the file.
type Verb string

// The verbs.
const (
	Press   Verb = "press"
	Send    Verb = "send" // presses the button that sends the form of the fields before
	Try     Verb = "try"  // like press; if it works, the intents end, else they go on
	Fill    Verb = "fill"
	Choose  Verb = "choose" // an option of a list
	Check   Verb = "check"
	Uncheck Verb = "uncheck"
	Read    Verb = "read" // saves what a pattern finds on the page
	Wait    Verb = "wait" // for a text
	Answer  Verb = "answer"
	Go      Verb = "go"
	Back    Verb = "back"
	Reload  Verb = "reload"
	Hover   Verb = "hover"
	Keys    Verb = "keys"
	Drag    Verb = "drag"
	Scroll  Verb = "scroll" // until the target is in view
	Tab     Verb = "tab"    // makes the tab with this title or text current
	Upload  Verb = "upload"
	// Unsupported is what no verb can do, in words: the intents end there as a step without a tool.
	Unsupported Verb = "unsupported"
)

// Verbs are all verbs. Those before Read have a target.
var Verbs = []Verb{Press, Send, Try, Fill, Choose, Check, Uncheck, Hover, Drag, Scroll, Upload, Keys, Read, Wait, Answer, Go, Back, Reload, Tab, Unsupported}

// second is the key of the second text of a verb.
var second = map[Verb]string{Fill: "with", Choose: "option", Read: "save", Answer: "with", Keys: "on", Press: "click", Drag: "to", Upload: "file"}

// Intent is one line.
type Intent struct {
	Verb Verb
	// Text is the value of the verb's key: the name of the target, a pattern, a text to wait for,
	// an address, a key. It is empty for back and reload. Keys has its target in Second.
	Text string
	// Second is what the verb needs too: the value of fill, the option of choose, the name under
	// which read saves, the text of answer, the target of keys (may be empty), the target of drag,
	// the name of the file of upload, how press clicks (empty: once).
	Second string
	// Place is what press presses, if that has no name: 2 is the second thing without a name after
	// the text After, -2 the second before it; 0: it has the name Text.
	Place int
	After string // the target comes after this text on the page; empty: anywhere
	Role  string // the role of the target; empty: any that fits the verb
	Keys  string // what does the same as drag, on its target, if the server cannot drag; empty: nothing
	At    string // where it is written, such as intents.jsonl:3
}

// Clicks are the other ways to press: twice, with the right button, with a key held.
var Clicks = []string{"double", "right", "Alt", "Control", "Meta", "Shift"}

// With returns the intent with the saved texts in place of {{saved.NAME}}.
func (i Intent) With(saved map[string]string) Intent {
	plain := func(text string) string { return text }
	escape := plain
	if i.Verb == Read {
		escape = regexp.QuoteMeta
	}
	i.Text = replace(i.Text, saved, escape)
	i.Second, i.After = replace(i.Second, saved, plain), replace(i.After, saved, plain)
	return i
}

func replace(text string, saved map[string]string, escape func(string) string) string {
	return mark.ReplaceAllStringFunc(text, func(m string) string {
		name := savedMark.FindStringSubmatch(m)
		if name == nil {
			return m
		}
		return escape(saved[name[1]])
	})
}

// Find returns what the pattern of a read finds in a text: its first group, or the whole match
// if it has none. It reports false if there is no match.
func (i Intent) Find(text string) (string, bool) {
	re, err := regexp.Compile(i.Text)
	if err != nil {
		return "", false
	}
	m := re.FindStringSubmatch(text)
	if m == nil {
		return "", false
	}
	return m[min(1, len(m)-1)], true
}

// Begins returns the text with which all that the pattern of a read finds begins; empty if there is none.
func (i Intent) Begins() (prefix string) {
	if re, err := regexp.Compile(i.Text); err == nil {
		prefix, _ = re.LiteralPrefix()
	}
	return prefix
}

var (
	mark      = regexp.MustCompile(`\{\{[^{}]*\}\}`)
	savedMark = regexp.MustCompile(`^\{\{saved\.([a-zA-Z]\w*)\}\}$`)
	savedName = regexp.MustCompile(`^[a-zA-Z]\w*$`)
)

// Open returns the file with the intents of a task, with its drawn values filled in.
func Open(s task.Spec) *jsonfile.File {
	f := s.Folder.File(FileName, `a policy needs it: write one intent a line, such as {"press": "Save"}`)
	f.Edit = func(n *jsonfile.Node) []jsonfile.Change { return s.Fill(f, n, "", string(Read)) }
	return f
}

// Lines reads the intents of a file. files are those that the task can upload. It adds faults to f.
func Lines(f *jsonfile.File, files map[string][]byte) []Intent {
	var all []Intent
	saved := make(map[string]bool)
	for _, n := range f.Lines() {
		if len(all) == task.LimitMaxSteps {
			f.FaultAt(n, "more than %d intents; an episode can make no more calls", task.LimitMaxSteps)
			break
		}
		i := Intent{At: fmt.Sprintf("%s:%d", path.Base(f.Name), f.Remark(n, "").Line)}
		if !f.Want(n, jsonfile.Object, "an object") || !i.verb(f, n) {
			continue
		}
		i.fields(f, n, files)
		checkMarks(f, n, saved)
		if i.Verb == Read {
			saved[i.Second] = true
		}
		all = append(all, i)
	}
	return all
}

func (i *Intent) verb(f *jsonfile.File, n *jsonfile.Node) bool {
	for _, m := range n.Items {
		v := Verb(m.Key)
		switch {
		case !slices.Contains(Verbs, v):
		case i.Verb != "":
			f.FaultAt(m, "the line has %s already; write each verb on a line of its own", i.Verb)
			return false
		default:
			i.Verb = v
		}
	}
	if i.Verb != "" || n.Cut {
		return i.Verb != ""
	}
	var names []string
	for _, v := range Verbs {
		names = append(names, string(v))
	}
	if len(n.Items) > 0 {
		f.Unknown(n.Items[0], names)
	} else {
		f.FaultAt(n, "has no verb, want one of %s", strings.Join(names, ", "))
	}
	return false
}

// fields reads the keys of a line whose verb is known.
func (i *Intent) fields(f *jsonfile.File, n *jsonfile.Node, files map[string][]byte) {
	fields := []jsonfile.Field{{Name: string(i.Verb), Read: func(n *jsonfile.Node) { i.text(f, n) }}}
	if key := second[i.Verb]; key != "" {
		required := i.Verb != Answer && i.Verb != Keys && i.Verb != Press
		fields = append(fields, jsonfile.Field{Name: key, Required: required, Read: func(n *jsonfile.Node) { i.second(f, n, files) }})
	}
	if i.Verb != Read && slices.Index(Verbs, i.Verb) < slices.Index(Verbs, Read) {
		fields = append(fields,
			jsonfile.Field{Name: "after", Read: func(n *jsonfile.Node) { i.After = f.Text(n) }},
			jsonfile.Field{Name: "role", Read: func(n *jsonfile.Node) { i.Role = f.Text(n) }})
	}
	if i.Verb == Drag {
		fields = append(fields, jsonfile.Field{Name: "orKeys", Read: func(n *jsonfile.Node) { i.Keys = f.Text(n) }})
	}
	f.Fields(n, fields...)
	if i.Place != 0 && i.After == "" {
		f.FaultAt(n, "missing field %q; the place is counted from its text", "after")
	}
}

func (i *Intent) text(f *jsonfile.File, n *jsonfile.Node) {
	switch i.Verb {
	case Back, Reload:
		if n.Kind != jsonfile.Bool || n.Text != "true" {
			f.Wrong(n, "true")
		}
		return
	case Answer:
		i.Text = f.OneOf(n, []string{"accept", "dismiss"})
		return
	case Read:
		f.Pattern(n)
	case Press:
		if n.Kind == jsonfile.Number {
			if i.Place = f.Int(n, -task.LimitMaxSteps, task.LimitMaxSteps); i.Place == 0 {
				f.Wrong(n, "a name, or a place other than 0")
			}
			return
		}
	}
	i.Text = f.Text(n)
}

func (i *Intent) second(f *jsonfile.File, n *jsonfile.Node, files map[string][]byte) {
	if i.Verb == Press {
		i.Second = f.OneOf(n, Clicks)
		return
	}
	if i.Verb == Fill || i.Verb == Answer { // they may be empty
		f.Want(n, jsonfile.String, jsonfile.String.String())
		i.Second = n.Text
		return
	}
	i.Second = f.Text(n)
	switch _, has := files[i.Second]; {
	case i.Verb == Read && !savedName.MatchString(i.Second):
		f.FaultAt(n, "the name %s must begin with a letter, and have only letters, digits and _", display.Quote(i.Second))
	case i.Verb == Upload && !has:
		f.FaultAt(n, "the task has no file %s%s", display.Quote(path.Join(task.UploadDir, i.Second)), display.DidYouMean(i.Second, slices.Sorted(maps.Keys(files))))
	}
}

// checkMarks adds a fault for each text in double braces that would not be replaced.
func checkMarks(f *jsonfile.File, n *jsonfile.Node, saved map[string]bool) {
	for _, m := range n.Items {
		for _, text := range mark.FindAllString(m.Text, -1) {
			name := savedMark.FindStringSubmatch(text)
			switch {
			case param.Uses(text): // an unfilled value has a fault already
			case name == nil:
				f.FaultAt(m, "has %s, want {{param.NAME}} or {{saved.NAME}}", display.Quote(text))
			case !saved[name[1]]:
				f.FaultAt(m, "has %s, but no read before this line saves it", display.Short(text))
			}
		}
	}
}
