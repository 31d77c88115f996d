package why_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/tell/why"
	"github.com/openchrome/bench/harness/internal/tell/word"
)

// ordered is an episode in which step 2 clicked another element, so that step 3 ordered another loaf.
func ordered() *report.Episode {
	return &report.Episode{
		Name: "a#1", Status: record.Failed, Cause: record.CauseContract, WrongSideEffects: []string{"placed another order"},
		Tree: &judge.Node{Kind: "network", Verdict: judge.Fail},
		Missed: []record.Missed{{
			Kind: record.MissedValue, Wanted: "POST /orders", Sent: "POST /orders", Step: 3,
			Unmet: []record.Unmet{{Of: "field", Name: "delivery", Wanted: `"x72"`, Got: "x55", Value: "x72"}, {Of: "cookie", Name: "who", Wanted: "a text", Absent: true}},
		}},
		Calls: []report.Call{
			{Tool: "open", Answer: "ok"},
			{Step: 2, Tool: "interact", Answer: `✓ Clicked "Parcel locker"`, Parts: []record.Part{
				{Asked: "Parcel locker", Word: record.OtherElement, Did: `hit div "Parcel locker"`, Untrue: true},
			}},
			{Step: 3, Tool: "interact", Answer: "✓ Clicked", Parts: []record.Part{{Asked: "Place order", Word: record.AsAsked}}},
		},
	}
}

func TestStory(t *testing.T) {
	dialog := func(e *report.Episode) {
		e.Missed = []record.Missed{{Kind: record.MissedUnsent, Wanted: "POST /delete"}}
		e.WrongSideEffects = nil
		e.Calls[1].Error = true
		e.Calls[1].Parts = []record.Part{{Asked: "Delete", Word: record.AsAsked}, {Word: record.More, Did: "a dialog was closed", Untrue: true}}
	}
	for _, tt := range []struct {
		name string
		edit func(*report.Episode)
		want [][2]string
	}{
		{"said and did", func(*report.Episode) {}, [][2]string{
			{"Whose", "server: its answer is a false success"}, {"Asked", `step 2, interact: "Parcel locker"`}, {"Said", `✓ Clicked "Parcel locker"`}, {"Got", `other element, hit div "Parcel locker"`},
		}},
		{"a value that did not come, in a field without a name", func(e *report.Episode) {
			e.Calls[1].Partial = "Errors: no field Days"
			e.Calls[1].Parts[0] = record.Part{Asked: "Delivery", Value: "Home", Word: record.OtherValue, Did: `it holds ""`, Untrue: true, Hit: &record.Element{Role: "combobox"}}
		}, [][2]string{
			{"Whose", "server: its answer is a false success"}, {"Asked", `step 2, interact: "Delivery" = "Home"`}, {"Said", `✓ Clicked "Parcel locker"`}, {"Got", `other value, it holds ""`},
		}},
		{"a value that did not come, in another field", func(e *report.Episode) {
			e.Calls[1].Parts[0] = record.Part{Asked: "Days", Value: "3", Word: record.OtherValue, Did: `it holds ""`, Untrue: true, Hit: &record.Element{Role: "combobox", Field: "days"}}
		}, [][2]string{
			{"Whose", "not known: it sent the wrong request"}, {"Asked", `step 3, interact: "Place order"`}, {"Said", "✓ Clicked"}, {"Got", "as asked"},
		}},
		{"gave up", func(e *report.Episode) {
			dialog(e)
			e.Cause, e.Reason, e.Calls[1].Parts = record.CauseGaveUp, "no such row", nil
		}, [][2]string{{"Whose", "not known: no call came after it"}, {"Asked", `step 3, interact: "Place order"`}, {"Said", "✓ Clicked"}, {"Got", "as asked"}}},
		{"an error, and no request", func(e *report.Episode) {
			dialog(e)
			e.Calls[1].Answer, e.Calls[1].Parts = "no field Coupon", []record.Part{{Asked: "Coupon", Word: record.Refused}}
		}, [][2]string{
			{"Whose", "not known: it is the first error"}, {"Asked", `step 2, interact: "Coupon"`}, {"Said", "an error: no field Coupon"}, {"Got", "refused"},
		}},
		{"an error, and the steps ended for another reason", func(e *report.Episode) {
			dialog(e)
			e.Cause, e.Reason, e.Calls[1].Parts = record.CauseStepCap, "not done at the step cap of 2", nil
		}, [][2]string{{"Whose", "not known: it is the first error"}}},
		{"undone", func(e *report.Episode) {
			e.Missed[0].Kind, e.Missed[0].Unmet, e.Calls[1].Parts, e.WrongSideEffects = record.MissedUndone, []record.Unmet{{Of: "state", Name: "in", Wanted: `""`, Got: "1"}}, nil, nil
			e.Calls[2].Args, e.Calls[2].Parts = `{"ref":4}`, nil
		}, [][2]string{{"Whose", "transcript: the page got what the call asked for"}, {"Asked", `step 3, interact: {"ref":4}`}, {"Said", "✓ Clicked"}}},
		{"another check failed beside a false success", func(e *report.Episode) { e.Tree.Kind, e.Tree.Words, e.WrongSideEffects = "url", "url is /b", nil }, [][2]string{
			{"Whose", "not known: its answer is untrue"}, {"Asked", `step 2, interact: "Parcel locker"`}, {"Said", `✓ Clicked "Parcel locker"`}, {"Got", `other element, hit div "Parcel locker"`},
		}},
		{"set again as asked", func(e *report.Episode) {
			hit := &record.Element{Field: "delivery"}
			e.Missed[0].Unmet, e.WrongSideEffects = e.Missed[0].Unmet[:1], nil
			e.Calls[1].Parts = []record.Part{{Asked: "Delivery", Value: "x72", Word: record.OneOfSeveral, Hit: hit}}
			e.Calls[2].Parts = []record.Part{{Asked: "Delivery", Value: "x55", Word: record.AsAsked, Hit: hit}, {Asked: "Place order", Word: record.AsAsked}}
		}, [][2]string{
			{"Whose", "transcript: the call asked for another value"}, {"Asked", `step 3, interact: "Delivery" = "x55"`}, {"Said", "✓ Clicked"}, {"Got", "as asked"},
		}},
		{"another value, which a later call set anew", func(e *report.Episode) {
			hit := &record.Element{Field: "delivery"}
			e.Missed[0].Unmet, e.WrongSideEffects = e.Missed[0].Unmet[:1], nil
			e.Calls[1].Parts = []record.Part{{Asked: "Delivery", Value: "x72", Word: record.OtherValue, Did: `it holds "x72x1"`, Hit: hit, Untrue: true}}
			e.Calls[2].Parts = []record.Part{{Asked: "Delivery", Value: "x55", Word: record.AsAsked, Did: `textbox "Delivery, 1st of 2" got it`, Hit: hit}}
		}, [][2]string{
			{"Whose", "transcript: the call asked for another value"}, {"Asked", `step 3, interact: "Delivery" = "x55"`}, {"Said", "✓ Clicked"}, {"Got", `as asked, textbox "Delivery, 1st of 2" got it`},
		}},
		{"gave up on what was refused", func(e *report.Episode) {
			dialog(e)
			e.Cause, e.Reason = record.CauseGaveUp, `intents.jsonl:2: fill "Coupon": no answer of the server shows such a control`
			e.Calls[1].Answer, e.Calls[1].Parts = "no field Coupon", []record.Part{{Asked: "Coupon", Word: record.Refused, Did: `no input reached textbox "Coupon"`, Hit: new(record.Element)}}
		}, [][2]string{
			{"Whose", "server: it did not do it, and the transcript gave up"}, {"Asked", `step 2, interact: "Coupon"`}, {"Said", "an error: no field Coupon"}, {"Got", `refused, no input reached textbox "Coupon"`},
		}},
		{"gave up after what was refused was done", func(e *report.Episode) {
			dialog(e)
			e.Cause, e.Reason = record.CauseGaveUp, "no such row"
			e.Calls[1].Parts = []record.Part{{Asked: "Place order", Word: record.Refused}}
		}, [][2]string{{"Whose", "not known: no call came after it"}, {"Asked", `step 3, interact: "Place order"`}, {"Said", "✓ Clicked"}, {"Got", "as asked"}}},
		{"the page fails", func(e *report.Episode) {
			dialog(e)
			e.Calls[1].Error, e.Calls[1].Parts = false, []record.Part{{Asked: "Order", Word: record.AsAsked}}
			e.Calls[1].Trace = &word.Got{Fault: `"no day"`}
		}, [][2]string{
			{"Whose", "page: it reported an error"}, {"Asked", `step 2, interact: "Order"`}, {"Said", `✓ Clicked "Parcel locker"`}, {"Got", "as asked"}, {"Had", `an error: "no day"`},
		}},
		{"gave up long after the page failed", func(e *report.Episode) {
			dialog(e)
			e.Cause, e.Reason, e.Calls[1].Error, e.Calls[1].Parts = record.CauseGaveUp, "no such row", false, nil
			e.Calls[1].Trace = &word.Got{Fault: `"no day"`}
		}, [][2]string{{"Whose", "not known: no call came after it"}, {"Asked", `step 3, interact: "Place order"`}, {"Said", "✓ Clicked"}, {"Got", "as asked"}}},
		{"an answer changed before what was not as asked", func(e *report.Episode) {
			e.Cause, e.Reason, e.WrongSideEffects = record.CauseChangedAnswer, "an answer changed", nil
			e.ChangedAnswers = []report.ChangedAnswer{{Step: 2, Tool: "interact"}}
			e.Calls[1].Parts, e.Calls[2].Parts = nil, []record.Part{{Asked: "Pay", Word: record.OtherElement}}
		}, [][2]string{
			{"Whose", "not known: it is the first changed answer"},
		}},
		{"nothing is known", func(e *report.Episode) { e.Missed, e.Calls[1].Parts = nil, nil }, [][2]string{{"Whose", "not known: nothing before the last step explains it"}}},
	} {
		e := ordered()
		tt.edit(e)
		need.Equal(t, tt.name, tt.want, why.Story(e))
	}
}

func TestUnmet(t *testing.T) {
	e := ordered()
	want := [][3]string{{"POST /orders: delivery", `"x72"`, `"x55"`}, {"POST /orders: cookie who", "a text", "nothing"}}
	need.Equal(t, "", want, why.Unmet(e, &e.Calls[2]))
	need.Equal(t, "it was not sent in step 2", [][3]string(nil), why.Unmet(e, &e.Calls[1]))
}

func TestDid(t *testing.T) {
	asAsked, notKnown := record.Part{Word: record.AsAsked}, record.Part{Word: record.NotKnown}
	for _, tt := range []struct {
		want  string
		parts []record.Part
	}{
		{"", nil},
		{"as asked", []record.Part{asAsked, asAsked}},
		{"as asked 1 of 3, else not known", []record.Part{asAsked, notKnown, notKnown}},
		{"2 fields have this name, and one of them got it", []record.Part{asAsked, {Word: record.AsAsked, Value: "x", Did: "2 fields have this name, and one of them got it"}}},
		{"not known", []record.Part{notKnown}},
		{"not known, hit a row", []record.Part{notKnown, {Word: record.NotKnown, Did: "hit a row"}}},
		{"nothing, no click came; more, a tab was opened", []record.Part{asAsked, {Word: record.Nothing, Did: "no click came"}, {Word: record.More, Did: "a tab was opened"}}},
	} {
		need.Is(t, "", tt.want, why.Did(&report.Call{Parts: tt.parts}))
	}
}

func TestUntold(t *testing.T) {
	gone, heard := report.Call{Trace: &word.Got{Missing: "no observer"}}, report.Call{Trace: &word.Got{}}
	for _, tt := range []struct {
		name, want string
		e          report.Episode
	}{
		{"no trace", "What the pages got was not recorded.", report.Episode{Calls: []report.Call{{}}}},
		{"no observer", "What the pages got is not known: no observer.", report.Episode{Calls: []report.Call{gone, gone}}},
		{"only the first step is missing", "", report.Episode{Calls: []report.Call{gone, heard}}},
		{"a passed episode keeps no trace", "", report.Episode{Success: true, Calls: []report.Call{{}}}},
	} {
		need.Is(t, tt.name, tt.want, why.Untold(&tt.e))
	}
}

// A call that was cancelled at the time cap counts beside the false successes, if there was an observer.
func TestUntrueOf(t *testing.T) {
	one, two, frozen := ordered(), ordered(), ordered()
	two.Name = "a#2"
	two.Calls[2].Parts = append(two.Calls[1].Parts, two.Calls[1].Parts[0], record.Part{Word: record.Nothing, Untrue: true})
	frozen.Calls[1].Parts, frozen.Calls[2] = nil, report.Call{Step: 2, Tool: "interact", Error: true, Failure: "cancelled at the time cap"}
	for _, tt := range []struct {
		name, facts string
		episodes    []report.Episode
		want        []string
		known       int
	}{
		{"two episodes", record.FactsTools, []report.Episode{*one, *two}, []string{"3 of 4 false success: other element a#1 [2 2]", "1 of 4 false success: nothing a#2 [3]"}, 4},
		{"no answer", record.FactsObserver, []report.Episode{*frozen}, []string{"1 of 1 no answer a#1 [2]"}, 1},
		{"no answer, and no observer", record.FactsTools, []report.Episode{*frozen}, nil, 0},
	} {
		all, known := why.UntrueOf(&report.Report{Server: &record.Server{Facts: tt.facts}, Episodes: report.ListOf(tt.episodes...)})
		var got []string
		for _, u := range all {
			got = append(got, fmt.Sprintf("%d of %d %s %s %v", u.N, u.Of, u.Word, u.Episodes[0].Name, u.Steps))
		}
		need.Equal(t, tt.name, tt.want, got)
		need.Equal(t, tt.name, tt.known, known["interact"])
	}
}

// The log has failures of OpenChrome 1.7.15 in which no answer was an error. The true cause of each was found
// by hand first, from the calls, the pages and the routes.
func TestFailures(t *testing.T) {
	r, err := report.FromFile(t.Context(), filepath.Join("testdata", "failures.jsonl"))
	need.OK(t, err)
	var b strings.Builder
	b.WriteString("# Causes\n\n")
	for _, c := range why.Causes(r.Episodes) {
		fmt.Fprintf(&b, "%d× %s, such as %s\n", len(c.Episodes), c.Group, c.Episodes[0].Name)
	}
	b.WriteString("\n# False successes and unreported side effects\n\n")
	untrue, _ := why.UntrueOf(r)
	for _, u := range untrue {
		fmt.Fprintf(&b, "%d of %d× %s: %s, such as %s\n", u.N, u.Of, u.Tool, u.Word, u.Episodes[0].Name)
	}
	for _, e := range r.Episodes.All() {
		d := why.Diagnose(e)
		fmt.Fprintf(&b, "\n# %s\n\n%s\nstep %d: %s\n", e.Name, why.Line(e), d.Call.Step, d.Because)
		for _, line := range why.Story(e) {
			fmt.Fprintf(&b, "  %-9s %s\n", line[0], line[1])
		}
	}
	golden := filepath.Join("testdata", "failures.golden")
	if *need.Update {
		need.Write(t, golden, b.String())
	}
	need.Equal(t, "", string(need.Read(t, golden)), b.String())
}
