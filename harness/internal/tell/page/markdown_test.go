package page_test

import (
	"bytes"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/judge/evidence"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/page"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/tell/why/word"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// hostile texts try to be more than text in Markdown, HTML or a terminal.
var hostile = []string{
	"<script>alert(1)</script>", "</td></tr><img src=x onerror=alert(1)>", "`x` | [link](javascript:alert(1))",
	"a\n\n# Heading\n\n| a | b |", "```\nfence\n```", "\x1b[31mred\x1b[0m\a", "\u202egnp.exe", "![i](https://evil.test/p.png)",
	"<!-- -->", "&lt;b&gt;", "\r\nX: y", `a \| b \\| c | d\`, "````` many `````", "https://evil.test/", "ada@evil.test", "</code></summary></details><b>", "x\n\n</details>\n\n<script>", "[x]: https://evil.test", "- [ ] x", "1. x", "@everyone", "a@b.test | <img src=x> | c", "*bold* _it_ ~~s~~",
}

// hostileReport has a text wherever a page, a server, a log or a task file can put one.
func hostileReport(text string) *report.Report {
	preview := text
	node := judge.Node{Kind: text, Path: text, Verdict: judge.Fail, Expected: text, Observed: text, Note: text, Words: text}
	tree := judge.Node{Kind: "and", Verdict: judge.Fail, Children: []judge.Node{node, {Kind: text, Verdict: judge.NotReached, Would: judge.Fail, Expected: text, Observed: text, Words: text}}}
	call := report.Call{Tool: text, Args: text, Answer: text, HintText: text, Hint: text, Error: true}
	silent := call
	silent.Failure = text
	e := report.Episode{
		Name: text, TaskID: text, Title: text, Status: record.Failed, Reason: text, FinalURL: text, Calls: []report.Call{call},
		LastToolCall: &adapter.Call{Tool: text, Args: []byte(text)},
		ServerEnded:  text, Page: text, PageMissing: text,
		ChangedAnswers: []report.ChangedAnswer{{Step: 1, Tool: text, Drift: adapter.Drift{Expected: text, At: text}, Actual: text}},
		Hints:          []report.HintCount{{Rule: text, Count: 1}},
		FailedContract: &judge.FailedContract{Kind: text, Path: text, Expected: text, Observed: text, TextPreview: &preview},
		Explanation:    &tree, Tree: &tree,
	}
	call.Parts = []record.Part{{Asked: text, Value: text, Word: record.Word(text), Did: text, Untrue: true}, {Asked: text, Word: record.NotKnown, Did: text}}
	call.Requests = []record.Request{{Method: text, URL: text, Body: text}}
	call.Trace = &word.Got{Missing: text}
	told := report.Episode{
		Name: text + "2", TaskID: text, Status: record.Failed, Cause: record.CauseContract, FinalURL: text, Ended: text, WrongSideEffects: []string{text}, Calls: []report.Call{call},
		Tree:   &judge.Node{Kind: "network", Verdict: judge.Fail, Words: text},
		Missed: []record.Missed{{Kind: record.MissedValue, Wanted: text, Sent: text, Early: text, Wrong: text, Unmet: []record.Unmet{{Of: "field", Name: text, Wanted: text, Got: text}, {Of: text, Name: text, Wanted: text}}}},
	}
	unanswered, odd, passed := e, e, e
	unanswered.Calls, unanswered.Tree, unanswered.Explanation = []report.Call{silent}, nil, nil
	odd.Status = record.Status(text)
	passed.Status = record.Passed
	return &report.Report{
		RunID: text, Adapter: text, Drift: text, Notes: []string{text}, Web: record.Web{Mode: text}, Digest: text,
		Package: &record.Package{Path: text, Commit: text},
		Server:  &record.Server{Name: text, Version: text, Launcher: text, Chromium: text, Protocol: text, Isolation: text, Confinement: text, Facts: text},
		Figures: report.Figures{
			Tasks: []report.TaskFigures{{TaskID: text, Counts: report.Counts{Passed: 1}}, {TaskID: text}}, Tools: []report.ToolFigures{{Tool: text}}, Hints: []report.HintCount{{Rule: text, Count: 1}},
		},
		Tasks:    []report.Task{{Task: record.Task{ID: text, Category: text}}},
		Totals:   report.Totals{Counts: report.Counts{Failed: 1}, Families: []report.FamilyTotals{{Family: text, Counts: report.Counts{Failed: 1}}}},
		Options:  record.Options{Profile: "profile.json"}, // else a task with an @ has one more command
		Episodes: report.ListOf(e, unanswered, odd, passed, told),
	}
}

func TestMarkdownEscapesEverything(t *testing.T) {
	for _, text := range hostile {
		escaped(t, text, page.Run(hostileReport(text)))
	}
}

// escaped checks that a text in a document is nothing more in Markdown.
func escaped(t *testing.T, text string, d page.Document) {
	t.Helper()
	var b bytes.Buffer
	need.OK(t, page.Markdown(&b, d))
	for _, c := range b.String() {
		if c != '\n' && (c < ' ' || c == 0x7f || c == '\u202e') {
			t.Errorf("%q: the report holds the character %U", text, c)
		}
	}
	depth, columns := 0, 0
	lines := strings.Split(b.String(), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "# ") && i > 0 || strings.HasPrefix(line, "```") {
			t.Errorf("%q: the text became a block: %s", text, line)
		}
		if n := pipes(line); !strings.HasPrefix(line, "|") {
			columns = 0
		} else if columns == 0 {
			columns = n
		} else if n != columns {
			t.Errorf("%q: %d cell borders, want %d, in %s", text, n, columns, line)
		}
		if m := ourHTML.FindStringSubmatch(line); m != nil {
			// Nothing of Markdown counts on this line, and nothing of HTML is in the text.
			if bare := ourAnchor.ReplaceAllString(m[1], ""); strings.ContainsAny(strings.NewReplacer("<code>", "", "</code>", "").Replace(bare), "<>") {
				t.Errorf("%q: HTML in a summary: %s", text, line)
			}
			if i+1 < len(lines) && lines[i+1] != "" {
				t.Errorf("%q: no empty line after %s", text, line)
			}
			depth++
			continue
		}
		if line == "</details>" {
			depth--
			continue
		}
		bare := ourLink.ReplaceAllString(outsideCode(line), "")
		if strings.Contains(bare, "<") || strings.Contains(bare, "](") || strings.Contains(bare, "://") || strings.Contains(bare, "@") {
			t.Errorf("%q: markup outside of code: %s", text, bare)
		}
	}
	need.Is(t, fmt.Sprintf("%q", text), 0, depth)
}

var (
	ourHTML   = regexp.MustCompile(`^<details><summary>(.*)</summary>$`)
	ourAnchor = regexp.MustCompile(`^<a name="[\w.-]*"></a>`)
	ourLink   = regexp.MustCompile(`\[\]\((?:#[\w.-]*|\.\./[\w./-]+/)\)`) // the text is code
)

// GitHub's own renderer makes of hostile texts what it makes of harmless ones: the same
// elements, with the same attributes.
func TestMarkdownRendered(t *testing.T) {
	want := elements(t, hostileReport("harmless words"))
	for _, text := range hostile {
		if diff := cmp.Diff(want, elements(t, hostileReport(text))); diff != "" {
			t.Errorf("%q becomes more than text (-harmless +hostile):\n%s", text, diff)
		}
	}
	for name, r := range logs(t) {
		for _, e := range elements(t, r) {
			if !slices.Contains([]string{"html", "head", "body", "h1", "h2", "p", "strong", "ul", "li", "table", "thead", "tbody", "tr", "th align", "th", "td align", "td",
				"blockquote", "details", "summary", "a name", "a href"}, e) {
				t.Errorf("%s: element %s", name, e)
			}
		}
	}
}

// elements renders a report and lists its elements with the names of their attributes.
func elements(t *testing.T, r *report.Report) (all []string) {
	t.Helper()
	var b bytes.Buffer
	need.OK(t, page.Markdown(&b, page.Run(r)))
	cmd := exec.Command(need.Program(t, "cmark-gfm"), "--unsafe", "-e", "table", "-e", "autolink", "-e", "strikethrough", "-e", "tasklist")
	cmd.Stdin = &b
	out, err := cmd.Output()
	need.OK(t, err)
	page, err := html.Parse(bytes.NewReader(out))
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

// pipes counts the borders of cells. A bar behind one backslash is none; behind
// two it is one to some readers, and the line must not have it.
func pipes(line string) int {
	if strings.Contains(line, `\\|`) {
		return -1
	}
	return strings.Count(strings.ReplaceAll(line, `\|`, ""), "|")
}

// outsideCode returns what of a line stands outside of code spans, by
// CommonMark's rule: a span ends at a row of as many backticks as it began with.
func outsideCode(line string) string {
	var b strings.Builder
	for line != "" {
		start := strings.IndexByte(line, '`')
		if start < 0 {
			break
		}
		b.WriteString(line[:start])
		n := len(line[start:]) - len(strings.TrimLeft(line[start:], "`"))
		rest := line[start+n:]
		end := closing(rest, n)
		if end < 0 {
			b.WriteString(line[start : start+n])
			line = rest
			continue
		}
		line = rest[end+n:]
	}
	return b.String() + line
}

func closing(s string, n int) int {
	for at := 0; at < len(s); {
		i := strings.IndexByte(s[at:], '`')
		if i < 0 {
			return -1
		}
		i += at
		row := len(s[i:]) - len(strings.TrimLeft(s[i:], "`"))
		if row == n {
			return i
		}
		at = i + row
	}
	return -1
}

// What an explained contract says is safe already, and is shown as it says it.
func TestMarkdownEscapesOnce(t *testing.T) {
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
	r := &report.Report{Episodes: report.ListOf(report.Episode{
		Status: record.Failed, FinalURL: `https://a.test/?a|b\|c`, FailedContract: failing, Explanation: &tree,
	})}
	var b bytes.Buffer
	need.OK(t, page.Markdown(&b, page.Run(r)))
	for _, want := range []string{
		"the URL matches /^https&#58;//recovery&#92;.test/(a&#124;b)&#92;?n=1$/\n",
		`text of body is "&#92;x1b&#91;31m Example&#92;u00a0Domain", wanted "Example Domain"`,
		"    - observed: ` \"\\x1b[31m Example\\u00a0Domain\" `\n",
		"- **Ended at:** ` https://a.test/?a|b\\|c `\n",
	} {
		need.Has(t, b.String(), want)
	}
}

// What decided nothing is shown all the same, also for an episode that passed.
func TestMarkdownOfTheServer(t *testing.T) {
	r := &report.Report{Server: &record.Server{Facts: record.FactsObserver}, Episodes: report.ListOf(
		report.Episode{Name: "a#1", TaskID: "a", Status: record.Passed},
		report.Episode{Name: "b#1", TaskID: "b", Status: record.Passed, ServerEnded: "OpenChrome ended: exit status 3"},
		report.Episode{Name: "d#1", TaskID: "d", Status: record.Failed, Page: "events/r/d-1"},
		report.Episode{Name: "e#1", TaskID: "e", Status: record.Failed, Page: "../../x", FinalURL: "https://a.test/?a|b\\|c"},
		report.Episode{Name: "f#1", TaskID: "f", Status: record.Passed, FinalURL: "https://a.test/?a|b\\|c"},
	)}
	var b bytes.Buffer
	need.OK(t, page.Markdown(&b, page.Run(r)))
	for _, want := range []string{
		"- **Facts:** read by an observer beside the server\n",
		"- **1×** the server ended after its last answer: OpenChrome ended: exit status 3 – ` b#1 `\n",
		"- **Folder:** [` events/r/d-1 `](../events/r/d-1/)\n",
		"- **Folder:** ` ../../x `\n",
		"| ` https://a.test/?a\\|b\\\\u007cc ` |\n", // in a table
	} {
		need.Has(t, b.String(), want)
	}
}

// 200 tasks and 200 causes still fit on three screens.
func TestMarkdownIsShort(t *testing.T) {
	r := &report.Report{}
	for i := range 200 {
		id := fmt.Sprintf("task-%03d", i)
		e := report.Episode{Name: id + "#1", TaskID: id, Status: record.Passed, Digest: id}
		f := report.TaskFigures{TaskID: id, Counts: report.Counts{Passed: 1}}
		if i%4 == 0 {
			e.Status, e.Reason, f.Passed, f.Failed = record.ToolError, "it failed like "+id, 0, 1
		}
		r.Episodes.Add(e)
		r.Figures.Tasks = append(r.Figures.Tasks, f)
	}
	var b bytes.Buffer
	need.OK(t, page.Markdown(&b, page.Run(r)))
	if n := shown(b.String()); n > 150 {
		t.Errorf("it shows %d lines, want at most 150", n)
	}
}

// An answer of a MiB that a server repeats does not make a report of hundreds.
func TestMarkdownOfLargeTexts(t *testing.T) {
	text := strings.Repeat("\x01", 1<<20)
	e := report.Episode{Name: "a#1", TaskID: "a", Status: record.Failed}
	for range 10 {
		e.Calls = append(e.Calls, report.Call{Tool: "find", Args: text, Answer: text}, report.Call{Tool: "find", Failure: text})
	}
	var b bytes.Buffer
	need.OK(t, page.Markdown(&b, page.Run(&report.Report{Episodes: report.ListOf(e)})))
	if b.Len() > 4<<20 {
		t.Errorf("it has %d bytes", b.Len())
	}
}

func TestVisible(t *testing.T) {
	for text, want := range map[string]string{
		"plain ünïcode 😀": "plain ünïcode 😀", "a\nb\tc": `a\nb\tc`, `back\slash "q"`: `back\slash "q"`,
		"\x1b[2J": `\x1b[2J`, "\u202e": `\u202e`, "\xff": `\xff`, "\ufffd": "\ufffd", "\xed\xa0\xbd": `\xed\xa0\xbd`,
	} {
		got := display.Visible(text)
		need.Is(t, fmt.Sprintf("display.Visible(%q)", text), want, got)
		if again := display.Visible(got); again != got {
			t.Errorf("display.Visible(%q), which is safe, is %s", got, again)
		}
	}
}
