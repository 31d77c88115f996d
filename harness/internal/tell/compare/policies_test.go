package compare_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/text/tokens"
)

// ofPolicies is a report of lines such as "a@form#1 100 passed", with what a model would have read.
func ofPolicies(server, lines string) *report.Report {
	r := &report.Report{
		RunID: server, Adapter: "policy:all", Core: 2, Server: &record.Server{Name: server},
		Profile: &record.Profile{Server: server, Digest: "sha256:1"},
	}
	for line := range strings.Lines(lines) {
		var name string
		var read int
		fmt.Sscan(line, &name, &read)
		e := report.Episode{Name: name, Tags: []string{"core", "forms"}, Status: record.Failed, Reason: "the page is another one"}
		id, number, _ := strings.Cut(name, "#")
		e.TaskID, e.Repetition = id, int(number[0]-'0')
		e.Of, e.Policy, _ = strings.Cut(id, "@")
		switch _, outcome, _ := strings.Cut(strings.TrimSpace(line), fmt.Sprint(" ", read, " ")); outcome {
		case "void":
			e.Status = record.Inconclusive
		case "passed":
			e.Outcome, e.Status = report.Passed, record.Passed
		default:
			e.Outcome = report.Outcome(outcome)
		}
		e.Calls = []report.Call{{Step: 0, Tool: "navigate"}, {Step: 1, Tool: "fill"}, {Step: 2, Tool: "press"}}
		e.InputTokens = report.NewInputTokens(tokens.Size{Bytes: read, O200k: read})
		e.InputTokens.Call(1, tokens.Size{}, tokens.Size{Bytes: 10, O200k: 10}, 0)
		if n := len(r.Tasks); n == 0 || r.Tasks[n-1].ID != id {
			r.Tasks = append(r.Tasks, report.Task{Task: record.Task{ID: id, Under: e.Under, Transcript: "sha256:i"}})
		}
		r.Episodes.Add(e)
	}
	r.Totals.Planned, r.Totals.Finished = r.Episodes.Len(), r.Episodes.Len()
	return r
}

func TestPolicies(t *testing.T) {
	oc := ofPolicies("oc", `a@form#1 100 wrong side effect
a@form+check#1 300 passed
a@submit#1 100 gave up
b@form#1 100 passed
b@form#2 100 passed
b@form+check#1 300 gave up
b@submit#1 100 passed`)
	edit(oc, 0, func(e *report.Episode) {
		e.Calls[1].Parts = []record.Part{{Asked: "Name", Word: record.OtherElement, Untrue: true}}
	})
	pw := ofPolicies("pw", `a@form#1 200 passed
a@form+check#1 300 passed
b@form#1 200 passed
b@form#2 200 wrong result
b@form+check#1 300 no tool for a step`)
	both := stored(t, oc, pw)
	need.Is(t, "first line", "oc passed 3 of 5, pw 3 of 5 (2 runs each); only oc: 0; oc more often: 1; only pw: 0; pw more "+
		"often: 1; wrong side effects: 0 and 0; sign test p = 1, so it may be chance", both.Sentence)
	var grid []string
	for _, row := range both.Grid.Rows {
		grid = append(grid, fmt.Sprint(row.ID, ": ", row.Cells[0].Episode.Outcome, " ", row.Cells[0].Passed, " | ",
			row.Cells[1].Episode.Outcome, " ", row.Cells[1].Passed))
	}
	need.Equal(t, "grid", []string{
		"a@form: wrong side effect 0 | passed 1", "b@form: passed 2 | wrong result 1", "b@form+check: gave up 0 | no tool for a step 0",
	}, grid)
	need.Equal(t, "ended alike", []string{"a@form+check"}, both.Grid.Alike)
	c := both.Policies
	var policies []string
	for _, row := range c.Table().Rows {
		policies = append(policies, row[0]+" "+row[1])
	}
	need.Equal(t, "policies", []string{"oc form", "oc form+check", "pw form", "pw form+check"}, policies)
	got := strings.Join(c.Lines(), "\n")
	wantLines := `oc: 2 core tasks (list 911169dd), 2 policies: success 50.0 %, wrong side effects 25.0 %; best policy form, worst form
oc: check minus trust: success +0.0 points, wrong side effects -50.0 points; it costs +0.0 calls and +0 tokens an episode
pw: 2 core tasks (list 911169dd), 2 policies: success 62.5 %, wrong side effects 0.0 %; best policy form, worst form+check
pw: check minus trust: success -25.0 points, wrong side effects +0.0 points; it costs +0.0 calls and +0 tokens an episode
input tokens of 2 episodes that passed on both, oc: 2 calls, read 420 (tool list 95 %), cached 526, largest answer 10
input tokens of 2 episodes that passed on both, pw: 2 calls, read 520 (tool list 96 %), cached 651, largest answer 10
who reads less, by bytes and o200k_base: oc; with a prompt cache: oc`
	need.Equal(t, "lines", wantLines, got)
}

// Void episodes have no input tokens.
func TestVoidPolicies(t *testing.T) {
	c := stored(t, ofPolicies("oc", "a@ref#1 1 void"), ofPolicies("pw", "a@ref#1 1 passed")).Policies
	need.Has(t, strings.Join(c.Lines(), "\n"), "input tokens: no episode passed on both sides")
}
