package report_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/contract"
	"github.com/openchrome/bench/harness/event"
	"github.com/openchrome/bench/harness/report"
)

// hostile texts try to be more than text in Markdown, HTML or a terminal.
var hostile = []string{
	"<script>alert(1)</script>", "</td></tr><img src=x onerror=alert(1)>", "`x` | [link](javascript:alert(1))",
	"a\n\n# Heading\n\n| a | b |", "```\nfence\n```", "\x1b[31mred\x1b[0m\a", "\u202egnp.exe", "![i](https://evil.test/p.png)",
	"<!-- -->", "&lt;b&gt;", "\r\nX: y", "````` many `````", "https://evil.test/", "@everyone", "*bold* _it_ ~~s~~",
}

func TestMarkdownEscapesEverything(t *testing.T) {
	for _, text := range hostile {
		preview := text
		r := &report.Report{
			RunID: text, Adapter: text, Notes: []string{text}, Web: event.Web{Mode: text},
			Subject: &event.Subject{Name: text, Version: text, Launcher: text, Chromium: text},
			Episodes: []report.Episode{{
				Name: text, Title: text, Status: event.Failed, Reason: text, FinalURL: text,
				LastToolCall:   &event.Call{Tool: text, Args: []byte(text)},
				Drift:          &event.Drift{Tool: text, Expected: text, Actual: text},
				Hints:          []report.HintCount{{Rule: text, Severity: text, Count: 1}},
				FailedContract: &contract.FailedContract{Kind: text, Path: text, Expected: text, Observed: text, TextPreview: &preview},
				Explanation:    &contract.Node{Kind: text, Path: text, Verdict: contract.Verdict(text), Expected: text, Observed: text, Note: text},
			}},
		}
		var b bytes.Buffer
		if err := report.Markdown(&b, r); err != nil {
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
			if n := pipes(line); strings.HasPrefix(line, "|") && n != 3 && n != 9 {
				t.Errorf("%q: %d cell borders in %s", text, n, line)
			}
			if bare := outsideCode(line); strings.Contains(bare, "<") || strings.Contains(bare, "](") || strings.Contains(bare, "://") {
				t.Errorf("%q: markup outside of code: %s", text, bare)
			}
		}
	}
}

func pipes(line string) int { return strings.Count(strings.ReplaceAll(line, `\|`, ""), "|") }

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

func TestVisible(t *testing.T) {
	for text, want := range map[string]string{
		"plain ünïcode 😀": "plain ünïcode 😀", "a\nb\tc": `a\nb\tc`, `back\slash "q"`: `back\\slash "q"`,
		"\x1b[2J": `\x1b[2J`, "\u202e": `\u202e`, "\xff": `\xff`,
	} {
		if got := report.Visible(text); got != want {
			t.Errorf("Visible(%q) is %s, want %s", text, got, want)
		}
	}
}
