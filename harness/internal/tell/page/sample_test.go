package page_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"testing"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/compare"
	"github.com/openchrome/bench/harness/internal/tell/page"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/tell/word"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// standins returns the report of n episodes of the stand-in: the committed ones, again and
// again, with other durations.
func standins(t testing.TB, n int) *report.Report {
	t.Helper()
	r, err := report.FromFile(t.Context(), filepath.Join("..", "..", "..", "..", "events", "mock-standin.jsonl"))
	need.OK(t, err)
	base := r.Episodes
	r.Episodes = report.Episodes{}
	for _, e := range base.All() {
		for repetition := 1; repetition <= (n+base.Len()-1)/base.Len() && r.Episodes.Len() < n; repetition++ {
			again := *e
			again.Repetition, again.Name = repetition, fmt.Sprintf("%s#%d", e.TaskID, repetition)
			again.Calls = append([]report.Call(nil), e.Calls...)
			again.DurationMs = 0
			for j := range again.Calls {
				again.Calls[j].DurationMs = 0.2 + float64((repetition*7919+j*104729)%9973)/1000
				again.DurationMs += again.Calls[j].DurationMs
			}
			r.Episodes.Add(again)
		}
	}
	r.Totals.Planned, r.Totals.Finished, r.Totals.Passed = n, n, n
	return r
}

// mixed is a report with two failed episodes of one cause, a void one with changed answer, and three
// that passed.
func mixed(t testing.TB) *report.Report {
	t.Helper()
	r := standins(t, 6)
	for _, i := range []int{2, 3} {
		e := r.Episodes.At(i)
		const observed = "0 of 2 requests"
		tree := judge.Node{Kind: "and", Path: "$", Verdict: judge.Fail, Expected: "all hold", Children: []judge.Node{*e.Tree, *e.Tree}}
		first, second := &tree.Children[0], &tree.Children[1]
		first.Path, first.Verdict, first.Observed = "$.children.0", judge.Fail, observed
		first.Words = "no request matched (2 seen), wanted " + first.Expected
		second.Path, second.Verdict, second.Observed = "$.children.1", judge.NotReached, ""
		e.Tree, e.Explanation = &tree, &tree
		e.Status, e.Success, e.Cause, e.Reason = record.Failed, false, record.CauseContract, "want: "+first.Expected+"; got: "+observed
		e.FailedContract = &judge.FailedContract{Kind: "network", Path: "$.children.0", Verdict: judge.Fail, Expected: first.Expected, Observed: observed}
		r.Episodes.Set(i, e)
	}
	stall := r.Episodes.At(4)
	stall.Status, stall.Success, stall.Cause, stall.Reason = record.AdapterError, false, record.CauseAdapter, "no such tab"
	drift := adapter.Drift{Expected: `text with "shipped"`, At: "transcript.jsonl:1"}
	stall.ChangedAnswers = []report.ChangedAnswer{{Step: 1, Tool: stall.Calls[1].Tool, Drift: drift, Actual: `"sent"`}}
	r.Episodes.Set(4, stall)
	r.Totals = report.Totals{
		Planned: 6, Finished: 6, Counts: report.Counts{Passed: 3, Failed: 2, Void: 1}, SuccessRate: report.SuccessRate{Low: 0.5, High: 4.0 / 6}, ChangedAnswers: 1,
		Families: []report.FamilyTotals{
			{Family: "navigation", Counts: report.Counts{Passed: 2}}, {Family: "forms", Counts: report.Counts{Failed: 2}},
			{Family: "faults", Counts: report.Counts{Passed: 1, Void: 1}},
		},
	}
	r.Figures.Tasks[1].Passed, r.Figures.Tasks[1].Failed = 0, 2
	return r
}

// write writes the page of a report below a new folder, and document the one of a document.
func write(t testing.TB, r *report.Report, out string) string {
	t.Helper()
	return saved(t, func(w io.Writer) error { return page.RunHTML(w, r, out) })
}

func document(t testing.TB, d page.Document) string {
	t.Helper()
	return saved(t, func(w io.Writer) error { return page.HTML(w, d) })
}

func saved(t testing.TB, write func(io.Writer) error) string {
	t.Helper()
	var b bytes.Buffer
	need.OK(t, write(&b))
	name := filepath.Join(t.TempDir(), "r.html")
	need.Write(t, name, b.Bytes())
	return name
}

func markdown(t testing.TB, d page.Document) string {
	t.Helper()
	var b bytes.Buffer
	need.OK(t, page.Markdown(&b, d))
	return b.String()
}

// told adds to an episode of a report all that a trace and the fixture web say of a failure; text is in every one of
// these texts.
func told(r *report.Report, i int, text string) {
	e := r.Episodes.At(i)
	field := record.Element{Role: "radio", Name: text, Field: text, Value: text, Place: text}
	e.Status, e.Success, e.Cause, e.WrongSideEffects, e.Digest = record.Failed, false, record.CauseContract, []string{text}, text
	e.Tree = &judge.Node{Kind: "network", Path: "$", Verdict: judge.Fail, Expected: text, Words: text}
	c := &e.Calls[len(e.Calls)-1]
	e.Missed = []record.Missed{{
		End: text, Kind: record.MissedValue, Wanted: text, Sent: text, Step: c.Step, Wrong: text, Early: text,
		Unmet: []record.Unmet{{Of: "field", Name: text, Wanted: text, Got: text}, {Of: text, Name: text, Wanted: text, Absent: true}},
	}}
	c.Parts = []record.Part{
		{Asked: text, Value: text, Word: record.OtherElement, Did: text, Hit: &field, Untrue: true}, {Asked: text, Word: record.AsAsked}, {Asked: text, Word: record.NotKnown},
	}
	c.Requests = []record.Request{{Method: text, URL: text, Status: 303, Body: text}}
	c.Trace = &word.Got{
		Heard:   []string{fmt.Sprintf("click by a script: radio %s in %s: %s", display.QuoteTo(text, 60), display.QuoteTo(text, 40), text)},
		Changed: []record.Field{{Element: field, Was: text}}, Lost: []string{text},
	}
	r.Episodes.Set(i, e)
}

// hostile texts try to be more than text in Markdown, HTML, JSON, a script, an address or a terminal.
var hostile = []string{
	"<script>alert(1)</script>", "</td></tr><img src=x onerror=alert(1)>", "`x` | [link](javascript:alert(1))", "`x [i](https://evil.test/p)", "a\n\n# Heading\n\n| a | b |", "```\nfence\n```",
	"\x1b[31mred\x1b[0m\a", "\u202egnp.exe\u2066", "![i](https://evil.test/p.png)", "<!-- -->", "<!--<script>", "&lt;b&gt;", "\r\nX: y", `a \| b \\| c | d\`,
	"````` many `````", "https://evil.test/", "ada@evil.test", "</code></summary></details><b>", "x\n\n</details>\n\n<script>", "[x]: https://evil.test", "- [ ] x", "1. x",
	"@everyone", "a@b.test | <img src=x> | c", "*bold* _it_ ~~s~~", "a:/_b_ *_c_*", "</script><script>alert(1)</script>", "]]>", "</style><style>*{display:none}",
	"\" onfocus=alert(1) autofocus x=\"", "' onclick='alert(1)", "javascript:alert(1)", "data:text/html,<script>alert(1)</script>", "__proto__", "constructor",
	"\u2028\u2029", "a\r\nb\x00c", "\xff\xfe", "../../../../etc/passwd", "//evil.test/", "#episode=x&q=y",
}

// saying is a report that says text wherever a page, a server, a log or a task file can put one.
func saying(text string) *report.Report {
	node := judge.Node{Kind: text, Path: text, Verdict: judge.Fail, Would: judge.Verdict(text), Words: text, Expected: text, Observed: text}
	tree, other := node, node
	other.Verdict, other.Would = judge.NotReached, judge.Fail
	tree.Children = []judge.Node{node, other}
	e := report.Episode{
		Name: text + "#1", TaskID: text, Repetition: 1, Title: text, Category: text, Tags: []string{text}, Status: record.Failed, Reason: text, FinalURL: text,
		Calls:       slices.Repeat([]report.Call{{Step: 1, Tool: text, Args: text, Answer: text, Hint: text, HintText: text, Error: true}}, 2),
		ServerEnded: text, Page: "page", PageMissing: text, NoProgressEpisodes: 1,
		ChangedAnswers: []report.ChangedAnswer{{Step: 1, Tool: text, Drift: adapter.Drift{Expected: text, At: text}, Actual: text}},
		FailedContract: &judge.FailedContract{Kind: text, Path: text, Expected: text, Observed: text, TextPreview: &text},
		Explanation:    &tree,
	}
	silent, odd, passed := e, e, e
	silent.Name, silent.Calls, silent.Explanation = text+"#2", []report.Call{{Tool: text, Failure: text, Trace: &word.Got{Missing: text}}}, nil
	odd.Name, odd.Status, passed.Name, passed.Status = text+"#3", record.Status(text), text+"#4", record.Passed
	r := &report.Report{
		RunID: text, Adapter: text, Drift: text, Notes: []string{text}, Web: record.Web{Mode: text}, Host: record.Host{OS: text, Arch: text, Go: text}, Digest: text,
		Server:  &record.Server{Name: text, Version: text, Launcher: text, Package: text, Chromium: text, Protocol: text, Isolation: text, Confinement: text, Facts: text},
		Package: &record.Package{Path: text, Commit: text, Dirty: true},
		Totals:  report.Totals{Planned: 1, Finished: 1, Counts: report.Counts{Failed: 1}},
		Figures: report.Figures{
			Tasks: []report.TaskFigures{{TaskID: text, Counts: report.Counts{Failed: 1}}, {TaskID: text}}, Tools: []report.ToolFigures{{Tool: text, Calls: 1}}, Hints: []report.HintCount{{Rule: text, Count: 1}},
		},
		Tasks:    []report.Task{{Task: record.Task{ID: text, Category: text, Goal: text, StartURL: text}, Contract: json.RawMessage(`{}`)}},
		Options:  record.Options{Profile: "profile.json"}, // else a task with an @ has one more command
		Episodes: report.ListOf(e, silent, odd, passed),
	}
	told(r, 1, text)
	return r
}

// planted returns a folder with the kept page of the first of these episodes.
func planted(t *testing.T, text string) string {
	t.Helper()
	out := t.TempDir()
	raw, err := json.Marshal(map[string]any{
		"url": text, "title": text, "text": text, "missing": text, "console": []string{text}, "requests": []string{text},
		"dialogs": []record.Dialog{{Kind: text, Message: text}},
	})
	need.OK(t, err)
	need.Write(t, filepath.Join(out, "page", "page.json"), raw)
	return out
}

// compared compares the episodes of the stand-in with mixed ones, of which an answer has a hint.
func compared(t *testing.T) *compare.Comparison {
	t.Helper()
	head := mixed(t)
	for _, i := range []int{0, 1} {
		e := head.Episodes.At(i)
		e.Calls[0].Hint = "login"
		head.Episodes.Set(i, e)
	}
	c, err := compare.Compare(standins(t, 6), head, compare.Options{Base: "main", Head: "branch", Interleaved: true})
	need.OK(t, err)
	return c
}

// disputed is a comparison that says text wherever it can.
func disputed(text string) page.Document {
	passed, failed := saying(text), saying(text)
	e := passed.Episodes.At(0)
	e.Status = record.Passed
	passed.Episodes.Set(0, e)
	return page.Compared(&compare.Comparison{
		Base: compare.Side{Name: text, Report: failed}, Head: compare.Side{Name: text, Report: passed}, Finding: compare.Worse, Sentence: text,
		Notes: []string{text}, Pairs: 1, Tasks: []*compare.Task{{ID: text}},
		Turned: []compare.Turned{{Task: text, Tool: text, Hint: text, Head: 1, Of: 1, Episode: text}},
		Tools:  []*compare.Tool{{Name: text}},
		Grid:   compare.Grid{Names: []string{text, text}, Rows: []compare.GridRow{{ID: text, Cells: []compare.Cell{{Episode: failed.Episodes.At(0)}, {Episode: e}}}}},
	}, compare.Result{Breached: []compare.Breach{{Rule: text, Figures: text}}, Unknown: []compare.Breach{{Rule: text, Figures: text}}, Kept: []string{text}}, "")
}
