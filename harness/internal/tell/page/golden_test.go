package page_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/judge/evidence"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/page"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/text/tokens"
)

// plan is an episode of a log that logOf writes. The zero value passes.
type plan struct {
	task   string
	rep    int
	h1     string // instead of "Message sent"
	url    string // instead of …/sent
	status record.Status
	reason string
	drift  string // the answer of step 2 instead of Sent
	silent bool   // it has no end
	done   bool   // the adapter was done
	cannot string // why the server cannot do the task: it made no call
	tags   []string
	ms     float64
}

const sentContract = `{"kind":"and","children":[{"kind":"url","pattern":"^https://forms\\.test/contact/sent$"},
	{"kind":"dom_text","selector":"h1","contains":"Message sent"},{"kind":"dom_count","selector":"li","op":"gte","value":1},{"kind":"no_dialog"}]}`

// logOf folds the log of a run with these episodes.
func logOf(t *testing.T, planned int, plans ...plan) *report.Report {
	t.Helper()
	var fold report.Fold
	seq := map[string]int{}
	add := func(name string, by record.By, b record.Body) {
		if name != "" {
			seq[name]++
		}
		need.OK(t, fold.Add(record.Event{Seq: seq[name], TS: time.Unix(0, 0).UTC(), Episode: name, By: by, Body: b}))
	}
	add("", "", &record.RunStart{
		SchemaVersion: record.SchemaVersion, RunID: "r", Launcher: "local", Adapter: "mock", Web: record.Web{Mode: "hermetic"}, Episodes: planned,
		Options: record.Options{Drift: record.DriftCount}, Package: &record.Package{Path: "../openchrome", Commit: "0123abc", Dirty: true},
	})
	ended := true
	for _, p := range plans {
		name := fmt.Sprintf("%s#%d", p.task, p.rep)
		reset := &record.Reset{
			Task:       record.Task{ID: p.task, Title: "Send the form", Category: "forms", StartURL: "https://forms.test/contact", MaxSteps: 5, MaxDurationMs: 30_000, Tags: p.tags, Transcript: "sha256:0"},
			Repetition: p.rep, Server: &record.Server{Launcher: "local", Name: "openchrome", Version: "1.7.15", Protocol: "2025-06-18", Isolation: "fresh", Chromium: "Chromium 150", Facts: record.FactsObserver},
		}
		if of, policy, ok := strings.Cut(p.task, "@"); ok {
			reset.Task.Under = record.Under{Of: of, Policy: policy}
			reset.ToolSize = &tokens.Size{Bytes: 9000, O200k: 2000, Cl100k: 2100}
		}
		add(name, "", reset)
		call := func(step int, tool, args, text string, isError bool, drift *adapter.Drift) {
			add(name, record.ByAdapter, &record.ToolCall{Step: step, Call: adapter.Call{Tool: tool, Args: json.RawMessage(args)}})
			raw, _ := json.Marshal(map[string]any{"content": []any{map[string]string{"type": "text", "text": text}}, "isError": isError})
			add(name, record.ByAdapter, &record.ToolResult{Step: step, Tool: tool, DurationMs: float64(10 * (step + 1)), Result: adapter.NewResult(raw), Drift: drift})
		}
		call(0, "navigate", `{"url":"https://forms.test/contact"}`, `{"url":"https://forms.test/contact"}`, false, nil)
		if p.cannot != "" {
			add(name, "", &record.Stop{Status: record.Failed, Cause: record.CauseUnsupported, Reason: "unsupported: " + p.cannot, Error: p.cannot, End: record.EndUnsupported, DurationMs: 40, Success: json.RawMessage(sentContract)})
			continue
		}
		call(1, "fill_form", `{"fields":{"Name":"Ada Lovelace"}}`, "Filled 1 fields", false, nil)
		answer, drift := "Sent", (*adapter.Drift)(nil)
		if p.drift != "" {
			answer, drift = p.drift, &adapter.Drift{Expected: `text with "Sent"`, At: "transcript.jsonl:2"}
		}
		call(2, "interact", `{"action":"click","query":"Send"}`, answer, false, drift)
		if p.silent {
			ended = false
			continue
		}
		cause, _ := record.CauseOf(p.status, p.reason)
		stop := &record.Stop{Status: p.status, Cause: cause, Reason: p.reason, Steps: 2, DurationMs: 40 + p.ms, Success: json.RawMessage(sentContract)}
		if p.done {
			stop.End = record.EndDone
		}
		if p.status == "" {
			stop.Status = record.Passed
		} else {
			stop.Page = record.Page("r", p.task, p.rep, 1)
		}
		if p.status != record.ToolError {
			url, h1 := "https://forms.test/contact/sent", "Message sent"
			if p.url != "" {
				url = p.url
			}
			if p.h1 != "" {
				h1 = p.h1
			}
			c, faults := judge.Parse([]byte(sentContract))
			need.None(t, faults)
			facts := &evidence.Facts{URL: &url, DOMText: &evidence.Text{Of: map[string]*string{"h1": &h1}}, DOMCount: map[string]float64{"li": 2}}
			add(name, record.ByHarness, &record.Facts{FinalURL: url, Facts: facts, NowMs: 1})
			add(name, "", &record.ContractEval{Judgement: judge.Judge(c.Live(), judge.Input{Facts: facts})})
		}
		add(name, "", stop)
	}
	if ended {
		add("", "", &record.RunEnd{Finished: len(plans)})
	}
	r, err := fold.Report()
	need.OK(t, err)
	return r
}

// failing is an episode whose submit was lost.
func failing(task string, rep int) plan {
	return plan{task: task, rep: rep, url: "https://forms.test/contact", h1: "Contact us", status: record.Failed, reason: "want: the URL is …; got: …"}
}

// logs are the reports that golden files and the renderer look at.
func logs(t *testing.T) map[string]*report.Report {
	var mixed []plan
	for task := range 10 {
		for rep := 1; rep <= 20; rep++ {
			p := plan{task: fmt.Sprintf("task-%02d", task), rep: rep, ms: float64((task*7 + rep*13) % 50)}
			switch {
			case task == 2 && rep%2 == 0, task == 5:
				p = failing(p.task, rep)
			case task == 7 && rep > 15: // every page differs
				p.h1, p.status, p.reason = fmt.Sprintf("Please try again, error %d", rep), record.Failed, "want: …"
			case task == 8 && rep == 3:
				p.status, p.reason = record.ToolError, "OpenChrome ended: exit status 3"
			case task == 9 && rep > 10:
				p.drift, p.h1, p.status, p.reason = "Submitted", "Contact us", record.Failed, "the answer of step 2 changed: …"
			}
			mixed = append(mixed, p)
		}
	}
	wrong := failing("form-long", 1)
	wrong.done, wrong.tags = true, []string{"core", "forms"}
	again := wrong
	again.rep = 2
	sold := failing("shop-sold-out", 1)
	sold.done, sold.tags = true, []string{"shop"}
	known := plan{task: "dlg-confirm", rep: 1, cannot: "no tool says yes to a confirm", tags: []string{"dialogs"}}
	policies := []plan{{task: "form@ref", rep: 1}, {task: "form@ref+check", rep: 1}, wrong, failing("form@type", 1)}
	policies[2].task = "other@ref"
	withProfile := logOf(t, 4, policies...)
	withProfile.Profile = &record.Profile{Server: "openchrome", Reviewer: "not reviewed"}
	return map[string]*report.Report{
		"policies":     withProfile,
		"known-defect": logOf(t, 2, known, plan{task: "form", rep: 1}),
		"suite":        logOf(t, 5, known, plan{task: "form", rep: 1, tags: []string{"forms"}}, wrong, again, sold),
		"passed":       logOf(t, 3, plan{task: "form", rep: 1}, plan{task: "form", rep: 2, ms: 20}, plan{task: "other", rep: 1}),
		"mixed":        logOf(t, 200, mixed...),
		"failed":       logOf(t, 2, failing("form", 1), plan{task: "form", rep: 2}),
		"void":         logOf(t, 1, plan{task: "form", rep: 1, drift: "Submitted", h1: "Contact us", status: record.AdapterError, reason: "no such tab"}),
		"not-finished": logOf(t, 3, plan{task: "form", rep: 1}, plan{task: "form", rep: 2, silent: true}),
		"drift":        logOf(t, 2, plan{task: "form", rep: 1, drift: "Submitted"}, plan{task: "form", rep: 2, drift: "Submitted"}),
	}
}

// The golden file is the only one: a change of the words of a run changes it, and no other.
func TestGolden(t *testing.T) {
	var b bytes.Buffer
	need.OK(t, page.Markdown(&b, page.Run(logs(t)["suite"])))
	file := filepath.Join("testdata", "suite.md")
	if *need.Update {
		need.Write(t, file, b.Bytes())
	}
	want := need.Read(t, file)
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("%s (-golden +got):\n%s", file, diff)
	}
	b.Reset()
	need.OK(t, page.Markdown(&b, page.Run(logs(t)["mixed"])))
	if n := shown(b.String()); n > 100 {
		t.Errorf("200 episodes show %d lines, want at most 100: 3 screens", n)
	}
}

// shown counts the lines that a reader sees while every <details> is closed.
func shown(markdown string) (n int) {
	depth := 0
	for line := range strings.SplitSeq(markdown, "\n") {
		if strings.HasPrefix(line, "<details>") {
			if depth++; depth == 1 {
				n++
			}
		}
		if depth == 0 && line != "" {
			n++
		}
		if line == "</details>" {
			depth--
		}
	}
	return n
}
