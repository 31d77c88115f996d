package compare_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/compare"
	"github.com/openchrome/bench/harness/internal/tell/report"
)

func TestRefusal(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*report.Report)
		want   string
	}{
		{"titles and tags", func(r *report.Report) { r.Tasks[0].Title, r.Tasks[0].Tags = "x", []string{"y"} }, ""},
		{"adapter", func(r *report.Report) { r.Adapter = "mock" }, "-adapter: llm in the base, mock in the head"},
		{"seed", func(r *report.Report) { r.Seed, r.Tasks[0].Goal = 1, "g" }, "-seed: 0 in the base, 1 in the head"},
		{"revisions of all tasks", func(r *report.Report) { r.Tasks[0].Revision, r.Tasks[1].Revision = 2, 3 },
			"the base has no episode; the head has no episode; " +
				"task task-000 is left out: revision 0 in the base, 2 in the head; task task-001 is left out: revision 0 in the base, 3 in the head"},
		{"drift", func(r *report.Report) { r.Drift = record.DriftCount }, "-drift: none in the base, count in the head"},
		{"web", func(r *report.Report) { r.Web = record.Web{Mode: "live", Digest: "d"} },
			"-web: none in the base, live in the head; content of the fixture web: none in the base, d in the head; " +
				"run the older one again on these pages"},
		{"normaliser", func(r *report.Report) { r.Normaliser = 2 }, "version of the normaliser: 1 in the base, 2 in the head"},
		{"a task more", func(r *report.Report) { r.Tasks = append(r.Tasks, report.Task{Task: record.Task{ID: "x"}}) }, ""},
		{"a task less", func(r *report.Report) { r.Tasks = r.Tasks[:1] }, ""},
		{"goal", func(r *report.Report) { r.Tasks[0].Goal = "g" }, "task task-000: goal: none in the base, g in the head"},
		{"start URL", func(r *report.Report) { r.Tasks[0].StartURL = "u" }, "task task-000: start URL: none in the base, u in the head"},
		{"caps", func(r *report.Report) { r.Tasks[0].MaxSteps, r.Tasks[0].MaxDurationMs = 1, 2 },
			"task task-000: step cap: 0 in the base, 1 in the head; task task-000: time cap in ms: 0 in the base, 2 in the head"},
		{"transcript", func(r *report.Report) { r.Tasks[0].Transcript = "t" }, "task task-000: transcript: none in the base, t in the head"},
		{"transcript of a known defect", func(r *report.Report) {
			r.Tasks[0].Transcript = "t"
			each(r, "task-000", knownDefect)
		}, ""},
		{
			"transcript of a known defect among others", func(r *report.Report) {
				r.Tasks[0].Transcript = "t"
				edit(r, 0, knownDefect)
			},
			"task task-000: transcript: none in the base, t in the head",
		},
		{
			"transcript of another server", func(r *report.Report) {
				r.Tasks[0].Transcript, r.Server = "t", &record.Server{Name: "other"}
			}, "",
		},
		{"contract", func(r *report.Report) { r.Tasks[1].Contract = json.RawMessage(`{"kind": "url"}`) },
			`task task-001: contract: /kind is (absent) in the base, "url" in the head`},
		{"contract, written in another way", func(r *report.Report) { r.Tasks[1].Contract = json.RawMessage(`{ }`) }, ""},
		{"content", func(r *report.Report) { r.Tasks[0].Content = "c" },
			"task task-000: its content differs, although both have revision 0; raise the revision of the later one"},
		{"content and what shows in the report", func(r *report.Report) { r.Tasks[0].Content, r.Tasks[0].Goal = "c", "g" }, "task task-000: goal: none in the base, g in the head"},
		{"not whole", func(r *report.Report) { r.Totals.Planned++ },
			"the head is not whole: NOT FINISHED: 0 passed, 0 failed, 0 void of 5, 0 interrupted, 1 not run"},
	} {
		base, head := steady(2), steady(2)
		base.Tasks[0].Content, head.Tasks[0].Content = "b", "b"
		test.change(head)
		need.Is(t, test.name, test.want, reasons(base, head))
	}
}

// reasons are why two runs cannot be compared; empty: they can.
func reasons(base, head *report.Report) string {
	_, err := compare.Compare(base, head, compare.Options{})
	if refusal, ok := errors.AsType[*compare.Refusal](err); ok {
		return strings.Join(refusal.Reasons, "; ")
	}
	return ""
}

// Another agent or another server can be compared, not both. Runs of policies are compared over the policies
// that both have.
func TestRefusalOfAdapters(t *testing.T) {
	agent := func(name, server string) *report.Report { return ofAgent(name, server, record.Passed) }
	const lines = "a@form#1 1 passed\na@ref#1 1 wrong side effect"
	policies := func(lines string, change func(*report.Report)) *report.Report {
		r := ofPolicies("oc", lines)
		change(r)
		return r
	}
	base := policies(lines, func(*report.Report) {})
	begun := steady(2)
	begun.Episodes = begun.Episodes.Where(func(e *report.Episode) bool { return e.TaskID != "task-001" })
	begun.Totals.Finished--
	for _, test := range []struct {
		name       string
		base, head *report.Report
		want       string
	}{
		{"a task that has only begun", begun, steady(2),
			"the base is not whole: NOT FINISHED: 0 passed, 0 failed, 0 void of 4, 0 interrupted, 1 not run"},
		{"the same agent", agent("x", "s"), agent("x", "s"), ""},
		{"another agent", agent("x", "s"), agent("y", "s"), ""},
		{"an agent on another server", agent("x", "s"), agent("x", "t"), ""},
		{"another agent on another server", agent("x", "s"), agent("y", "t"),
			"the server differs, and so does the agent: the agent's name: x and y; compare runs that differ in one of the two"},
		{"an agent and a script", steady(1), agent("x", "s"), "-adapter: llm in the base, agent:x in the head"},
		{"the same policies", base, base, ""},
		{"other policies too", base, policies(lines+"\na@type#1 1 passed", func(r *report.Report) { r.Adapter = "policy:form,ref,type" }), ""},
		{"policies and an adapter", base, policies(lines, func(r *report.Report) { r.Adapter, r.Profile = "agent", nil }),
			"-adapter: policy:all in the base, agent in the head"},
		{"another profile", base, policies(lines, func(r *report.Report) { r.Profile.Digest = "sha256:2" }),
			"profile of oc: sha256:1 in the base, sha256:2 in the head"},
		{"policies on another server", base, policies(lines, func(r *report.Report) {
			r.Profile.Server, r.Profile.Digest, r.Server.Name = "pw", "sha256:2", "pw"
		}), ""},
		{"other intents", base, policies(lines, func(r *report.Report) { r.Server.Name, r.Tasks[0].Transcript = "pw", "sha256:j" }),
			"task a@form: transcript: sha256:i in the base, sha256:j in the head"},
	} {
		need.Is(t, test.name, test.want, reasons(test.base, test.head))
	}
}

// Only hosts that a task of both runs lists or asked for count, and only for that task. Of a host that only one run
// names, nothing is known.
func TestChangedPages(t *testing.T) {
	for _, test := range []struct {
		name      string
		base      map[string]string
		hosts     [2]string // that the first task asked for, in the base and in the head
		note, why string
	}{
		{"equal", map[string]string{"a.test": "1", "b.test": "1"}, [2]string{"a.test", "b.test"}, "", ""},
		{"another host", map[string]string{"a.test": "1"}, [2]string{"a.test", "a.test"}, "", ""},
		{"asked in the base", map[string]string{"a.test": "1", "b.test": "2"}, [2]string{"b.test", "a.test"},
			"left out 1 task, because pages of b.test changed: task-000", ""},
		{"new, and asked in the head", map[string]string{"a.test": "2"}, [2]string{"a.test", "b.test"},
			"left out 1 task, because pages of a.test changed: task-000", ""},
		{"in neither", map[string]string{"a.test": "1"}, [2]string{"c.test", "c.test"}, "", ""},
		{"an older report", nil, [2]string{"a.test", "a.test"}, "", "content of the fixture web: 1 in the base, 2 in the head; " +
			"run the older one again on these pages"},
	} {
		base, head := steady(2), steady(2)
		base.Web = record.Web{Digest: "1", Hosts: test.base}
		head.Web = record.Web{Digest: "2", Hosts: map[string]string{"a.test": "1", "b.test": "1"}}
		base.Tasks[0].Hosts, head.Tasks[0].Hosts = []string{test.hosts[0]}, []string{test.hosts[1]}
		need.Is(t, test.name, test.why, reasons(base, head))
		if test.why == "" {
			c := inTurns(t, base, head)
			need.Is(t, test.name, test.note, strings.Join(c.Notes, "; "))
			need.Is(t, test.name+": tasks", test.note == "", len(c.Tasks) == 2)
		}
	}
}

// Another confinement is a note and no refusal: it does not change what a server does. Results of different
// revisions are never paired, and count nowhere.
func TestNotes(t *testing.T) {
	base, head := steady(10), steady(10)
	base.Server, head.Server = &record.Server{Name: "s", Confinement: "Landlock 7"}, &record.Server{Name: "s", Confinement: "none"}
	head.Tasks[1].Revision, head.Tasks[1].Goal = 2, "another"
	each(head, "task-001", func(e *report.Episode) { e.Status = record.Failed })
	c := inTurns(t, base, head)
	if c.Finding != compare.NoDifference || len(c.Tasks) != 1 || c.Pairs != 10 || c.Head.Passed != 10 || c.Head.Lost != 0 {
		t.Errorf("%s: %d tasks, %d pairs, %+v", c.Sentence, len(c.Tasks), c.Pairs, c.Head.Counts)
	}
	want := []string{
		"task task-001 is left out: revision 0 in the base, 2 in the head", "the confinement differs: \"Landlock 7\" in the base, \"none\" in the head",
	}
	need.Equal(t, "notes", want, c.Notes)
}

// A run has a profile also by -profile, without a policy: then its adapter must be the same.
func TestAdaptersWithAProfile(t *testing.T) {
	base, head := steady(2), steady(2)
	for _, r := range []*report.Report{base, head} {
		r.Profile = &record.Profile{Server: "s", Digest: "d"}
	}
	head.Adapter = "mock"
	need.Is(t, "reasons", "-adapter: llm in the base, mock in the head", reasons(base, head))
}
