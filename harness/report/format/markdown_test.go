package format_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/contract"
	"github.com/openchrome/bench/harness/display"
	"github.com/openchrome/bench/harness/event"
	"github.com/openchrome/bench/harness/report"
	"github.com/openchrome/bench/harness/report/format"
)

// hostile texts try to be more than text in Markdown, HTML or a terminal.
var hostile = []string{
	"<script>alert(1)</script>", "</td></tr><img src=x onerror=alert(1)>", "`x` | [link](javascript:alert(1))",
	"a\n\n# Heading\n\n| a | b |", "```\nfence\n```", "\x1b[31mred\x1b[0m\a", "\u202egnp.exe", "![i](https://evil.test/p.png)",
	"<!-- -->", "&lt;b&gt;", "\r\nX: y", `a \| b \\| c | d\`, "````` many `````", "https://evil.test/", "@everyone", "*bold* _it_ ~~s~~",
}

func TestMarkdownEscapesEverything(t *testing.T) {
	for _, text := range hostile {
		preview := text
		r := &report.Report{
			RunID: text, Adapter: text, Notes: []string{text}, Web: event.Web{Mode: text},
			Subject: &event.Subject{Name: text, Version: text, Launcher: text, Chromium: text},
			Episodes: []report.Episode{{
				Name: text, Title: text, Status: event.Failed, Reason: text, FinalURL: text,
				LastToolCall: &event.Call{Tool: text, Args: []byte(text)},
				ServerEnded:  text, ServerFacts: text, Page: text, PageMissing: text,
				Drifts:         []report.Drift{{Tool: text, Drift: event.Drift{Expected: text, At: text}, Actual: text}},
				Hints:          []report.HintCount{{Rule: text, Severity: text, Count: 1}},
				FailedContract: &contract.FailedContract{Kind: text, Path: text, Expected: text, Observed: text, TextPreview: &preview},
				Explanation:    &contract.Node{Kind: text, Path: text, Verdict: contract.Verdict(text), Expected: text, Observed: text, Note: text},
			}},
		}
		var b bytes.Buffer
		if err := format.Markdown(&b, r); err != nil {
			t.Fatal(err)
		}
		for _, c := range b.String() {
			if c != '\n' && (c < ' ' || c == 0x7f || c == '\u202e') {
				t.Errorf("%q: the report holds the character %U", text, c)
			}
		}
		lines := strings.Split(b.String(), "\n")
		for _, line := range lines {
			if strings.HasPrefix(line, "# ") && !strings.HasPrefix(line, "# Run ") || strings.HasPrefix(line, "```") {
				t.Errorf("%q: the text became a block: %s", text, line)
			}
			if n := pipes(line); strings.HasPrefix(line, "|") && n != 3 && n != 10 {
				t.Errorf("%q: %d cell borders in %s", text, n, line)
			}
			if bare := outsideCode(line); strings.Contains(bare, "<") || strings.Contains(bare, "](") || strings.Contains(bare, "://") {
				t.Errorf("%q: markup outside of code: %s", text, bare)
			}
		}
	}
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
	c, faults := contract.Parse([]byte(`{"kind":"and","children":[{"kind":"or","children":[
		{"kind":"url","pattern":"^https://recovery\\.test/(a|b)\\?n=1$"},
		{"kind":"dom_text","contains":"Example Domain"}]}]}`))
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	url, text := "https://recovery.test/", "\x1b[31m Example\u00a0Domain"
	in := contract.Input{Facts: &contract.Facts{URL: &url, DOMText: &contract.Text{All: text}}}
	j := contract.Judge(c, in)
	tree := contract.Explain(c, in, j)
	r := &report.Report{Episodes: []report.Episode{{
		Status: event.Failed, FinalURL: `https://a.test/?a|b\|c`, FailedContract: contract.FirstFailing(c, in, j), Explanation: &tree,
	}}}
	r.Episodes[0].FailedContract.TextPreview = &text
	var b bytes.Buffer
	if err := format.Markdown(&b, r); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"  - expected: ` the URL matches /^https://recovery\\.test/(a|b)\\?n=1$/ `\n",
		"  - text on the page: ` \\x1b[31m Example\\u00a0Domain `\n",
		"    - observed: ` \"\\x1b[31m Example\\u00a0Domain\" `\n",
		"| ` https://a.test/?a\\|b\\\\u007cc ` |\n", // in a table
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no line with %s in\n%s", want, b.String())
		}
	}
}

// An episode that passed has a section if its server did not come through it.
func TestMarkdownOfTheServer(t *testing.T) {
	r := &report.Report{Subject: &event.Subject{Facts: event.FactsObserver}, Episodes: []report.Episode{
		{Name: "a#1", Status: event.Passed},
		{Name: "b#1", Status: event.Passed, ServerEnded: "OpenChrome ended: exit status 3"},
		{Name: "c#1", Status: event.Passed, ServerFacts: "judged on the observer's facts: pass; on the server's own facts: fail"},
		{Name: "d#1", Status: event.Failed, Page: "events/r/d-1"},
	}}
	var b bytes.Buffer
	if err := format.Markdown(&b, r); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| facts | read by an observer beside the server |\n",
		"## b#1: passed\n\nTask: \n\n- the server ended after its last answer: ` OpenChrome ended: exit status 3 `\n",
		"## c#1: passed\n\nTask: \n\n- judged on the observer's facts: pass; on the server's own facts: fail\n",
		"- the page at the end: ` events/r/d-1 `\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	if strings.Contains(b.String(), "## a#1") {
		t.Error("an episode that passed has a section for nothing")
	}
}

func TestVisible(t *testing.T) {
	for text, want := range map[string]string{
		"plain ünïcode 😀": "plain ünïcode 😀", "a\nb\tc": `a\nb\tc`, `back\slash "q"`: `back\slash "q"`,
		"\x1b[2J": `\x1b[2J`, "\u202e": `\u202e`, "\xff": `\xff`, "\ufffd": "\ufffd", "\xed\xa0\xbd": `\xed\xa0\xbd`,
	} {
		got := display.Visible(text)
		if got != want {
			t.Errorf("display.Visible(%q) is %s, want %s", text, got, want)
		}
		if again := display.Visible(got); again != got {
			t.Errorf("display.Visible(%q), which is safe, is %s", got, again)
		}
	}
}
