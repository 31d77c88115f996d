// Package lint finds mistakes in tasks whose files are valid: placeholders that nobody fills
// in, selectors that no browser accepts, calls that OpenChrome does not know.
package lint

import (
	"regexp"
	"strings"

	"github.com/openchrome/bench/harness/internal/drive/standin/browser"
	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/read/intent"
	"github.com/openchrome/bench/harness/internal/read/task"
	"github.com/openchrome/bench/harness/internal/text/display"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
)

// Task checks a task from [task.Folder.Read] and its transcripts. A fault is certainly a mistake; a warning
// may be meant.
func Task(s task.Spec) (faults, warnings jsonfile.Faults) {
	l := &linter{spec: s}
	l.task()
	for _, name := range s.Folder.Files {
		if strings.HasSuffix(name, ".jsonl") && name != intent.FileName {
			l.transcript(name)
		}
	}
	for _, line := range l.read(intent.FileName, "", string(intent.Read)).Lines() {
		if n := line.Get(string(intent.Unsupported)); n != nil {
			l.warn(n, "no verb can do this: every policy ends here, with no tool for a step")
		}
	}
	return l.faults, l.warnings
}

type linter struct {
	spec             task.Spec
	file             *jsonfile.File
	faults, warnings jsonfile.Faults
}

// read reads a file of the task, with the drawn values filled in. Its faults are known.
func (l *linter) read(name, where string, patterns ...string) *jsonfile.File {
	f := l.spec.Folder.File(name, "")
	f.Edit = func(n *jsonfile.Node) []jsonfile.Change { return l.spec.Fill(f, n, where, patterns...) }
	l.file = f
	return f
}

func (l *linter) fault(n *jsonfile.Node, msg string) {
	l.faults = append(l.faults, l.file.Remark(n, msg))
}

func (l *linter) warn(n *jsonfile.Node, msg string) {
	l.warnings = append(l.warnings, l.file.Remark(n, msg))
}

func (l *linter) task() {
	root := l.read(task.FileName, "goal", judge.Patterns...).Value()
	if root == nil {
		return
	}
	for _, n := range root.Items {
		l.marks(n, "only {{param.NAME}} and, in the goal, {{upload.NAME}} of a file in upload/ are filled in here")
	}
	l.selectors(root.Get("success"))
}

func (l *linter) selectors(n *jsonfile.Node) {
	if s := n.Get("selector"); s.Is(jsonfile.String) && !browser.MayBeSelector(s.Text) {
		l.fault(s, "is "+display.Quote(s.Text)+", which is not a CSS selector")
	}
	for _, child := range n.Items {
		l.selectors(child)
	}
}

var mark = regexp.MustCompile(`\{\{[^{}]*\}\}`)

// marks finds placeholders that stay, in the strings below n. [task.Folder.Read] has refused the ones
// of files in a wrong place.
func (l *linter) marks(n *jsonfile.Node, advice string) {
	if n == nil {
		return
	}
	if n.Kind == jsonfile.String {
		for _, text := range mark.FindAllString(n.Text, -1) {
			name, ok := task.UploadMark(text)
			if _, has := l.spec.Uploads[name]; !ok || !has {
				l.fault(n, "has "+display.Quote(text)+"; "+advice)
				l.faults[len(l.faults)-1].Follows = true // with faults in params.json, nothing is filled in
			}
		}
	}
	for _, child := range n.Items {
		l.marks(child, advice)
	}
}
