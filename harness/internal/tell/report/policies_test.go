package report_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/policy"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/text/tokens"
)

// policies is a log of one task under four policies.
func policies(t *testing.T) *script {
	s := newScript("r", 5)
	start := s.events[0].Body.(*record.RunStart)
	start.Adapter, start.CoreTasks = "policy:all", 1
	start.Profile = &record.Profile{Server: "openchrome", Digest: "sha256:1", Reviewer: "not reviewed"}
	for _, p := range []struct {
		id     string
		end    record.End
		status record.Status
		wrong  string
	}{
		{"a@form#1", record.EndDone, record.Failed, "a wrong act: POST /delete"},
		{"a@form+check#1", record.EndDone, record.Passed, ""},
		{"a@ref#1", record.EndGaveUp, record.Failed, ""},
		{"a@submit#1", record.EndNoTool, record.Failed, ""},
		{"a@type#1", record.EndNoSession, record.Inconclusive, ""},
	} {
		id, _, _ := strings.Cut(p.id, "#")
		of, name, _ := strings.Cut(id, "@")
		s.add(p.id, "", &record.Reset{
			Task:       record.Task{ID: id, Under: record.Under{Of: of, Policy: name}, Tags: []string{"smoke", "forms"}},
			Repetition: 1, ToolSize: &tokens.Size{Bytes: 1000, O200k: 300, Cl100k: 310},
		})
		s.call(p.id, 0, "navigate", `{}`, "Opened", false)
		s.call(p.id, 1, "fill_form", `{"a":1}`, "Filled 1 field", false)
		verdict := map[bool]judge.Verdict{true: judge.Pass, false: judge.Fail}[p.status == record.Passed]
		eval := &record.ContractEval{Judgement: judge.Judgement{Verdict: verdict}}
		if p.wrong != "" {
			eval.WrongSideEffects = []string{p.wrong}
		}
		s.add(p.id, "", eval)
		s.add(p.id, "", &record.Stop{Status: p.status, End: p.end, Steps: 1, Looked: 3, Found: 2, Success: json.RawMessage(success)})
	}
	s.end()
	return s
}

func TestPolicies(t *testing.T) {
	r := policies(t).report(t)
	got := map[string]policy.Outcome{}
	for _, e := range r.Episodes.All() {
		got[e.Name] = e.Outcome
	}
	want := map[string]policy.Outcome{"a@form#1": policy.WrongSideEffect, "a@form+check#1": policy.Passed, "a@ref#1": policy.GaveUp, "a@submit#1": policy.NoTool, "a@type#1": ""}
	need.Equal(t, "outcomes", want, got)
	f := r.Figures.Policies
	need.Equal(t, "figures", "no single figure: no episode counts of a@type; left out void episodes: a@type#1", strings.Join(f.Lines(), "; "))
	sent := tokens.SizeOf("navigate").Plus(tokens.SizeOf("{}")).Plus(tokens.SizeOf("Opened"))
	read := r.Episodes.At(0).InputTokens.Tools.Plus(sent)
	all := read.Plus(tokens.SizeOf("fill_form")).Plus(tokens.SizeOf(`{"a":1}`)).Plus(tokens.SizeOf("Filled 1 field")).Plus(read)
	if b := r.Episodes.At(0).InputTokens; b.Read != all || b.Calls != 1 || f.Rows[0].Looked != 3 || f.Rows[0].Found != 2 {
		t.Errorf("input tokens %+v, want %+v read", *b, all)
	}

	longer := policies(t)
	for _, e := range longer.events {
		if b, ok := e.Body.(*record.Reset); ok {
			b.ToolSize = &tokens.Size{Bytes: 1001, O200k: 301, Cl100k: 311}
		}
	}
	need.Is(t, "the length of the list of tools changes the digest", r.Digest, longer.report(t).Digest)

	var b bytes.Buffer
	report.Canonical(&b, r)
	for text, want := range map[string]bool{`"outcome": "gave up"`: true, `"policy": "form+check"`: true, `"reviewer"`: true, `"bill"`: false} {
		if strings.Contains(b.String(), text) != want {
			t.Errorf("canonical report: %s is there: %t, want %t\n%s", text, !want, want, b.String())
		}
	}
}
