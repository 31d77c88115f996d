package compare

import (
	"errors"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/report"
)

// run is a run of an agent whose only task has these outcomes.
func run(agent, server string, statuses ...record.Status) *report.Report {
	r := &report.Report{
		RunID: agent + server, Adapter: "agent:" + agent, Agent: &record.PlannedAgent{Name: agent, Confinement: "none"},
		Server: &record.Server{Name: server, Version: "1"}, Tasks: []report.Task{{Task: record.Task{ID: "a"}}},
	}
	for i, s := range statuses {
		e := report.Episode{Name: record.EpisodeName("a", i+1), TaskID: "a", Repetition: i + 1, Status: s, Success: s == record.Passed, AgentSaid: &report.AgentSaid{Agent: record.Agent{Agent: adapter.Agent{}}}}
		r.Episodes.Add(e)
	}
	r.Totals.Planned, r.Totals.Finished = len(statuses), len(statuses)
	return r
}

const (
	pass, fail    = record.Passed, record.Failed
	broken, outed = record.AdapterError, record.Inconclusive
)

// Another agent or another server can be compared, not both.
func TestAgentOrServer(t *testing.T) {
	mock := run("x", "s", pass)
	mock.Adapter, mock.Agent = "mock", nil
	for _, tt := range []struct {
		name       string
		base, head *report.Report
		want       string
	}{
		{"the same", run("x", "s", pass), run("x", "s", pass), ""},
		{"another agent", run("x", "s", pass), run("y", "s", pass), ""},
		{"another server", run("x", "s", pass), run("x", "t", pass), ""},
		{"both", run("x", "s", pass), run("y", "t", pass), "the server differs, and so does the agent: the agent's name: x and y; compare runs that differ in one of the two"},
		{"an agent and the mock adapter", mock, run("x", "s", pass), "-adapter: mock in the base, agent:x in the head"},
	} {
		c, err := Compare(tt.base, tt.head, Options{})
		refusal, _ := errors.AsType[*Refusal](err)
		got := ""
		if refusal != nil {
			got = strings.Join(refusal.Reasons, "; ")
		}
		if got != tt.want {
			t.Errorf("%s: got %q, %v", tt.name, got, err)
		}
		if tt.name == "another agent" && (c == nil || c.Notes[0] != "the agent's name: x and y") {
			t.Errorf("%s: %+v", tt.name, c)
		}
	}
}

// For agents no regression is a fact, an agent's own failure is no pass, and an outage is left out.
func TestReversalsOfAgents(t *testing.T) {
	base := run("x", "s", pass, pass, pass, pass)
	c, err := Compare(base, run("y", "s", fail, fail, broken, outed), Options{})
	need.OK(t, err)
	if c.Head.Lost != 3 || c.Head.Void != 1 || c.Tasks[0].Reversal != NoReversal || c.Finding == Worse || !strings.Contains(c.Sentence, "may be chance") {
		t.Errorf("%+v, reversal %q: %s", c.Head.Counts, c.Tasks[0].Reversal, c.Sentence)
	}
	gate, err := ParseGate("regressions==0")
	need.OK(t, err)
	if result := gate.Judge(c); len(result.Breached) != 0 || len(result.Unknown) != 1 || !strings.Contains(result.Unknown[0].Figures, "a regression is no fact") {
		t.Errorf("the gate says %+v", result)
	}
	// In turns the tests say so, without a regression.
	eight := func(s record.Status) []record.Status { return []record.Status{s, s, s, s, s, s, s, s} }
	c, err = Compare(run("x", "s", eight(pass)...), run("y", "s", eight(fail)...), Options{Interleaved: true})
	if err != nil || c.Finding != Worse || c.Tasks[0].Reversal != NoReversal {
		t.Errorf("in turns: %v, %+v", err, c)
	}
}
