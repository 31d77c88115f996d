package compare_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/compare"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/text/tokens"
)

// run is a report of lines such as "a@form#1 passed 100", with what a model would have read.
func ofPolicies(t *testing.T, server, lines string) *report.Report {
	t.Helper()
	r := &report.Report{RunID: server, Adapter: "policy:all", Core: 2, Server: &record.Server{Name: server}, Profile: &record.Profile{Server: server, Digest: "sha256:1"}}
	seen := map[string]bool{}
	var all []report.Episode
	for line := range strings.Lines(lines) {
		f := strings.Split(strings.TrimSpace(line), " ")
		if len(f) < 2 {
			continue
		}
		id, n, _ := strings.Cut(f[0], "#")
		var under record.Under
		under.Of, under.Policy, _ = strings.Cut(id, "@")
		e := report.Episode{Name: f[0], TaskID: id, Under: under, Tags: []string{"core", "forms"}, Outcome: report.Outcome(strings.ReplaceAll(f[1], "_", " ")), Status: record.Failed, Reason: "the page is another one"}
		fmt.Sscan(n, &e.Repetition)
		switch e.Outcome {
		case "void":
			e.Outcome, e.Status = "", record.Inconclusive
		case report.Passed:
			e.Status = record.Passed
		}
		e.Calls = []report.Call{{Step: 0, Tool: "navigate"}, {Step: 1, Tool: "fill"}, {Step: 2, Tool: "press"}}
		if len(f) > 2 {
			var n int
			fmt.Sscan(f[2], &n)
			e.InputTokens = report.NewInputTokens(tokens.Size{Bytes: n, O200k: n, Cl100k: n})
			e.InputTokens.Call(1, tokens.Size{}, tokens.Size{Bytes: 10, O200k: 10, Cl100k: 10}, 0)
		}
		if len(f) > 3 {
			e.Calls[1].Parts = []record.Part{{Asked: "Name", Word: record.OtherElement, Untrue: true}}
		}
		if !seen[id] {
			r.Tasks = append(r.Tasks, report.Task{Task: record.Task{ID: id, Under: under, Transcript: "sha256:i"}})
			seen[id] = true
		}
		all = append(all, e)
	}
	r.Episodes = report.ListOf(all...)
	r.Totals.Planned, r.Totals.Finished = len(all), len(all)
	return r
}

func comparedPolicies(t *testing.T, base, head *report.Report) *compare.Policies {
	t.Helper()
	c := stored(t, base, head)
	return c.Policies
}

func TestPolicies(t *testing.T) {
	oc := ofPolicies(t, "oc", `
a@form#1 wrong_side_effect 100 untrue
a@form+check#1 passed 300
a@submit#1 gave_up 100
b@form#1 passed 100
b@form#2 passed 100
b@form+check#1 gave_up 300
b@submit#1 passed 100`)
	pw := ofPolicies(t, "pw", `
a@form#1 passed 200
a@form+check#1 passed 300
b@form#1 passed 200
b@form#2 wrong_result 200
b@form+check#1 no_tool_for_a_step 300`)
	c := comparedPolicies(t, oc, pw)

	matrix := c.Tables()[1]
	want := [][]string{
		{"task (base | head)", "form", "form+check"},
		{"a", "wrong side effect | passed", "passed"},
		{"b", "passed | 1 of 2 passed", "gave up | no tool for a step"},
	}
	need.Equal(t, "table", want, append([][]string{matrix.Header}, matrix.Rows...))
	separates := [][]string{{"a", "pw", "form", "step 1, fill: the last false success", "the page is another one"}}
	need.Equal(t, "separations", separates, c.Tables()[2].Rows)
	var policies []string
	for _, row := range c.Tables()[0].Rows {
		policies = append(policies, row[0]+" "+row[1])
	}
	need.Equal(t, "policies", []string{"oc form", "oc form+check", "pw form", "pw form+check", "oc, not compared submit"}, policies)
	got := strings.Join(c.Lines(), "\n")
	wantLines := `oc: 2 tasks, 2 policies: mean success of families 50.0 %, wrong side effects 25.0 %; best policy form, worst form
oc: check minus trust: success +0.0 points, wrong side effects -50.0 points; it costs +0.0 calls and ? tokens an episode
pw: 2 tasks, 2 policies: mean success of families 62.5 % (95 % interval 25.0 % to 100.0 %), wrong side effects 0.0 %; best policy form, worst form+check
pw: check minus trust: success -25.0 points, wrong side effects +0.0 points; it costs +0.0 calls and ? tokens an episode
input tokens of 2 episodes that passed on both, oc: 2 calls, read 420 (tool list 95 %), cached 526, largest answer 10
input tokens of 2 episodes that passed on both, pw: 2 calls, read 520 (tool list 96 %), cached 651, largest answer 10
who reads less, by bytes, o200k_base and cl100k_base: oc; with a prompt cache: oc
input tokens not counted, because they did not pass on both: a@form#1, b@form#2, b@form+check#1`
	need.Equal(t, "lines", wantLines, got)
}

// Which call made the difference.
func TestSeparate(t *testing.T) {
	for _, tt := range []struct {
		name, lost, call string
		edit             func(*report.Episode)
	}{
		{"an error", "a@ref#1 wrong_result 1", "step 2, press: the first error", func(e *report.Episode) { e.Calls[2].Error = true }},
		{"it has no tool", "a@ref#1 no_tool_for_a_step 1", "none: the profile lacks it", func(*report.Episode) {}},
		{"no call", "a@ref#1 wrong_result 1", "not known", func(e *report.Episode) { e.Calls = nil }},
		{"the wrong request", "a@ref#1 wrong_side_effect 1", "step 2, press: it sent the wrong request", func(e *report.Episode) {
			e.Tree = &judge.Node{Kind: "network", Verdict: judge.Fail}
			e.Missed = []record.Missed{{Kind: record.MissedValue, Step: 2, Sent: "POST /send"}}
		}},
	} {
		head := ofPolicies(t, "oc", tt.lost)
		edit(head, 0, tt.edit)
		c := comparedPolicies(t, ofPolicies(t, "pw", "a@ref#1 passed 1"), head)
		if rows := c.Tables()[2].Rows; len(rows) != 1 || rows[0][3] != tt.call || rows[0][1] != "pw" {
			t.Errorf("%s: %v, want %s", tt.name, rows, tt.call)
		}
	}
}

// Void episodes separate nothing, and have no input tokens.
func TestVoidPolicies(t *testing.T) {
	c := comparedPolicies(t, ofPolicies(t, "oc", "a@ref#1 void 1"), ofPolicies(t, "pw", "a@ref#1 passed 1"))
	tables := c.Tables()
	if len(tables[2].Rows) > 0 || tables[1].Rows[0][1] != "void | passed" {
		t.Errorf("%+v", tables)
	}
	need.Has(t, strings.Join(c.Lines(), "\n"), "input tokens: no episode passed on both sides")
}

// An agent stands beside policies over the tasks that both runs have, and in no mean with them.
func TestBeside(t *testing.T) {
	const lines = "a@form#1 passed 1\na@ref#1 wrong_side_effect 1\nb@form#1 passed 1"
	for _, tt := range []struct {
		name, refused string
		edit          func(agent *report.Report)
	}{
		{"the same server", "", func(*report.Report) {}},
		{"another server", "the server differs", func(agent *report.Report) { agent.Server.Name = "pw" }},
		{"another seed", "-seed", func(agent *report.Report) { agent.Seed = 1 }},
		{"another goal", "task a: goal", func(agent *report.Report) { agent.Tasks[0].Goal = "Something else" }},
		{"no agent", "", func(agent *report.Report) { agent.Agent = nil }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			policies, agent := ofPolicies(t, "oc", lines), ofPolicies(t, "oc", "a#1 void\nc#1 void")
			agent.Agent, agent.Profile, agent.Adapter = &record.PlannedAgent{Name: "mind"}, nil, "agent:mind"
			e := agent.Episodes.At(0)
			e.Status, e.Cause = record.Failed, record.CauseContract
			agent.Episodes.Set(0, e)
			tt.edit(agent)
			for _, sides := range [][2]*report.Report{{policies, agent}, {agent, policies}} {
				rows, err := compare.Beside(sides[0], sides[1], "base", "head")
				switch {
				case tt.refused != "":
					need.Fails(t, err, tt.refused)
					continue
				case err != nil || (rows == nil) != (agent.Agent == nil):
					t.Fatal(rows, err)
				case rows == nil:
					continue
				}
				var got []string
				for _, table := range rows.Tables {
					for _, row := range table.Rows {
						got = append(got, strings.Join(row[:4], ", "))
					}
				}
				want := []string{"agent mind, 1, 0.0 %, 0.0 %", "form, 1, 100.0 %, 0.0 %", "ref, 1, 0.0 %, 100.0 %", "a, wrong result, passed, wrong side effect"}
				need.Equal(t, "rows", want, got)
			}
		})
	}
}
