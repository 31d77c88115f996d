package format

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/report"
)

// core is a run of n tasks under two policies. Every fourth episode fails with a false success.
func core(n int) *report.Report {
	r := &report.Report{
		RunID: "nightly", Adapter: "policy:form,ref", Core: n, Rules: 2, Normaliser: 4,
		Server:  &record.Server{Name: "openchrome", Version: "1.7.15", Launcher: "local", Facts: record.FactsObserver},
		Package: &record.Package{Version: "1.7.15", Commit: strings.Repeat("a", 40), Describe: "v1.7.15", Date: "2026-07-01T10:00:00Z"},
		Web:     record.Web{Mode: "hermetic", Digest: "sha256:" + strings.Repeat("b", 64)},
	}
	for i := range n {
		for k, policy := range []string{"form", "ref"} {
			of := fmt.Sprintf("forms-long-name-%03d", i)
			under := record.Under{Of: of, Policy: policy}
			task := record.Task{ID: record.PolicyID(of, policy), Under: under, Category: "forms", Tags: []string{"forms", "core"}, Revision: 3}
			task.Transcript = fmt.Sprintf("sha256:%064x", i)
			r.Tasks = append(r.Tasks, report.Task{Task: task, Content: fmt.Sprintf("hmac-sha256:%064x", 2*i+k),
				Hosts: []string{"stanmere-library.test"}})
			e := report.Episode{
				Name: task.ID + "#1", RunID: r.RunID, TaskID: task.ID, Under: under, Repetition: 1, Category: task.Category,
				Tags: task.Tags, Status: record.Passed, Success: true, Outcome: report.Passed, Steps: 12, ToolCalls: 13, DurationMs: 12345,
				InputTokens: &report.InputTokens{}, Calls: []report.Call{{Step: 1, Tool: "fill_form", ArgTokens: 100, AnswerTokens: 2000,
					Parts: []record.Part{{Word: record.AsAsked}}}},
			}
			e.InputTokens.Read.O200k = 45678
			if i%2 == 0 && policy == "ref" {
				e.Status, e.Success, e.Outcome, e.Cause = record.Failed, false, report.WrongSideEffect, record.CauseContract
				e.WrongSideEffects = []string{"the order was placed twice"}
				e.Calls[0].Parts = []record.Part{{Word: record.OtherValue, Untrue: true}}
			}
			r.Episodes.Add(e)
		}
	}
	if err := r.AddUp(2*n, 0); err != nil {
		panic(err)
	}
	return r
}

func written(t testing.TB, r *report.Report) []byte {
	t.Helper()
	var b bytes.Buffer
	need.OK(t, Record(&b, r))
	return b.Bytes()
}

// A record says of a run what comparisons count, and a record of it is the same.
func TestRecord(t *testing.T) {
	r := core(100)
	raw := written(t, r)
	if len(raw) > 60_000 {
		t.Errorf("the record of a run of 200 episodes has %d bytes", len(raw))
	}
	name := filepath.Join(t.TempDir(), "r"+RecordExt)
	need.Write(t, name, raw)
	read, err := ReadRecord(name)
	need.OK(t, err)
	need.Equal(t, "record of the record", string(raw), string(written(t, read)))
	need.Equal(t, "hosts", r.Tasks[0].Hosts, read.Tasks[0].Hosts)
	need.Equal(t, "totals", r.Totals.Counts, read.Totals.Counts)
	need.Equal(t, "headline", *r.Figures.Policies.Headline, *read.Figures.Policies.Headline)
	e := read.Episodes.At(1)
	need.Equal(t, "untrue", []report.Untrue{{Tool: "fill_form", Word: "false success: other value", N: 1, Step: 1}}, e.Kept.Untrue)
	need.Equal(t, "tokens", 2100, e.Tokens())
}

func TestRecordIsRefused(t *testing.T) {
	raw := string(written(t, core(1)))
	head, rest, _ := strings.Cut(raw, "\n")
	var families strings.Builder
	for i := range 101 {
		fmt.Fprintf(&families, `{"id":"t%d","family":"f%[1]d","digests":{}},`, i)
	}
	twice := regexp.MustCompile(`"tasks":\[(.*?\})(,\{"id"|\])`)
	for _, test := range []struct{ name, raw, want string }{
		{"a key that is not known", head + "\n" + strings.Replace(rest, `"steps"`, `"stapes"`, 1), `2:89: "/stapes" is not in the form of a record`},
		{"a key twice", head + "\n" + strings.Replace(rest, `"steps":12`, `"calls":12`, 1), "2:100: "},
		{"no JSON", head + "\n{", "2:2: "},
		{"nothing", "", "1: it is not a record of form 1"},
		{"a later form", strings.Replace(raw, `"record":1`, `"record":2`, 1), "1: it is not a record of form 1"},
		{"an episode twice", head + "\n" + rest[:strings.Index(rest, "\n")+1] + rest, `3: "forms-long-name-000@form#1" occurs twice`},
		{"an episode of no task", strings.Replace(raw, `"task":"forms-long-name-000"`, `"task":"x"`, 1), `episode "x@form#1": its task is not in tasks`},
		{"a policy in the id alone", strings.Replace(raw, `"id":"forms-long-name-000"`, `"id":"x@form"`, 1), `tasks: task is "x@form@form"`},
		{"a task twice", twice.ReplaceAllString(raw, `"tasks":[$1,$1$2`), "occurs twice"},
		{"a status that is none", strings.Replace(raw, `"status":"passed"`, `"status":"good"`, 1), `there is no status "good"`},
		{"what a record leaves out", strings.Replace(raw, `"record":1`, `"record":1,"figures":[1]`, 1), `1:23: "/figures" is not in the form of a record`},
		{"too many families", strings.Replace(raw, `"tasks":[`, `"tasks":[`+families.String(), 1), "1: it has more than 100 families of tasks"},
		{"fewer than none planned", strings.Replace(raw, `"planned":`, `"planned":-`, 1), "1: totals has a number that cannot be"},
	} {
		if _, err := parseRecord([]byte(test.raw)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %s", test.name, err, test.want)
		}
	}
	for _, impossible := range []string{
		`"steps":-1`, `"steps":12,"drifts":-1`, `"steps":12,"drifts":101`, `"steps":12,"unreported":-5`, `"steps":12,"repetition":-1`,
		`"steps":12,"untrue":[{"tool":"t","word":"w","n":0,"step":1}]`,
	} {
		_, err := parseRecord([]byte(strings.Replace(raw, `"steps":12`, impossible, 1)))
		need.Fails(t, err, `2: "forms-long-name-000" has a number that cannot be`)
	}
	if _, err := ReadRecord(filepath.Join(t.TempDir(), "none")); !os.IsNotExist(err) && err == nil {
		t.Error("a file that is not there was read")
	}
}

// What is read as a record can be written as one, and is then the same.
func FuzzRecord(f *testing.F) {
	f.Add(string(written(f, core(2))))
	f.Add(`{"record":1}`)
	f.Fuzz(func(t *testing.T, raw string) {
		r, err := parseRecord([]byte(raw))
		if err != nil {
			return
		}
		once := written(t, r)
		again, err := parseRecord(once)
		if err != nil {
			t.Fatalf("%v in\n%s", err, once)
		}
		need.Equal(t, "record", string(once), string(written(t, again)))
	})
}
