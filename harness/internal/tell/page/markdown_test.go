package page_test

import (
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/judge/evidence"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/compare"
	"github.com/openchrome/bench/harness/internal/tell/page"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// A change of the words changes one file for a document, and one for a terminal.
func TestGolden(t *testing.T) {
	r := mixed(t)
	told(r, 3, "Ada")
	e := r.Episodes.At(3)
	d := page.Episode(r, e, page.View{Alone: true})
	for name, got := range map[string]string{
		"run.md": markdown(t, page.Run(r)), "episode.txt": page.Terminal(nil, append([]page.Block{d.Verdict}, d.Blocks...)...) + "\n",
	} {
		file := filepath.Join("testdata", name)
		if *need.Update {
			need.Write(t, file, got)
		}
		if diff := cmp.Diff(string(need.Read(t, file)), got); diff != "" {
			t.Errorf("%s (-golden +got):\n%s", file, diff)
		}
	}
}

// 200 tasks and 50 causes still fit on two screens.
func TestMarkdownIsShort(t *testing.T) {
	r := &report.Report{}
	for i := range 200 {
		e := report.Episode{TaskID: fmt.Sprintf("task-%03d", i), Status: record.Passed}
		if i%4 == 0 {
			e.Status, e.Reason = record.ToolError, "it failed like "+e.TaskID
		}
		r.Episodes.Add(e)
		r.Figures.Tasks = append(r.Figures.Tasks, report.TaskFigures{TaskID: e.TaskID})
	}
	shown, depth := 0, 0 // lines that a reader sees while every <details> is closed
	for line := range strings.SplitSeq(markdown(t, page.Run(r)), "\n") {
		if depth == 0 && line != "" {
			shown++
		}
		depth += strings.Count(line, "<details>") - strings.Count(line, "</details>")
	}
	need.Is(t, fmt.Sprintf("%d lines are over 60", shown), false, shown > 60)
}

// What cmark-gfm, in the next test, does not see: control characters, a mention on GitHub, and a bar behind two
// backslashes, which ends a cell for some readers.
func TestMarkdownEscapesEverything(t *testing.T) {
	codeSpan := regexp.MustCompile("`{6} .*? `{6}|`{4} .*? `{4}|`{2} .*? `{2}|` .*? `|<code>.*</code>")
	for _, text := range hostile {
		_, history := overTime(t, text)
		for line := range strings.Lines(markdown(t, page.Run(saying(text))) + markdown(t, disputed(text)) + markdown(t, history)) {
			control := strings.IndexFunc(strings.TrimSuffix(line, "\n"), func(c rune) bool { return c < ' ' || c == 0x7f || c == '\u202e' })
			if control >= 0 || strings.Contains(codeSpan.ReplaceAllString(line, ""), "@") || line[0] == '|' && strings.Contains(line, `\\|`) {
				t.Errorf("%q: %q", text, line)
			}
		}
	}
}

// GitHub's own renderer makes of hostile texts what it makes of harmless ones: the same
// elements, with the same attributes.
func TestMarkdownRendered(t *testing.T) {
	of := func(text string) []string {
		_, history := overTime(t, text)
		return slices.Concat(elements(t, page.Run(saying(text))), elements(t, disputed(text)), elements(t, history))
	}
	want := of("harmless words")
	for _, text := range hostile {
		if diff := cmp.Diff(want, of(text)); diff != "" {
			t.Errorf("%q becomes more than text (-harmless +hostile):\n%s", text, diff)
		}
	}
}

// elements renders a document and lists its elements with the names of their attributes.
func elements(t *testing.T, d page.Document) (all []string) {
	t.Helper()
	cmd := exec.Command(need.Program(t, "cmark-gfm"), "--unsafe", "-e", "table", "-e", "autolink", "-e", "strikethrough", "-e", "tasklist")
	cmd.Stdin = strings.NewReader(markdown(t, d))
	page, err := html.Parse(bytes.NewReader(need.Run(t, cmd)))
	need.OK(t, err)
	for n := range page.Descendants() {
		switch n.Type {
		case html.ElementNode:
			name := n.Data
			if name == "code" { // which a text with a mail address becomes
				continue
			}
			for _, a := range n.Attr {
				name += " " + a.Key
			}
			all = append(all, name)
		case html.CommentNode:
			t.Errorf("comment %q", n.Data)
		}
	}
	return all
}

// What an explained contract says is safe already, and is shown as it says it. What decided nothing is shown
// all the same, also for an episode that passed.
func TestMarkdownSays(t *testing.T) {
	c, faults := judge.Parse([]byte(`{"kind":"and","children":[{"kind":"or","children":[
		{"kind":"url","pattern":"^https://recovery\\.test/(a|b)\\?n=1$"},
		{"kind":"dom_text","contains":"Example Domain"}]}]}`))
	need.None(t, faults)
	url, text := "https://recovery.test/", "\x1b[31m Example\u00a0Domain"
	in := judge.Input{Facts: &evidence.Facts{URL: &url, DOMText: &evidence.Text{All: text}}}
	j := judge.Judge(c, in)
	tree := judge.Explain(c, in, j)
	failing := judge.FirstFailing(c, in, j)
	failing.TextPreview = &text
	r := &report.Report{
		Server: &record.Server{Facts: record.FactsObserver},
		Episodes: report.ListOf(
			report.Episode{Status: record.Failed, FinalURL: `https://a.test/?a|b\|c`, FailedContract: failing, Explanation: &tree, Page: "../../x"},
			report.Episode{Name: "b#1", TaskID: "b", Status: record.Passed, ServerEnded: "OpenChrome &lt;ended"},
		),
		Figures: report.Figures{Tools: []report.ToolFigures{{Tool: `a|b\|c`}}},
	}
	need.Has(t, markdown(t, page.Run(r)),
		"the URL matches /^https&#58;//recovery&#92;.test/(a&#124;b)&#92;?n=1$/\n",
		`text of body is "&#92;x1b&#91;31m Example&#92;u00a0Domain", wanted "Example Domain"`,
		"    - observed: ` \"\\x1b[31m Example\\u00a0Domain\" `\n",
		"- **Ended at:** ` https://a.test/?a|b\\|c `\n",
		"| ` a\\|b\\\\u007cc ` |", // in a table
		"- **Facts:** read by an observer beside the server\n",
		"- **1×** the server ended after its last answer: OpenChrome &#38;lt;ended – ` b#1 `\n",
		"- **Folder:** ` ../../x `\n")
}

// An answer of a MiB that a server repeats does not make a report of hundreds.
func TestMarkdownOfLargeTexts(t *testing.T) {
	text := strings.Repeat("\x01", 1<<20)
	e := report.Episode{Name: "a#1", TaskID: "a", Status: record.Failed}
	for range 10 {
		e.Calls = append(e.Calls, report.Call{Tool: "find", Args: text, Answer: text}, report.Call{Tool: "find", Failure: text})
	}
	if n := len(markdown(t, page.Run(&report.Report{Episodes: report.ListOf(e)}))); n > 4<<20 {
		t.Errorf("it has %d bytes", n)
	}
}

// A page says how many tasks of a grid it leaves out.
func TestLargeGrid(t *testing.T) {
	g := compare.Grid{Names: []string{"a", "b"}, All: make([]compare.Counts, 2)}
	for range 203 {
		g.Rows = append(g.Rows, compare.GridRow{Cells: make([]compare.Cell, 2)})
	}
	text := markdown(t, page.Parity("r", "", compare.Table{}, g, "", new(report.Report), new(report.Report)))
	if !strings.Contains(text, "3 more are left out") {
		t.Error("it does not say so")
	}
}

// Names of servers and policies stand in headers.
func TestHostileHeader(t *testing.T) {
	table := page.Table{Header: []string{"task", "a|@\x1b[2J\u202e"}}
	table.Add("x", "y")
	d := page.Document{Blocks: []page.Block{table}}
	var file bytes.Buffer
	need.OK(t, page.HTML(&file, d))
	for want, text := range map[string]string{
		`a\|@\x1b[2J\u202e`: markdown(t, d), `A|@\x1b[2J\u202e`: page.Terminal(nil, table), `a|@\x1b[2J\u202e`: file.String(),
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no header %s", want)
		}
	}
}

func TestVisible(t *testing.T) {
	for text, want := range map[string]string{
		"plain ünïcode 😀": "plain ünïcode 😀", "a\nb\tc": `a\nb\tc`, `back\slash "q"`: `back\slash "q"`,
		"\x1b[2J": `\x1b[2J`, "\u202e": `\u202e`, "\xff": `\xff`, "\ufffd": "\ufffd", "\xed\xa0\xbd": `\xed\xa0\xbd`,
	} {
		need.Is(t, fmt.Sprintf("display.Visible(%q)", text), want, display.Visible(text))
		need.Is(t, fmt.Sprintf("display.Visible(%q), which is safe", want), want, display.Visible(want))
	}
}
