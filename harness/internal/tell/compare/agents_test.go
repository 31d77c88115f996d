package compare

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/report"
)

// agents returns simulated outcomes of two agents on 90 tasks, of which 45 % pass nearly always
// and 25 % nearly never. The mean rate of the head is lower by drop: the others fall by more.
func agents(random *rand.Rand, n int, drop float64) *Comparison {
	c := &Comparison{Tasks: make([]Task, 90), NoTokens: "not simulated", Interleaved: true, Agents: true}
	for i := range c.Tasks {
		rate := 0.97
		switch {
		case i >= 68:
			rate = 0.03
		case i >= 41:
			rate = 0.15 + 0.7*float64(i-41)/26
		}
		fall := drop * 90 / 68
		if i >= 68 {
			fall = 0
		}
		t := &c.Tasks[i]
		for k, side := range []*Counts{&t.Base.Counts, &t.Head.Counts} {
			for range n {
				if random.Float64() < rate-fall*float64(k) {
					side.Passed++
				}
			}
			side.Lost = n - side.Passed
		}
		c.Base.Passed, c.Head.Passed = c.Base.Passed+t.Base.Passed, c.Head.Passed+t.Head.Passed
	}
	c.Counted = 90 * n
	c.reversals()
	c.success()
	return c
}

// Equal agents are rarely called better or worse, however few the repetitions are, and a drop of
// ten points is found at three.
func TestSimulatedAgents(t *testing.T) {
	for _, n := range []int{1, 2, 3, 5} {
		random := rand.New(rand.NewPCG(27, uint64(n)))
		alarms, found := 0, 0
		const runs = 200
		for range runs {
			if agents(random, n, 0).shown() != "" {
				alarms++
			}
			if agents(random, n, 0.1).shown() == Worse {
				found++
			}
		}
		t.Logf("%d repetitions: equal agents differ in %d, a drop of ten points is found in %d of %d", n, alarms, found, runs)
		if alarms > runs*5/100 || n == 3 && found < runs*85/100 {
			t.Errorf("%d repetitions: equal agents differ in %d, a drop of ten points is found in %d of %d", n, alarms, found, runs)
		}
	}
}

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
		if tt.name == "another agent" && (c == nil || cmp.Diff([]string{"the agent's name: x and y"}, c.Notes) != "") {
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
