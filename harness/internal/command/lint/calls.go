package lint

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/read/server"
	"github.com/openchrome/bench/harness/internal/text/display"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
)

// tools returns the tools of OpenChrome, and their names.
var tools = sync.OnceValues(func() (*server.Server, []string) {
	s := server.OpenChrome()
	names := slices.Sorted(maps.Keys(s.Tools))
	return s, slices.DeleteFunc(names, func(name string) bool { return strings.Contains(name, " ") }) // of one action
})

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
	s, names := tools()
	t, known := s.Tools[n.Text]
	version := s.Title + " " + s.Version
	if !known {
		l.warn(n, fmt.Sprintf("%s has no tool %s%s", version, display.Quote(n.Text), display.DidYouMean(n.Text, names)))
		return
	}
	var has []string
	for _, name := range t.Args {
		has = append(has, strings.TrimSuffix(name, "!"))
	}
	if o := line.Get("optional"); o.Is(jsonfile.Bool) && o.Text == "true" && l.acts(s, n.Text, args) {
		l.warn(o, "optional is only for calls that read or wait; leave it out")
	}
	for _, a := range args.Items {
		if !slices.Contains(has, a.Key) {
			l.warn(a, fmt.Sprintf("%s of %s has no argument %s; it has %s%s", n.Text, version, display.Quote(a.Key), strings.Join(has, ", "), display.DidYouMean(a.Key, has)))
		}
	}
	if wanted := line.Get("expect").Get("isError"); wanted.Is(jsonfile.Bool) && wanted.Text == "true" {
		return
	}
	for _, name := range t.Args {
		if name, needed := strings.CutSuffix(name, "!"); needed && args.Get(name) == nil {
			l.warn(args, fmt.Sprintf("%s needs the argument %s", n.Text, display.Quote(name)))
		}
	}
}

// acts reports whether a call changes the page or leaves it. A script may only read.
func (l *linter) acts(s *server.Server, name string, args *jsonfile.Node) bool {
	tool, _ := s.ToolOf(adapter.Call{Tool: name, Args: json.RawMessage(l.file.Raw(args))})
	return tool.Does != server.Reads && tool.Does != server.Scripts
}
