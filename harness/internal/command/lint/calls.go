package lint

import (
	_ "embed"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/text/display"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
)

// version is the OpenChrome whose tools are in openchrome.txt.
const version = "OpenChrome " + session.OpenChromeVersion

//go:embed openchrome.txt
var toolList string

// A tool is a tool of OpenChrome.
type tool struct{ args, required []string }

// tools are the tools by name, and toolNames their names.
var tools, toolNames = readTools(toolList)

func readTools(list string) (byName map[string]tool, names []string) {
	byName = make(map[string]tool)
	for line := range strings.Lines(list) {
		words := strings.Fields(line)
		if words[0] == "#" {
			continue
		}
		var t tool
		for _, arg := range words[1:] {
			name, required := strings.CutSuffix(arg, "!")
			if t.args = append(t.args, name); required {
				t.required = append(t.required, name)
			}
		}
		byName[words[0]] = t
		names = append(names, words[0])
	}
	return byName, names
}

// transcript checks a transcript. Only the calls of OpenChrome's transcripts are checked.
func (l *linter) transcript(name string) {
	forOpenChrome, _ := path.Match("forbidden.*.jsonl", name)
	forOpenChrome = forOpenChrome || name == "transcript.jsonl"
	for _, line := range l.read(name, "args", "save").Lines() {
		for _, key := range []string{"tool", "expect", "save"} {
			l.marks(line.Get(key), "only {{param.NAME}} is filled in here")
		}
		if forOpenChrome {
			l.call(line)
		}
	}
}

// call checks the call of one line. It only warns, because another version may have other
// tools.
func (l *linter) call(line *jsonfile.Node) {
	n, args := line.Get("tool"), line.Get("args")
	if n == nil || args == nil { // the server is said to have no path
		return
	}
	t, known := tools[n.Text]
	if !known {
		l.warn(n, fmt.Sprintf("%s has no tool %s%s", version, display.Quote(n.Text), display.DidYouMean(n.Text, toolNames)))
		return
	}
	if o := line.Get("optional"); o.Is(jsonfile.Bool) && o.Text == "true" && acts(n.Text, args) {
		l.warn(o, "optional is only for calls that read or wait; leave it out")
	}
	for _, a := range args.Items {
		if !slices.Contains(t.args, a.Key) {
			l.warn(a, fmt.Sprintf("%s of %s has no argument %s; it has %s%s", n.Text, version, display.Quote(a.Key), strings.Join(t.args, ", "), display.DidYouMean(a.Key, t.args)))
		}
	}
	if wanted := line.Get("expect").Get("isError"); wanted.Is(jsonfile.Bool) && wanted.Text == "true" {
		return
	}
	for _, name := range t.required {
		if args.Get(name) == nil {
			l.warn(args, fmt.Sprintf("%s needs the argument %s", n.Text, display.Quote(name)))
		}
	}
}

// acts reports whether a call changes the page or leaves it. A script may only read.
func acts(tool string, args *jsonfile.Node) bool {
	switch tool {
	case "interact", "fill_form", "form_input", "file_upload", "drag_drop", "navigate", "page_reload":
		return true
	case "computer":
		action := args.Get("action")
		return action == nil || action.Text != "wait" && action.Text != "screenshot"
	}
	return false
}
