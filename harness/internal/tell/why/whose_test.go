package why_test

import (
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/tell/why"
)

// fills is a failed episode of a policy: step 1 fills Town, step 2 fills Street, and step 3 sends an empty Town.
func fills() *report.Episode {
	field := func(name string) *record.Element {
		return &record.Element{Role: "textbox", Name: name, Field: strings.ToLower(name)}
	}
	part := func(name, value string) []record.Part {
		return []record.Part{{Asked: name, Value: value, Word: record.AsAsked, Hit: field(name)}}
	}
	return &report.Episode{
		Name: "a@form#1", Under: record.Under{Of: "a", Policy: "form"}, Status: record.Failed, Cause: record.CauseContract, ToolCalls: 3,
		Tree: &judge.Node{Kind: "network", Verdict: judge.Fail},
		Missed: []record.Missed{{Kind: record.MissedValue, Sent: "POST /a", Step: 3, Unmet: []record.Unmet{
			{Of: "field", Name: "town", Wanted: `"Bern"`, Value: "Bern", Shown: field("Town")},
		}}},
		Calls: []report.Call{
			{Step: 1, Tool: "fill", Parts: part("Town", "Bern")},
			{Step: 2, Tool: "fill", Parts: part("Street", "Dairy Court")},
			{Step: 3, Tool: "click", Parts: []record.Part{{Asked: "Send", Word: record.AsAsked}}},
		},
	}
}

func TestWhose(t *testing.T) {
	untrue := func(p *record.Part) { p.Word, p.Untrue = record.Nothing, true }
	unsent := func(e *report.Episode) { e.Missed[0] = record.Missed{Kind: record.MissedUnsent, Wanted: "POST /a"} }
	for _, tt := range []struct {
		name string
		edit func(e *report.Episode, town, street, send *record.Part)
		want string // whose, and the step
	}{
		{"false success", func(_ *report.Episode, town, _, _ *record.Part) { untrue(town) }, "server 1"},
		{"false success of a field that the check does not need", func(_ *report.Episode, _, street, _ *record.Part) { untrue(street) }, "whose is not known 3"},
		{"false success of another field of the name", func(e *report.Episode, town, _, _ *record.Part) {
			untrue(town)
			town.Hit.Field, town.Hit.Nth, town.Hit.Of = "firm", 1, 2
			e.Missed[0].Unmet[0].Shown.Nth, e.Missed[0].Unmet[0].Shown.Of = 2, 2
		}, "policy 1"},
		{"false success, and a later call did it", func(e *report.Episode, town, _, send *record.Part) {
			unsent(e)
			untrue(town)
			again := *send
			again.Asked, again.Value = town.Asked, town.Value
			e.Calls[2].Parts = []record.Part{again}
		}, "whose is not known 1"},
		{"a field before the press that hit nothing", func(e *report.Episode, town, _, send *record.Part) {
			unsent(e)
			untrue(town)
			untrue(send)
		}, "server 1"},
		{"a field before a changed answer", func(e *report.Episode, town, _, _ *record.Part) {
			untrue(town)
			e.Cause, e.ChangedAnswers = record.CauseChangedAnswer, []report.ChangedAnswer{{Step: 2}}
		}, "server 1"},
		{"a press before a changed answer", func(e *report.Episode, _, street, _ *record.Part) {
			unsent(e)
			untrue(street)
			e.Cause, e.ChangedAnswers = record.CauseChangedAnswer, []report.ChangedAnswer{{Step: 3}}
		}, "server 2"},
		{"the answer lists what failed", func(e *report.Episode, town, _, _ *record.Part) {
			town.Word, e.Calls[0].Partial = record.Refused, `Errors: "Town"`
		}, "policy 1"},
		{"the answer lists what failed, and the call sent the request", func(e *report.Episode, town, _, _ *record.Part) {
			town.Word, e.Missed[0].Step = record.Refused, 1
		}, "server 1"},
		{"refused, and then put elsewhere", func(e *report.Episode, town, street, _ *record.Part) {
			e.Missed[0].Unmet[0].Shown.Nth, e.Missed[0].Unmet[0].Shown.Of = 2, 2
			town.Word, *street = record.Refused, *town
			street.Word, street.Hit = record.AsAsked, &record.Element{Name: "Town", Field: "firm", Nth: 1, Of: 2}
		}, "policy 1"},
		{"overwritten", func(_ *report.Episode, town, street, _ *record.Part) {
			*street = *town
			street.Value = "Basel"
		}, "policy 2"},
		{"not asked for", func(e *report.Episode, _, _, _ *record.Part) { e.Calls[0].Parts = nil }, "policy 3"},
		{"as asked, and lost", func(*report.Episode, *record.Part, *record.Part, *record.Part) {}, "whose is not known 3"},
		{"another element, and the answer says so", func(e *report.Episode, town, _, _ *record.Part) {
			unsent(e)
			*town = record.Part{Asked: "Town", Word: record.OtherElement}
		}, "policy 1"},
		{"another element, which sent the request", func(e *report.Episode, _, _, send *record.Part) {
			e.Missed[0].Unmet[0].Shown, send.Word = nil, record.OtherElement
			e.Calls[0].Parts = nil
		}, "server 3"},
		{"another name, and no request", func(e *report.Episode, _, _, send *record.Part) {
			unsent(e)
			send.Word = record.OtherName
		}, "policy 3"},
		{"another name, which sent the request", func(e *report.Episode, _, _, send *record.Part) {
			e.Missed[0], send.Word = record.Missed{Kind: record.MissedWrong, Sent: "POST /b", Step: 3}, record.OtherName
		}, "server 3"},
		{"gave up after an answer that is not whole", func(e *report.Episode, _, _, _ *record.Part) {
			unsent(e)
			e.Cause, e.Calls[1].Partial, e.Calls[2].Partial = record.CauseGaveUp, "3 of 40", "3 of 40"
		}, "policy 2"},
		{"gave up", func(e *report.Episode, _, _, _ *record.Part) {
			unsent(e)
			e.Cause = record.CauseGaveUp
		}, "whose is not known 3"},
		{"gave up on what the server refused", func(e *report.Episode, _, street, _ *record.Part) {
			unsent(e)
			e.Cause, street.Word = record.CauseGaveUp, record.Refused
		}, "server 2"},
		{"a dismissed question", func(e *report.Episode, _, _, send *record.Part) {
			unsent(e)
			e.Cause = record.CauseNoTool
			e.Calls[2].Parts = append(e.Calls[2].Parts, record.Part{Word: record.More, Denied: true})
		}, "server 3"},
		{"no tool", func(e *report.Episode, _, _, _ *record.Part) { e.Cause, e.Missed = record.CauseNoTool, nil }, "policy 3"},
		{"error, but done", func(e *report.Episode, _, _, send *record.Part) {
			unsent(e)
			send.Word = record.ErrorButDone
		}, "server 3"},
		{"cancelled in the middle", func(e *report.Episode, _, _, send *record.Part) {
			unsent(e)
			e.Cause, e.MaxDurationMs, send.Word = record.CauseTimeCap, 100, record.ErrorButDone
			e.Calls[2].Error, e.Calls[2].Failure, e.Calls[2].DurationMs = true, "cancelled", 10
		}, "whose is not known 3"},
		{"frozen", func(e *report.Episode, _, _, _ *record.Part) {
			unsent(e)
			e.Cause, e.MaxDurationMs = record.CauseTimeCap, 100
			e.Calls[2].Error, e.Calls[2].Failure, e.Calls[2].DurationMs = true, "cancelled", 90
		}, "server 3"},
		{"an agent", func(e *report.Episode, _, _, _ *record.Part) {
			e.Policy, e.AgentSaid, e.Calls[0].Parts = "", new(report.AgentSaid), nil
		}, "agent 3"},
		{"void", func(e *report.Episode, _, _, _ *record.Part) { e.Status = record.Inconclusive }, "harness 3"},
	} {
		e := fills()
		tt.edit(e, &e.Calls[0].Parts[0], &e.Calls[1].Parts[0], &e.Calls[2].Parts[0])
		d := why.Diagnose(e)
		need.Is(t, tt.name, tt.want, fmt.Sprint(d.Whose, " ", d.Call.Step))
	}
}

// The logs have failures of OpenChrome 1.7.15: of transcripts, whose true causes were found by hand, and of the
// policy form. Whose each is, and the step, was checked in the calls, the answers and the traces.
func TestKept(t *testing.T) {
	zipped, err := os.Open(filepath.Join("testdata", "policy.jsonl.gz"))
	need.OK(t, err)
	defer zipped.Close()
	unzipped, err := gzip.NewReader(zipped)
	need.OK(t, err)
	log, err := io.ReadAll(unzipped)
	need.OK(t, err)
	policy := filepath.Join(t.TempDir(), "policy.jsonl")
	need.Write(t, policy, string(log))
	got := map[string]string{}
	for _, file := range []string{filepath.Join("testdata", "failures.jsonl"), policy} {
		r, err := report.FromFile(t.Context(), file)
		need.OK(t, err)
		for _, e := range r.Episodes.All() {
			d := why.Diagnose(e)
			got[e.Name] = fmt.Sprintf("%s %d", d.Whose, d.Call.Step)
		}
	}
	need.Equal(t, "whose, and the step", map[string]string{
		"auth-forbidden@form#1":        "server 4",
		"auth-login@form#1":            "server 6",
		"big-deep@form#1":              "whose is not known 4",
		"big-long@form#1":              "whose is not known 43",
		"big-table#1":                  "server 3",
		"big-table@form#1":             "server 2",
		"delete-list#1":                "server 2",
		"delete-list@form#1":           "server 1",
		"dlg-alert@form#1":             "policy 0",
		"dlg-confirm@form#1":           "server 1",
		"dlg-prompt@form#1":            "server 1",
		"dyn-console#1":                "transcript 1",
		"dyn-infinite@form#1":          "server 5",
		"dyn-late#1":                   "transcript 2",
		"dyn-virtual@form#1":           "server 6",
		"flt-reset@form#1":             "policy 8",
		"form-colour@form#1":           "server 1",
		"form-controls-outside#1":      "transcript 1",
		"form-controls-outside@form#1": "policy 1",
		"form-long#1":                  "server 1",
		"form-long@form#1":             "server 1",
		"form-prefilled#1":             "server 2",
		"form-same-labels#1":           "transcript 2",
		"form-same-labels@form#1":      "policy 1",
		"form-select-text#1":           "server 1",
		"form-select-text@form#1":      "server 1",
		"form-styled@form#1":           "policy 1",
		"form-types#1":                 "server 1",
		"form-types@form#1":            "server 1",
		"form-upload-button@form#1":    "policy 1",
		"form-upload-hidden@form#1":    "policy 2",
		"frm-cross@form#1":             "server 2",
		"frm-pay@form#1":               "policy 5",
		"frm-popup@form#1":             "server 3",
		"frm-tab#1":                    "whose is not known 1",
		"i18n-same@form#1":             "server 1",
		"join-library@form#1":          "server 1",
		"mail-bulk#1":                  "transcript 2",
		"saf-absent@form#1":            "server 1",
		"tab-middle@form#1":            "policy 1",
		"tab-row-button#1":             "server 1",
		"wid-combobox#1":               "server 1",
		"wid-tabs@form#1":              "policy 3",
	}, got)
}
