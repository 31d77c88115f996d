package stored

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/option"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/compare"
	"github.com/openchrome/bench/harness/internal/tell/format"
	"github.com/openchrome/bench/harness/internal/tell/report"
)

// keep writes the record of a run of n tasks under two policies. One of its tasks fails under both. The third
// uses b.test, the others a.test.
func keep(t testing.TB, out string, n, version int, hosts map[string]string) {
	t.Helper()
	name := fmt.Sprintf("1.%d.0", version)
	r := &report.Report{
		RunID: fmt.Sprintf("run-%03d", version), Adapter: "policy:form,ref", Core: n,
		Server:  &record.Server{Name: "openchrome", Version: name, Launcher: "local", Chromium: "Chromium/1"},
		Package: &record.Package{Version: name, Commit: name, Date: fmt.Sprintf("2026-01-01T00:00:00.%03dZ", version)},
		Web:     record.Web{Mode: "hermetic", Digest: fmt.Sprint(hosts), Hosts: hosts},
	}
	for i := range n {
		host := map[bool]string{true: "b.test", false: "a.test"}[i == 2]
		for _, policy := range []string{"form", "ref"} {
			of := fmt.Sprintf("task-%02d", i)
			task := report.Task{Hosts: []string{host}, Task: record.Task{ID: record.PolicyID(of, policy), Under: record.Under{Of: of, Policy: policy},
				Category: "forms", Tags: []string{[]string{"forms", "shop", "apps"}[i%3], "core"}, Transcript: "sha256:1234"}}
			r.Tasks = append(r.Tasks, task)
			e := report.Episode{
				Name: record.EpisodeName(task.ID, 1), RunID: r.RunID, TaskID: task.ID, Under: task.Under, Repetition: 1,
				Category: task.Category, Tags: task.Tags, Status: record.Passed, Success: true, Outcome: report.Passed,
				Steps: 12, ToolCalls: 13 + version, DurationMs: 12345, InputTokens: &report.InputTokens{},
				Calls: []report.Call{{Step: 1, Tool: "fill_form", ArgTokens: 100, AnswerTokens: 2000}},
			}
			if i == version%n {
				e.Status, e.Success, e.Outcome, e.Cause = record.Failed, false, report.WrongSideEffect, record.CauseContract
				e.Calls[0].Parts = []record.Part{{Word: record.OtherValue, Untrue: true}}
			}
			r.Episodes.Add(e)
		}
	}
	need.OK(t, r.AddUp(2*n, 0))
	var b bytes.Buffer
	need.OK(t, format.Record(&b, r))
	need.Write(t, filepath.Join(out, report.ReportsDir, r.RunID+format.RecordExt), b.Bytes())
}

// BenchmarkHistory is of report:history, over the records of 200 runs of 200 episodes.
func BenchmarkHistory(b *testing.B) {
	out := b.TempDir()
	for version := range 200 {
		keep(b, out, 100, version, map[string]string{"a.test": "1"})
	}
	for b.Loop() {
		need.OK(b, History(b.Context(), option.Values{Out: out, Stdout: io.Discard, Stderr: io.Discard}))
	}
}

// A new task and a new host do not matter for the other tasks. A task whose page changed is left out, by name. So it is
// between two runs, and in their history.
func TestChangedPages(t *testing.T) {
	for name, test := range map[string]struct {
		tasks          int // of the second run
		hosts          map[string]string
		note           string
		changed, moved []string
		compared       int
	}{
		"a new task and a new host": {
			5, map[string]string{"a.test": "1", "b.test": "1", "c.test": "1"},
			"left out 2 tasks that only the head has: task-04@form, task-04@ref", nil,
			[]string{"task-02@form fell", "task-02@ref fell", "task-01@form rose", "task-01@ref rose"}, 8,
		},
		"another page of the third task": {
			4, map[string]string{"a.test": "1", "b.test": "2"},
			"left out 2 tasks, because pages of b.test changed: task-02@form, task-02@ref", []string{"task-02@form", "task-02@ref"},
			[]string{"task-01@form rose", "task-01@ref rose"}, 6,
		},
	} {
		out := t.TempDir()
		keep(t, out, 4, 1, map[string]string{"a.test": "1", "b.test": "1"})
		keep(t, out, test.tasks, 2, test.hosts)
		base, _, err := readRun(t.Context(), out, "run-001")
		need.OK(t, err)
		head, _, err := readRun(t.Context(), out, "run-002")
		need.OK(t, err)
		c, err := compare.Compare(base, head, compare.Options{})
		need.OK(t, err)
		need.Is(t, name+": note", test.note, c.Notes[0])
		need.Is(t, name+": compared", test.compared, len(c.Tasks))
		h, err := ReadHistory(t.Context(), out, "")
		need.OK(t, err)
		v := h.Servers[0].Versions[1]
		need.Equal(t, name+": breaks", []string(nil), v.Breaks)
		need.Equal(t, name+": changed", test.changed, v.Changed)
		var moved []string
		for _, c := range h.Servers[0].Changes {
			moved = append(moved, c.Task+" "+c.Verb())
		}
		need.Equal(t, name+": what moved", test.moved, moved)
		for _, v := range h.Servers[0].Versions {
			need.Is(t, name+": tasks of "+v.Name, test.compared, v.Families[0].Tasks)
		}
	}
}

// A gate is of all servers: a rule is kept if the last two versions of each keep it. A commit that changed nothing does
// not matter.
func TestHistoryGate(t *testing.T) {
	out := t.TempDir()
	for version := range 2 {
		keep(t, out, 4, version, map[string]string{"a.test": "1"})
	}
	unused := `[{"server": "OpenChrome", "task": "gone", "from": "1.0.0", "to": "1.1.0", "commit": "21e0340"}]`
	need.Write(t, filepath.Join(out, report.ReportsDir, "changes.json"), []byte(unused))
	gate, err := compare.ParseGate("success>=0.1,success>=0.9")
	need.OK(t, err)
	h, err := ReadHistory(t.Context(), out, "")
	need.OK(t, err)
	got := judgeLast(gate, h)
	need.Equal(t, "kept", []string{"success>=0.1"}, got.Kept)
	need.Is(t, "not judged", 0, len(got.Unknown))
	need.Has(t, got.Breached[0].Figures, "OpenChrome: 6 of 8 (75.0 %) passed in the head")
	need.Equal(t, "unused", []string{"21e0340: gone of OpenChrome did not change from 1.0.0 to 1.1.0"}, h.Unused)
	need.Write(t, filepath.Join(out, report.ReportsDir, "bad.record.jsonl"), []byte("{"))
	h, err = ReadHistory(t.Context(), out, "")
	need.OK(t, err)
	need.Is(t, "kept beside a run that is left out", 0, len(judgeLast(gate, h).Kept))
}
