package page_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/compare"
	"github.com/openchrome/bench/harness/internal/tell/history"
	"github.com/openchrome/bench/harness/internal/tell/page"
	"github.com/openchrome/bench/harness/internal/tell/report"
)

// overTime is a history of three versions that says text wherever a record, or what somebody found, can: two tasks fall
// in the second by one commit, and another one has other pages; the third has another Chromium.
func overTime(t *testing.T, text string) (*history.History, page.Document) {
	t.Helper()
	var runs []*report.Report
	for i := range 3 {
		version := fmt.Sprintf("1.%d.0", i)
		r := &report.Report{
			RunID: text + version, Adapter: "mock", Server: &record.Server{Name: text, Version: version, Chromium: text},
			Package: &record.Package{Version: version, Describe: text + version, Commit: text, Date: "2026-01-0" + fmt.Sprint(i+1) + "T00:00:00Z"},
			Web:     record.Web{Digest: version, Hosts: map[string]string{text: "1", "b.test": version}},
			Totals:  report.Totals{Planned: 4, Finished: 4}, Kept: true,
		}
		if i == 2 {
			r.Server.Chromium += "2"
		}
		for n, id := range []string{text, text + "b", text + "c", text + "d"} {
			host := map[bool]string{true: "b.test", false: text}[n == 1]
			r.Tasks = append(r.Tasks, report.Task{Task: record.Task{ID: id, Category: text}, Hosts: []string{host}})
			e := report.Episode{
				Name: id + "#1", RunID: r.RunID, TaskID: id, Repetition: 1, Category: text, Status: record.Passed, Success: true,
				ToolCalls: 3 + i, Kept: &report.Kept{Read: 1000 * (i + 1)},
			}
			if i == 1 && n%2 == 0 {
				e.Status, e.Success, e.Cause = record.Failed, false, record.CauseContract
				e.Kept.False, e.Kept.Untrue = 1, []report.Untrue{{Tool: text, Word: text, N: 1, Step: 1}}
			}
			r.Episodes.Add(e)
		}
		runs = append(runs, r)
	}
	void := &report.Report{RunID: text, Server: &record.Server{Name: text}}
	found := []history.Found{{Server: compare.Title(runs[0]), Task: text, From: text + "1.0.0", To: text + "1.1.0", Commit: text, Subject: text}}
	found = append(found, found[0])
	found[1].Task += "c"
	h, err := history.Of(append(runs, void), found)
	need.OK(t, err)
	h.LeftOut = append(h.LeftOut, history.LeftOut{Run: text, Reason: text})
	gate := compare.Result{Breached: []compare.Breach{{Rule: text, Figures: text}}, Kept: []string{text}}
	return h, page.History(h, gate, func(string) string { return "run.html" })
}

// surfaces are what the writers make of a history.
func surfaces(t *testing.T, text string) map[string]string {
	t.Helper()
	h, d := overTime(t, text)
	raw, err := json.MarshalIndent(h, "", "  ")
	need.OK(t, err)
	_, main, _ := strings.Cut(string(need.Read(t, document(t, d))), "<main")
	return map[string]string{
		"txt": page.Terminal(nil, append([]page.Block{d.Verdict}, d.Blocks...)...), "md": markdown(t, d), "html": "<main" + main,
		"json": string(raw),
	}
}

func TestGoldenHistory(t *testing.T) {
	for ext, got := range surfaces(t, "a") {
		file := filepath.Join("testdata", "history."+ext)
		if *need.Update {
			need.Write(t, file, got)
		}
		if diff := cmp.Diff(string(need.Read(t, file)), got); diff != "" {
			t.Errorf("%s (-golden +got):\n%s", file, diff)
		}
	}
}

// A record is written by a stranger. Whatever it says is text on every surface, and hides nothing. For Markdown see also
// TestMarkdownRendered.
func TestHostileHistory(t *testing.T) {
	shape := func(page string) (all []string) {
		root, err := html.Parse(strings.NewReader(page))
		need.OK(t, err)
		for n := range root.Descendants() {
			switch {
			case n.Type == html.CommentNode:
				all = append(all, "comment")
			case n.Type == html.ElementNode && n.Data != "code" && n.Data != "pre": // a text with lines is a box
				all = append(all, n.Data)
				for _, a := range n.Attr {
					all = append(all, n.Data+" "+a.Key)
				}
			}
		}
		return all
	}
	harmless := surfaces(t, "harmless")
	for _, text := range append(hostile, strings.Repeat("long ", 200), strings.Repeat("\n", 50)) {
		got := surfaces(t, text)
		need.Equal(t, fmt.Sprintf("HTML of %.40q", text), shape(harmless["html"]), shape(got["html"]))
		need.Is(t, fmt.Sprintf("lines of %.40q", text), strings.Count(harmless["txt"], "\n"), strings.Count(got["txt"], "\n"))
		for _, ext := range []string{"txt", "md", "html"} {
			if bad := unseen.FindString(strings.ReplaceAll(got[ext], "\n", "")); bad != "" {
				t.Errorf("%s of %.40q shows %+q", ext, text, bad)
			}
		}
		if !json.Valid([]byte(got["json"])) || strings.ContainsAny(got["json"], "<>\x1b\x00\u2028") {
			t.Errorf("JSON of %.40q: %s", text, got["json"])
		}
	}
}
